"""The certificate of a cluster of our own."""

import ssl
from datetime import UTC, datetime

from cryptography import x509

from runner.cluster.certificate import one_time_security


def test_it_holds_at_every_date() -> None:
    made = x509.load_pem_x509_certificate(str(one_time_security().tls_ca_file).encode())
    assert made.not_valid_before_utc < datetime(1980, 1, 1, tzinfo=UTC), "a clock without a battery begins there"
    assert made.not_valid_after_utc > datetime(2100, 1, 1, tzinfo=UTC)


def test_each_side_knows_the_other_and_no_one_else() -> None:
    ours, others = one_time_security(), one_time_security()
    assert _shake_hands(ours.get_listen_args("scheduler"), ours.get_connection_args("worker"))
    assert not _shake_hands(ours.get_listen_args("scheduler"), others.get_connection_args("worker"))


def _shake_hands(listens: dict[str, ssl.SSLContext], connects: dict[str, ssl.SSLContext]) -> bool:
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = listens["ssl_context"].wrap_bio(to_server, to_client, server_side=True)
    client = connects["ssl_context"].wrap_bio(to_client, to_server)
    try:
        for side in (client, server) * 3:
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    except ssl.SSLError:
        return False
    return server.getpeercert(binary_form=True) is not None
