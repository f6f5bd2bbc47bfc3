"""What docs/openapi.yaml cannot say to Schemathesis: who holds a ticket or a pass, and what is no fault.

A visitor is whoever joined last, as in a browser that keeps its ticket: the links of the document lead from a permit to a
place to what its ticket may do. Outside of the stateful phase each request is made for a visitor of its own, so that who
has left does not hide what others are answered.
"""

import itertools
import os
import re

import requests
import schemathesis

ROOM = os.environ["ROOM_URL"]
EVENT = "demo"
QUEUE = f"{ROOM}/_wr/queues/{EVENT}"
PATIENCE_SECONDS = 15

# States in which a place is over: what a visitor is told instead of 404, since what became of a place is no secret to
# whoever held it, and a browser that was left open has to say it.
OVER = {"left", "ended", "lapsed", "none"}

# Fields of a form that the document knows, whose meaning only the room can judge: a permit that it has signed, an instant
# to come, a line of this queue. What else has the right form has to be taken.
BY_MEANING = {
    "join": {"permit", "line"},
    "staffEnter": {"token"},
    "operate": {"opens_at", "next_update_at_ms", "line"},
    "calendar": {"line"},
}


def joined():
    """The ticket of a new visitor."""
    permit = requests.post(f"{QUEUE}/permits", timeout=PATIENCE_SECONDS)
    permit.raise_for_status()
    place = requests.post(f"{QUEUE}/tickets", json={"permit": permit.json()["permit"]}, timeout=PATIENCE_SECONDS)
    place.raise_for_status()
    return place.json()["ticket"]


def admitted(ticket):
    """The pass of a visitor whose turn it is soon; None if it does not come."""
    headers = {"Authorization": f"Bearer {ticket}"}
    for _ in range(100):
        answer = requests.post(f"{QUEUE}/tickets/me/pass", headers=headers, timeout=PATIENCE_SECONDS)
        if answer.status_code == 200:
            return answer.json()["pass"]
    return None


SENDERS = itertools.count(1)
FORMS_AND_JSON = {"application/json", "application/x-www-form-urlencoded"}


class Visitor:
    """Whoever joined last."""

    ticket = None
    entry_pass = None


def is_stateful(case):
    return case.meta is not None and case.meta.phase.name.value == "stateful"


class Bearer:
    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=None).apply_to(
    operation_id=["state", "leave", "leaveByForm", "enter", "defer", "offerHandover", "socket"]
)
class Ticket(Bearer):
    def get(self, case, context):
        if is_stateful(case) and Visitor.ticket:
            return Visitor.ticket
        return joined()


@schemathesis.auth(refresh_interval=None).apply_to(operation_id=["release", "access"])
class Pass(Bearer):
    def get(self, case, context):
        if is_stateful(case) and Visitor.entry_pass:
            return Visitor.entry_pass
        return admitted(joined())


@schemathesis.auth(refresh_interval=None).apply_to(
    operation_id=["operate", "observe", "log", "staffPass", "metrics"]
)
class Operator(Bearer):
    def get(self, case, context):
        return os.environ["OPERATOR_TOKEN"]


@schemathesis.hook("before_call")
def come_from_elsewhere(context, case, kwargs):
    """Each request comes from a network of its own: what wrong tokens and many requests cost their sender is tested
    elsewhere, and would only make all others wait here."""
    number = next(SENDERS)
    case.headers["CF-Connecting-IP"] = f"10.{number >> 8 & 255}.{number & 255}.7"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Ways go on: as JSON, since a form is answered by 303 and leads nowhere in the document (the other phases send forms);
    and a permit that a link hands on is joined with alone, since a line or a code that nobody made ends most ways there."""
    is_document = isinstance(case.body, dict) and case.media_type in FORMS_AND_JSON
    if not is_document or not is_stateful(case) or not case.meta.generation.mode.is_positive:
        return
    case.media_type = "application/json"
    if case.operation.definition.raw.get("operationId") == "join":
        case.body = {name: value for name, value in case.body.items() if name in {"permit", "return"}}
    if case.operation.definition.raw.get("operationId") == "offerHandover":
        case.body = {}


@schemathesis.hook
def after_call(context, case, response):
    """Keeps what a browser would keep."""
    if not is_stateful(case) or response.status_code not in (200, 201):
        return
    operation = case.operation.definition.raw.get("operationId")
    if operation == "join":
        Visitor.ticket = response.json().get("ticket") or Visitor.ticket
    if operation == "enter":
        Visitor.entry_pass = response.json().get("pass")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False for what is no fault, each with its reason."""
    operation = case.operation.definition.raw.get("operationId")
    name = type(failure).__name__
    if name == "ServerError" and response.status_code == 503 and "waiting-room-state" in response.headers:
        # The room's own answer: every place is kept, and it says when to come again.
        return False
    if name == "UseAfterFree" and operation == "state" and response.json()["state"] in OVER:
        # What was given up is told to be over, see OVER.
        return False
    if name == "RejectedPositiveData" and response.json().get("field", "line") in BY_MEANING.get(operation, ()):
        return False
    if name == "UseAfterFree" and operation == "events":
        # The stream tells the public board, with a ticket or without.
        return False
    return True


@schemathesis.check
def a_place_that_was_left_stays_left(ctx, response, case):
    """No ticket of a place that was given up enters, defers or hands over, whatever the rest of the way."""
    if case.operation.definition.raw.get("operationId") not in {"enter", "defer", "offerHandover"}:
        return
    if not 200 <= response.status_code < 300 or not is_stateful(case):
        return
    ticket = response.request.headers.get("Authorization", "").removeprefix("Bearer ")
    state = requests.get(
        f"{QUEUE}/tickets/me", headers={"Authorization": f"Bearer {ticket}"}, timeout=PATIENCE_SECONDS
    ).json()["state"]
    assert state not in OVER, f"taken with a ticket whose place is {state}"


@schemathesis.check
def nothing_is_kept_and_nothing_is_said_that_is_secret(ctx, response, case):
    """C7 for every answer of the room; problems repeat nothing that was sent."""
    control = " ".join(response.headers.get("cache-control", []))
    if "set-cookie" in response.headers or "waiting-room-state" in response.headers:
        assert "no-store" in control, f"Cache-Control: {control}"
    if response.status_code >= 400:
        assert not re.search(r"<script>alert|panicked|RuntimeError|at src/", response.text)
