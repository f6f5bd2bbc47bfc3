// A stand-in for the edge: serves the small pages that the real templates render, under the real policy, and answers
// the addresses that their scripts ask from what the test sets.
import { createServer } from "node:http";
import { after, before } from "node:test";
import { policyFor } from "../page/room.mjs";
import { viewOf } from "../page/scenes.mjs";
import { atStage } from "../page/stories.mjs";

const { face, nonce } = viewOf("join");

/** The renderer and a browser (see stories.mjs) and a desk for the tests of one file, from the first to the last. */
export function atDesk() {
  const at = atStage("render_sheet");
  before(async () => {
    at.desk = await startDesk(at.renderer);
  });
  after(() => at.desk?.stop());
  return at;
}

const plain = {
  event: "world-tour",
  title: "World Tour 2027",
  prefix: "/_wr",
  origin: "https://tickets.example.com",
  front: "/events/world-tour/",
  nonce,
  refused: null,
  language: "English",
  look: face,
};

/** A code as the edge hands it to the page; the picture is as large as that of a real link. */
const OFFERED = {
  code: "7K3QM-9XW2T-4H8RB-6YCDE",
  link: "https://tickets.example.com/_wr/queues/world-tour/handover#7K3QM9XW2T4H8RB6YCDE",
  picture:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 49 49" shape-rendering="crispEdges">' +
    '<path fill="#fff" d="M0 0h49v49H0z"/><path d="M4 4h7v7H4zM38 4h7v7H38zM4 38h7v7H4zM20 20h3v3H20z"/></svg>',
  until: { iso: "2027-03-01T09:10:00Z", text: "10:10 UTC+1" },
};

/** What the renderer is asked for: a page by its name, `view` over what is plain, `kind` of problem instead of a code. */
export function askedFor(name, { view = {}, document, kind } = {}) {
  const asked = { view: { ...plain, ...view } };
  if (name === "handover") asked.browser = "AAAAAAAAAAAAAAAAAAAAAA";
  if (name === "offer" && kind) asked.kind = kind;
  else if (name === "offer") asked.offered = OFFERED;
  if (name === "draw") asked.document = document;
  return asked;
}

/**
 * Starts the stand-in. `desk.document` and `desk.me` are what the page of the draw asks for, `desk.answers` maps
 * "POST /path" to `[status, body]`, `desk.view` is laid over every page's view; `desk.asked` lists the requests.
 */
async function startDesk(pages) {
  const desk = { document: null, me: null, answers: {}, view: {}, asked: [] };
  const server = createServer((request, response) => {
    answer(desk, pages, request, response).catch((error) => response.destroy(error));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  desk.origin = `http://127.0.0.1:${server.address().port}`;
  desk.url = (name) => `${desk.origin}/_wr/queues/world-tour/${name}`;
  desk.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return desk;
}

async function answer(desk, pages, request, response) {
  let body = "";
  for await (const part of request) body += part;
  const { method, url, headers } = request;
  desk.asked.push({ method, url, headers, body });
  const json = (status, document) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
  const prepared = desk.answers[`${method} ${url}`];
  if (prepared) return json(...prepared);
  const wantsPage = headers["sec-fetch-mode"] === "navigate";
  if (url === "/_wr/queues/world-tour/draw" && !wantsPage) return json(200, desk.document);
  if (url === "/_wr/queues/world-tour/tickets/me") return json(200, desk.me);
  const name = url.match(/^\/_wr\/queues\/world-tour\/(draw|handover|offer|staff)$/)?.[1];
  if (!name || method !== "GET") {
    return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>The shop</title>");
  }
  const html = await pages.render(askedFor(name, desk));
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyFor(nonce, "'none'"),
      "referrer-policy": "same-origin",
    })
    .end(html);
}
