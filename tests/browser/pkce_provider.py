"""The provider as a program, which demands PKCE: `python -m tests.browser.pkce_provider PORT NAME...`.

A code is worth a token only to who shows the word whose digest came with the request for it (RFC 7636, S256).
"""

import base64
import hashlib
import os
import sys
from urllib.parse import parse_qs, urlsplit

import uvicorn
from flask import Flask, Response, jsonify, request
from oidc_provider_mock import User, app

__all__ = ["demand_pkce"]


def demand_pkce(provider: Flask) -> None:
    """Let a provider say that it knows S256, and refuse requests without a challenge and words that do not fit one."""
    challenges: dict[str, str] = {}

    @provider.before_request
    def refuse() -> tuple[Response, int] | None:
        if request.path == "/oauth2/authorize" and not _challenge():
            return jsonify(error="invalid_request", error_description="a code_challenge by S256 is needed"), 400
        if request.path == "/oauth2/token":
            word = request.form.get("code_verifier", "").encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(word).digest()).rstrip(b"=").decode()
            if challenges.pop(request.form.get("code", ""), None) != digest:
                return jsonify(error="invalid_grant", error_description="the code_verifier does not fit"), 400
        return None

    @provider.after_request
    def note(answer: Response) -> Response:
        if request.path == "/.well-known/openid-configuration":
            answer = jsonify({**answer.get_json(), "code_challenge_methods_supported": ["S256"]})
        for code in parse_qs(urlsplit(answer.headers.get("Location", "")).query).get("code", []):
            challenges[code] = _challenge()
        return answer


def _challenge() -> str:
    return request.args.get("code_challenge", "") if request.args.get("code_challenge_method") == "S256" else ""


def main(port: int, names: list[str]) -> None:
    """Serve until ended."""
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # HTTP, on this machine
    about = {name: {"name": name, "email": f"{name}@example.org", "email_verified": True} for name in names}
    provider = app(user_claims=[User(sub=name, claims=claims) for name, claims in about.items()])
    demand_pkce(provider)
    uvicorn.run(provider, interface="wsgi", port=port)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
