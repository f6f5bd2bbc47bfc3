"""An origin in Python that admits only visitors with a pass of the waiting room, checked with PyJWT and the public keys
that the room publishes: for events with `pass_algorithm = "EdDSA"`. Wrap your WSGI application in `WaitingRoom`;
`python verify_ed25519.py 8080` is a small server. Issuer and audience come from `npm run origin-key`."""

import base64
import os
import re
import sys
import time
from wsgiref.simple_server import make_server

import jwt

ISSUER = os.environ["WAITING_ROOM_ISSUER"]
AUDIENCE = os.environ["WAITING_ROOM_AUDIENCE"]
EVENT = os.environ["WAITING_ROOM_EVENT"]
# `https://tickets.example.com/_wr/jwks.json`. Kept for five minutes; an unknown key id is no reason to ask earlier, since
# new keys are published long before they sign.
KEYS = jwt.PyJWKClient(os.environ["WAITING_ROOM_JWKS"], cache_keys=False, lifespan=300, timeout=5)
MAX_PASS_BYTES = 1024
LEEWAY_SECONDS = 30
LAST_PASS_SECONDS = 60  # how long the last pass of a session outlives it

# Header and claims have one form, in bytes: whatever a library reads into another one, it is no pass.
HEADER = re.compile(rb'\{"alg":"EdDSA","typ":"wr-pass\+jwt","kid":"([a-z0-9-]{1,16}\.[A-Za-z0-9_-]{8})"\}')
NUMBER = "(0|[1-9][0-9]{0,15})"
CLAIMS = re.compile(
    r'\{"v":[12],"iss":"[^"]+","aud":"[^"]+","evt":"[^"]+","run":N,"jti":"N\.N\.N","iat":N,"exp":N,"sx":N\}'
    .replace("N", NUMBER).encode()
)
LARGEST = [2**32 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1] + 3 * [2**53 - 1]


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def verify(token, now=None):
    """The claims of a pass that holds at `now`, in Unix seconds; None for whatever else it is given."""
    now = int(time.time()) if now is None else now
    segments = token.split(".")
    if len(token) > MAX_PASS_BYTES or len(segments) != 3:
        return None
    try:
        # Python reads base64url with padding, other letters and spare bits as well.
        header = HEADER.fullmatch(decode(segments[0]))
        if not header or any(encode(decode(segment)) != segment for segment in segments):
            return None
        key = KEYS.get_jwk_set()[header[1].decode()]
        # PyJWT compares times with its own clock, so that is done below.
        options = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
        claims = jwt.decode(token, key, algorithms=["EdDSA"], issuer=ISSUER, audience=AUDIENCE, options=options)
    except (jwt.PyJWTError, ValueError, KeyError):
        return None
    form = CLAIMS.fullmatch(decode(segments[1]))
    if not form or any(int(number) > largest for number, largest in zip(form.groups(), LARGEST)):
        return None
    in_time = claims["iat"] <= now + LEEWAY_SECONDS and now < claims["exp"] + LEEWAY_SECONDS
    return claims if claims["evt"] == EVENT and in_time and claims["exp"] <= claims["sx"] + LAST_PASS_SECONDS else None


class WaitingRoom:
    """Lets only admitted visitors through to an application. Believes no other header, and no cookie."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        if verify(environ.get("HTTP_WAITING_ROOM_PASS", "")):
            return self.application(environ, start_response)
        start_response("403 Forbidden", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")])
        return [b"only through the waiting room\n"]


def shop(_environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")])
    return [b"the shop\n"]


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), WaitingRoom(shop)).serve_forever()
