"""A key and a certificate that only the processes of one cluster of ours have."""

from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from distributed import Security

__all__ = ["one_time_security"]

_BEGIN, _END = datetime(1970, 1, 1), datetime(9999, 12, 31, 23, 59, 59)
_NAME = "ensemble-lab"
_ROLES = ("client", "scheduler", "worker")


def one_time_security() -> Security:
    """Return what connections of one cluster are encrypted with, and its members known by; nothing of it is on disk.

    The certificate holds at every date. Those of Dask's `Security.temporary` begin at the present moment: once the clock
    of the machine is set back, no process that is started anew could connect.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(_NAME)]), critical=False)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGIN)
        .not_valid_after(_END)
        .sign(key, hashes.SHA256())
    )
    shown = certificate.public_bytes(serialization.Encoding.PEM).decode()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    each = {f"tls_{role}_{part}": text for role in _ROLES for part, text in (("cert", shown), ("key", secret))}
    return Security(require_encryption=True, tls_ca_file=shown, **each)
