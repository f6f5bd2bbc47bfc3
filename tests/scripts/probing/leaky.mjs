// A server in front of another one that hands everything on as it comes, except for the one leak that a test gives it.
import http from "node:http";
import https from "node:https";
import { selfSignedCertificate } from "../../../scripts/tls.mjs";

/**
 * `leak.before(request)` may answer by itself: `{ status, headers, body }`; `leak.after(answer, request)` may change an
 * answer in place; `leak.upgrades` accepts every WebSocket. `asked` counts the requests that came.
 */
export async function startLeaky(target, { tls = false } = {}) {
  const front = { leak: {}, asked: 0, target };
  const take = (request, response) => void handOn(front, request, response);
  const server = tls ? https.createServer(await pair(), take) : http.createServer(take);
  server.on("upgrade", (request, socket) => {
    front.asked += 1;
    if (front.leak.upgrades)
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    else passUpgrade(front.target, request, socket);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  front.url = `${tls ? "https" : "http"}://127.0.0.1:${server.address().port}`;
  front.stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return front;
}

async function pair() {
  const { certificate: cert, privateKey: key } = await selfSignedCertificate([]);
  return { cert, key };
}

async function handOn(front, request, response) {
  front.asked += 1;
  const given = await front.leak.before?.(request);
  const answer = given
    ? { status: 200, headers: { "content-type": "text/html" }, body: "", ...given }
    : await real(front, request);
  front.leak.after?.(answer, request);
  const { "transfer-encoding": _1, connection: _2, "content-length": _3, ...headers } = answer.headers;
  response.writeHead(answer.status, headers);
  response.end(request.method === "HEAD" ? undefined : answer.body);
}

function real({ target }, { method, url, headers }) {
  const { hostname, port } = new URL(target);
  const { connection: _, ...kept } = headers;
  return new Promise((resolve) => {
    const options = { method, hostname, port, path: url, headers: kept, agent: false };
    const sent = http.request(options, async (response) => {
      const pieces = [];
      for await (const piece of response) pieces.push(piece);
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) });
    });
    sent.on("error", () => resolve({ status: 502, headers: {}, body: "" }));
    sent.end();
  });
}

/** The answer to a WebSocket that is refused. */
function passUpgrade(target, { url, headers }, socket) {
  const { hostname, port } = new URL(target);
  const sent = http.request({ hostname, port, path: url, headers, agent: false }, (response) => {
    const told = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`HTTP/1.1 ${response.statusCode} No\r\n${told.join("\r\n")}\r\n\r\n`);
    response.resume().on("end", () => socket.end());
  });
  sent.on("upgrade", (_response, upgraded) => {
    upgraded.destroy();
    socket.destroy();
  });
  sent.on("error", () => socket.destroy());
  sent.end();
}
