"""An origin in Python that admits only visitors with a pass of the waiting room, checked with PyJWT. Wrap your WSGI
application in `WaitingRoom` (Flask: `app.wsgi_app = WaitingRoom(app.wsgi_app)`); `python verify.py 8080` is a small
server. The settings come from `npm run origin-key`."""

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
MAX_PASS_BYTES = 1024
LEEWAY_SECONDS = 30
LAST_PASS_SECONDS = 60  # how long the last pass of a session outlives it

# The claims have one form, in bytes: whatever a library reads into another one, it is no pass.
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


def header_and_key(text):
    kid, _, key = text.partition(":")
    if len(decode(key)) != 32:
        raise ValueError("WAITING_ROOM_KEYS: not <key id>:<32 bytes>")
    return encode(f'{{"alg":"HS256","typ":"wr-pass+jwt","kid":"{kid}"}}'.encode()), decode(key)


# `<key id>:<base64url>`, with spaces between them while two are live. Found by the whole header: one for each key.
KEYS = dict(header_and_key(text) for text in os.environ["WAITING_ROOM_KEYS"].split(" "))


def verify(token, now=None):
    """The claims of a pass that holds at `now`, in Unix seconds; None for whatever else it is given."""
    now = int(time.time()) if now is None else now
    header, _, rest = token.partition(".")
    segments = rest.split(".")
    if len(token) > MAX_PASS_BYTES or header not in KEYS or len(segments) != 2:
        return None
    try:
        # Python reads base64url with padding, other letters and spare bits as well.
        if any(encode(decode(segment)) != segment for segment in segments):
            return None
        # PyJWT compares times with its own clock, so that is done below.
        options = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
        claims = jwt.decode(token, KEYS[header], algorithms=["HS256"], issuer=ISSUER, audience=AUDIENCE, options=options)
    except (jwt.PyJWTError, ValueError):
        return None
    form = CLAIMS.fullmatch(decode(segments[0]))
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
