"""Our HPKE (RFC 9180) against an independent implementation from PyPI: what one seals the other opens."""

import os
import pathlib
import secrets
import subprocess

import pytest

pyhpke = pytest.importorskip("pyhpke")
REFERENCE = pathlib.Path(os.environ.get("EIGENVEIL", "")).parent / "eigenveil_collection_reference"
SUITE = pyhpke.CipherSuite.new(pyhpke.KEMId.DHKEM_X25519_HKDF_SHA256, pyhpke.KDFId.HKDF_SHA256, pyhpke.AEADId.AES128_GCM)


def ours(*words):
    done = subprocess.run([REFERENCE, *[word if isinstance(word, str) else word.hex() or "-" for word in words]],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


@pytest.fixture(autouse=True)
def built():
    if not REFERENCE.exists():
        pytest.skip("the reference program is not built")


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1000, 20_000])
def test_both_directions(size):
    pair = SUITE.kem.derive_key_pair(secrets.token_bytes(32))
    secret, public = pair.private_key.to_private_bytes(), pair.public_key.to_public_bytes()
    info, associated, plaintext = secrets.token_bytes(40), secrets.token_bytes(32), secrets.token_bytes(size)
    enclosure, sender = SUITE.create_sender_context(pair.public_key, info=info)
    code, opened = ours("open", secret, info, associated, enclosure + sender.seal(plaintext, aad=associated))
    assert (code, opened) == (0, plaintext.hex())
    code, sealed = ours("seal", public, info, associated, plaintext)
    assert code == 0
    sealed = bytes.fromhex(sealed)
    receiver = SUITE.create_recipient_context(sealed[:32], pair.private_key, info=info)
    assert receiver.open(sealed[32:], aad=associated) == plaintext
    code, words = ours("open", secret, info + b"x", associated, sealed)
    assert (code, words) == (1, "the message does not open")
