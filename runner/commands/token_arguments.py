"""What `token` accepts on the command line."""

from typing import Any

__all__ = ["add_token"]


def add_token(commands: Any, database_help: str) -> None:
    """Add the commands that make, list and revoke tokens."""
    text = "make, list or revoke what programs show to the JSON interface"
    token = commands.add_parser("token", help=text, description="M" + text[1:] + ".")
    actions = token.add_subparsers(required=True, metavar="create|list|revoke")
    text = "make a token and print it, once"
    create = actions.add_parser("create", help=text, description=text.capitalize() + ".")
    create.set_defaults(command="create_token")
    create.add_argument("name", metavar="NAME", help="what it is for")
    create.add_argument(
        "--user", metavar="EMAIL", help="for whom programs act; else for this program, which may do all"
    )
    create.add_argument("--scopes", required=True, metavar="A,B", type=_words, help="some of read, launch, data, admin")
    create.add_argument("--days", type=float, default=90.0, metavar="N", help="for how long it is good; else 90")
    text = "list tokens, without what is secret of them"
    listing = actions.add_parser("list", help=text, description=text.capitalize() + ".")
    listing.set_defaults(command="list_tokens")
    listing.add_argument("--user", metavar="EMAIL", help="only those of this user")
    text = "end a token"
    revoke = actions.add_parser("revoke", help=text, description=text.capitalize() + ".")
    revoke.set_defaults(command="revoke_token")
    revoke.add_argument("id", metavar="ID", type=int, help="as token list shows it")
    for action in (create, listing, revoke):
        action.add_argument("--json", action="store_true", help="print JSON")
        action.add_argument("--database", metavar="URL|@FILE", help=database_help)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
