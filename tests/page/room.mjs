// A stand-in for the edge: serves pages that the real template renders, answers the page's API from
// the same view, and writes down what it was asked. The test moves the view.

import { createServer } from "node:http";
import { viewOf } from "./scenes.mjs";

const DEFERRAL_MS = 5 * 60_000;

/** What a hand-over is offered with; the picture is a small square with a script that must not run. */
export const HANDOVER = {
  code: "7K3QM-9XW2T-4H8RB-6YCDE",
  link: "/_wr/queues/world-tour/handover#7K3QM9XW2T4H8RB6YCDE",
  qr:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#fff"/>' +
    '<path d="M1 1h2v2H1zM5 1h2v2H5zM1 5h2v2H1zM4 4h1v1H4zM6 6h1v1H6z"/><script>parent.document.title="broken"</script></svg>',
};

/** The policy that the page is made for; `src/page.rs` has a test that it writes the same. */
export const policyFor = (nonce, ancestors) =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; ` +
  `img-src 'self' data:; form-action 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors ${ancestors}`;

/** A view as the API answers it. */
export function stateOf(view) {
  const { place } = view;
  return {
    event: view.event,
    run: view.run,
    state: view.check && place?.state === "admitted" ? "recheck" : (place?.state ?? "none"),
    line: view.line,
    entry: place?.entry ?? null,
    rank: place?.rank ?? null,
    ahead: place?.rank == null ? null : Math.max(0, place.rank - view.called),
    called: view.called,
    phase: view.phase,
    eta: place?.eta ?? null,
    offer_until_ms: place?.offer_until ?? null,
    may_defer: place?.may_defer ?? false,
    missed_draw: place?.missed_draw ?? false,
    session_ends_at_ms: place?.session_ends_at ?? null,
    board_version: view.board_version,
    board_age_ms: view.board_age,
    poll_ms: view.poll,
    message: view.message,
    pause: view.pause && { reason: view.pause.reason, next_update_at_ms: view.pause.next_update_at },
    stop: view.stop,
    mode: view.mode,
    slowdowns: view.slowdowns,
    opens_at_ms: view.opens_at,
    moved: view.moved && { from_ms: view.moved.from, reason: view.moved.reason },
    draw: view.draw && { beacon: view.draw.beacon, drawn: view.draw.drawn },
    entrants: view.draw?.entrants ?? null,
    stock_left: view.stock_left,
    ...(view.lines.length > 1 && {
      lines: view.lines.map(({ id, phase, opens_at }) => ({ id, phase, opens_at_ms: opens_at })),
    }),
    handover: view.handover,
    now_ms: view.now,
    cookie: !view.cookie_missing,
  };
}

const read = async (request) => {
  let body = "";
  for await (const part of request) body += part;
  return body;
};

/**
 * Starts the stand-in with a scene. `room.view` is what everybody sees, `room.joined` what a
 * join leads to, `room.pass` how a claim is answered, `room.down` refuses everything, `room.away` joins,
 * `room.codes[code]` is the view that a code or an invitation leads to, or "spent"; any other is refused;
 * `room.says` is laid over what the API says of the state,
 * `room.keepsCookies = false` loses them; `room.asked` lists the requests.
 */
export async function startRoom(renderer, scene, more = {}) {
  const room = {
    view: viewOf(scene, more),
    joined: viewOf("waiting"),
    pass: "admitted",
    down: false,
    away: false,
    ancestors: "'none'",
    status: 503,
    keepsCookies: true,
    codes: {},
    places: new Set(),
    permits: 0,
    asked: [],
  };
  const server = createServer((request, response) => {
    answer(room, renderer, request, response).catch((error) => response.destroy(error));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  room.origin = `http://127.0.0.1:${server.address().port}`;
  room.url = `${room.origin}/events/world-tour/?seat=A%201`;
  room.count = (method, end) => room.asked.filter((each) => each.method === method && each.path.endsWith(end)).length;
  room.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return room;
}

async function answer(room, renderer, request, response) {
  const { method } = request;
  const path = request.url.split("?")[0];
  const cookies = request.headers.cookie ?? "";
  const body = await read(request);
  room.asked.push({ method, path, url: request.url, body, at_ms: performance.now() });
  if (room.down) return request.socket.destroy();
  const api = path.startsWith("/_wr/queues/world-tour/") ? path.slice("/_wr/queues/world-tour/".length) : null;
  if (api === null) return serve(room, renderer, request, response, cookies);
  const form = request.headers["content-type"] === "application/x-www-form-urlencoded";
  if (form && api === "tickets/me/handover") {
    return response.writeHead(201, { "content-type": "text/html" }).end("<!doctype html><title>The code</title>");
  }
  const sent = form ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body || "{}");
  const [status, json, set, refused] = act(room, `${method} ${api}`, sent, cookies);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  if (set && room.keepsCookies) headers["set-cookie"] = set;
  const mark = form && refused ? `${sent.return.includes("?") ? "&" : "?"}wr-code=${refused}` : "";
  if (form) response.writeHead(303, { ...headers, location: `${sent.return}${mark}` }).end();
  else response.writeHead(status, headers).end(JSON.stringify(json));
}

/** What the API answers: status, body, cookie. */
function act(room, what, sent, cookies) {
  const placed = cookies.includes("wr-ticket=");
  const lost = room.view.place && !placed && room.ticketed;
  switch (what) {
    case "GET tickets/me":
      if (lost) return [200, { ...stateOf({ ...room.view, place: null }), cookie: false }];
      return [200, { ...stateOf(room.view), ...room.says }];
    case "POST permits":
      room.permits += 1;
      return [201, { permit: `permit-${room.permits}`, challenge: { kind: "none" } }];
    case "POST tickets":
      if (room.away) return [503, { title: "away", permit: "signed anew", retry_after_ms: 300 }];
      return joined(room, sent);
    case "POST tickets/me/defer":
      if (!room.view.place.may_defer) return [409, { type: "urn:anteroom:problem:already-deferred" }];
      room.view.place = {
        ...room.view.place,
        may_defer: false,
        offer_until: room.view.place.offer_until + DEFERRAL_MS,
      };
      return [200, stateOf(room.view)];
    case "POST tickets/me/handover":
      return [201, { ...HANDOVER, expires_at: new Date(room.view.now + 600_000).toISOString() }];
    case "POST tickets/me/pass":
      if (room.pass === "pending") {
        room.view = viewOf("pending");
        return [202, { state: "pending", poll_ms: room.view.poll }];
      }
      return [
        200,
        { state: "admitted", pass: "pass", session_ends_at_ms: room.view.now + 1_200_000, location: null },
        "wr-pass=1; Path=/; HttpOnly",
      ];
    case "DELETE tickets/me":
    case "POST tickets/me/leave":
      room.view = viewOf("left");
      return [200, { state: "left" }, "wr-ticket=; Path=/; Max-Age=0"];
    default:
      return [404, { title: "not here" }];
  }
}

/** How a join is answered, with or without a code. */
function joined(room, sent) {
  const brought = sent.enqueue_token ?? sent.code;
  const leads = brought === undefined ? room.joined : room.codes[brought];
  if (leads === "spent") return [409, { type: "urn:anteroom:problem:code-spent", state: "none" }, null, "spent"];
  if (leads === undefined) {
    const field = brought.split(".").length === 3 ? "enqueue_token" : "code";
    return [422, { type: "urn:anteroom:problem:bad-field", field }, null, `wrong.${brought}`];
  }
  room.places.add(sent.permit);
  room.view = leads;
  room.ticketed = true;
  return [201, { ticket: "ticket", ...stateOf(leads), cookie: undefined }, "wr-ticket=1; Path=/; HttpOnly"];
}

async function serve(room, renderer, request, response, cookies) {
  if (request.url === "/favicon.ico") return response.writeHead(404).end();
  if (request.url === "/frame") {
    const frame = `<!doctype html><title>Another site</title><iframe width="390" height="800" src="${room.url}"></iframe>`;
    return response.writeHead(200, { "content-type": "text/html" }).end(frame);
  }
  if (cookies.includes("wr-pass=1")) {
    return response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>The shop</title><h1>Seats");
  }
  const off = request.url.includes("wr-refresh=off");
  const said = request.url.match(/wr-code=(\w+)\.?([\w-]*)/);
  const refused = said && { why: said[1], typed: said[2] };
  const html = await renderer.render({ ...room.view, refresh_off: off, ...(refused && { refused }) });
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policyFor(room.view.nonce, room.ancestors),
  };
  response.writeHead(room.status, headers).end(html);
}
