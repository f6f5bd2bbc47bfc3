"""Checks every published token vector with PyJWT: a verifier written from docs/tokens.md alone, which shares no code
with the Rust crate. Needs the packages of tests/requirements.txt."""

import base64
import hashlib
import ipaddress
import json
import pathlib
import re
import sys

import jwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VECTORS = pathlib.Path(__file__).parent.parent.parent / "crates" / "token" / "tests" / "vectors"
MAX_TOKEN_BYTES = 1024
CLOCK_AHEAD_SECONDS = 30
ORIGIN_LEEWAY_SECONDS = 30
LAST_PASS_SECONDS = 60
MAX_WORK_BITS = 24
MAX_ENQUEUE_SECONDS = 60 * 86_400
MAX_NUMBER = 2**53 - 1
# Refusals that the library alone must give as well. PyJWT takes its time from the machine's clock, so the times of the
# vectors are compared here instead.
LIBRARY_REFUSES = {"signature", "unknown-key", "wrong-issuer", "wrong-audience"}

KEYS = json.loads((VECTORS / "keys.json").read_text())


class Refused(Exception):
    pass


def decode(segment):
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(limit):
    return lambda value: type(value) is int and 0 <= value <= limit


def text(longest):
    return lambda value: isinstance(value, str) and len(value) <= longest and re.fullmatch(r"[ !#-\[\]-~]+", value)


def address(value):
    """One value for each address; one of IPv4 inside one of IPv6 is the one of IPv4."""
    if not isinstance(value, str) or "%" in value:
        return None
    try:
        ip = ipaddress.ip_address(value)
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip


def one_of(*values):
    return lambda value: any(type(value) is type(other) and value == other for other in values)


def nonce(value):
    return isinstance(value, str) and re.fullmatch(r"[\w-]{22}", value, re.ASCII) and encode(decode(value)) == value


def session(value):
    if not isinstance(value, str) or not re.fullmatch(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}", value):
        return False
    home, index, generation = (int(part) for part in value.split("."))
    return home <= 0xFFFF and index <= 0xFFFFFFFF and generation <= 0xFFFFFFFF


def work_bits(value):
    return number(MAX_WORK_BITS)(value) and value > 0


def events(value):
    """One event's id or several, or `*` for all."""
    ids = value.split(",") if text(253)(value) else [""]
    return value == "*" or all(id not in ("", "*") and len(id) <= 64 for id in ids) and len(set(ids)) == len(ids)


SECONDS = number(MAX_NUMBER)
HOME = number(0xFFFF)
START = {"v": one_of(1, 2), "iss": text(253)}
RUN = {"evt": text(253), "run": number(0xFFFFFFFF)}
CLAIMS = {
    "permit": START | RUN | {
        "jti": nonce, "home": HOME, "iat": SECONDS, "exp": SECONDS, "chl": one_of("none", "pow"), "bits": work_bits,
        "arr": SECONDS,
    },
    "ticket": START | RUN | {
        "jti": nonce, "home": HOME, "idx": number(0xFFFFFFFF), "line": number(0xFF), "ent": SECONDS, "rank": SECONDS,
        "arr": SECONDS, "iat": SECONDS, "exp": SECONDS,
    },
    "pass": START | {"aud": text(253)} | RUN | {"jti": session, "iat": SECONDS, "exp": SECONDS, "sx": SECONDS},
    "operator": START | {
        "evt": events, "sub": text(64), "scp": one_of("view", "operate", "configure", "read", "write"), "iat": SECONDS,
        "exp": SECONDS,
    },
}
CLAIMS["staff"] = START | RUN | {"jti": nonce, "name": text(64), "iat": SECONDS, "exp": SECONDS}
CLAIMS["enqueue"] = {
    "v": one_of(1), "iss": text(64), "aud": text(64), "evt": text(64), "line": text(64), "key": text(128),
    "jti": text(64), "iat": SECONDS, "exp": SECONDS, "ip": lambda value: address(value) is not None,
}
OPTIONAL = {
    "permit": {"bits", "arr"}, "ticket": {"ent", "rank"}, "pass": set(), "operator": set(), "staff": set(), "enqueue": {"ip"},
}
AUDIENCE = {"pass": KEYS["audience"], "enqueue": KEYS["event"]}


def derive(row):
    root = next(key for key in KEYS["root_keys"] if key["id"] == row["root"])
    audience = AUDIENCE.get(row["purpose"], "")
    fields = ["anteroom/token/v1", row["typ"], row["alg"], KEYS["issuer"], audience]
    info = b"".join(len(field).to_bytes(2, "big") + field.encode() for field in fields)
    key = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=info).derive(decode(root["key"]))
    fingerprint = encode(hashlib.sha256(info).digest())[:8]
    kid = f"{row['root']}.{fingerprint}" if row["purpose"] in AUDIENCE else row["root"]
    return {"info_hex": info.hex(), "key": encode(key), "kid": kid}


def keys_of(purpose, alg):
    keys = {}
    for row in KEYS["derived_keys"]:
        if (row["purpose"], row["alg"]) != (purpose, alg):
            continue
        public = alg == "EdDSA"
        key = Ed25519PublicKey.from_public_bytes(decode(row["public_key"])) if public else decode(row["key"])
        header = json.dumps({"alg": alg, "typ": row["typ"], "kid": row["kid"]}, separators=(",", ":"))
        keys[row["kid"]] = (key, header)
    return keys


def ask_library(test, keys):
    kid = jwt.get_unverified_header(test["token"]).get("kid")
    if kid not in keys:
        raise Refused("unknown kid")
    is_pass, is_enqueue = test["purpose"] == "pass", test["purpose"] == "enqueue"
    required = [name for name in CLAIMS[test["purpose"]] if name not in OPTIONAL[test["purpose"]]]
    jwt.decode(
        test["token"],
        keys[kid][0],
        algorithms=[test["alg"]],
        issuer=None if is_enqueue else KEYS["issuer"],
        audience=KEYS["audience"] if is_pass else KEYS["issuer"] if is_enqueue else None,
        options={
            "require": required, "verify_aud": is_pass or is_enqueue, "verify_exp": False, "verify_iat": False, "verify_nbf": False,
        },
    )


def check_profile(test, keys):
    """The checks of the strict profile that a library does not make, and the times."""
    token, purpose = test["token"], test["purpose"]
    if len(token.encode()) > MAX_TOKEN_BYTES:
        raise Refused("too long")
    segments = token.split(".")
    canonical = re.compile(r"[A-Za-z0-9_-]+")
    if len(segments) != 3 or not all(canonical.fullmatch(part) and encode(decode(part)) == part for part in segments):
        raise Refused("shape")
    if purpose == "enqueue":
        return check_enqueue(test, keys, *(flat_object(decode(part).decode("utf-8")) for part in segments[:2]))
    if decode(segments[0]).decode("latin-1") not in (header for _, header in keys.values()):
        raise Refused("header")
    payload = decode(segments[1]).decode("utf-8")
    claims = json.loads(payload)
    if json.dumps(claims, separators=(",", ":"), ensure_ascii=False) != payload or not isinstance(claims, dict):
        raise Refused("not the one byte form")
    rules = CLAIMS[purpose]
    if list(claims) != [name for name in rules if name in claims or name not in OPTIONAL[purpose]]:
        raise Refused("claims or their order")
    for name, value in claims.items():
        if not rules[name](value):
            raise Refused(f"claim {name}")
    if "chl" in claims and (claims["chl"] == "pow") != ("bits" in claims):
        raise Refused("work without its bits, or bits without work")
    if "rank" in claims and "ent" not in claims:
        raise Refused("rank without entry number")
    if "sx" in claims and claims["exp"] > claims["sx"] + LAST_PASS_SECONDS:
        raise Refused("outlives its session")
    of_operator = purpose == "operator" and (claims["evt"] == "*" or KEYS["event"] in claims["evt"].split(","))
    if claims["evt"] != KEYS["event"] and not of_operator:
        raise Refused("event")
    if purpose in ("permit", "ticket", "staff") and claims["run"] != KEYS["run"]:
        raise Refused("run")
    leeway = ORIGIN_LEEWAY_SECONDS if test["at"] == "origin" else 0
    if claims["iat"] > test["now"] + CLOCK_AHEAD_SECONDS or test["now"] >= claims["exp"] + leeway:
        raise Refused("time")


def flat_object(text):
    """An object with no name twice; `json.loads` alone would take the last of two."""

    def once(pairs):
        if len(dict(pairs)) != len(pairs):
            raise Refused("a member twice")
        return dict(pairs)

    read = json.loads(text, object_pairs_hook=once)
    if not isinstance(read, dict):
        raise Refused("no object")
    return read


def check_enqueue(test, keys, header, claims):
    if {name: header.get(name) for name in header if name != "kid"} != {"alg": "HS256", "typ": "wr-enqueue+jwt"}:
        raise Refused("header")
    if header.get("kid") not in keys:
        raise Refused("unknown kid")
    rules = CLAIMS["enqueue"]
    if not set(rules) - {"ip"} <= set(claims) <= set(rules):
        raise Refused("claims missing or unknown")
    for name, value in claims.items():
        if not rules[name](value):
            raise Refused(f"claim {name}")
    if (claims["aud"], claims["evt"]) != (KEYS["issuer"], KEYS["event"]):
        raise Refused("not for us")
    if "ip" in claims and address(claims["ip"]) != address(test.get("ip")):
        raise Refused("address")
    if claims["exp"] - claims["iat"] > MAX_ENQUEUE_SECONDS:
        raise Refused("valid for too long")
    if claims["iat"] > test["now"] + CLOCK_AHEAD_SECONDS or test["now"] >= claims["exp"]:
        raise Refused("time")


def refusal(check, test, keys):
    try:
        check(test, keys)
    except (Refused, jwt.PyJWTError, ValueError, UnicodeError) as error:
        return error
    return None


def main():
    problems = []
    for row in KEYS["derived_keys"]:
        if any(row[name] != value for name, value in derive(row).items()):
            problems.append(f"derivation of {row['kid']}")
    tests = [test for name in ("valid.json", "refusals.json", "enqueue.json") for test in json.loads((VECTORS / name).read_text())]
    taken = by_library = 0
    for test in tests:
        name = f"{test['purpose']} {test['alg']} {test['at']}: {test['name']}"
        keys = keys_of(test["purpose"], test["alg"])
        library, profile = refusal(ask_library, test, keys), refusal(check_profile, test, keys)
        by_library += library is not None
        if test["refusal"] is None:
            taken += 1
            if library or profile:
                problems.append(f"{name}: must be taken, {library or profile!r}")
        elif not library and not profile:
            problems.append(f"{name}: must be refused ({test['refusal']})")
        elif test["refusal"] in LIBRARY_REFUSES and not library:
            problems.append(f"{name}: the library alone must refuse ({test['refusal']})")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(
        f"PyJWT: {len(KEYS['derived_keys'])} keys derived, {taken} tokens taken, {len(tests) - taken} refused "
        f"({by_library} by the library alone), {len(problems)} problems"
    )
    return 1 if problems or taken == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
