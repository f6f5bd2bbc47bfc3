// A shop of another maker with the strip on its pages, under a policy as strict as can be; and what the room answers.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { transformSync } from "esbuild";

const read = (name) => readFileSync(new URL(`../../static/${name}`, import.meta.url), "utf8");

/** The colours as src/routes/embed.rs writes them for a shadow tree. */
const colours = () =>
  read("colours.css")
    .split("*/")
    .slice(1)
    .join("*/")
    .split("\n")
    .map((line) => line.trim())
    .join("")
    .replaceAll(":root", ":host")
    .replace(/\[data-tone="\w+"\]/g, ":host($&)");

/** What build.rs makes of the strip. */
const { code: made } = transformSync(
  `strip=(FRONTS,COLOURS)=>{"use strict";\n${read("js/poll.js")}${read("embed.js")}}`,
  { minify: true, charset: "utf8", legalComments: "none", target: "es2020" },
);

/** The script for a host with one event. */
export const stripScript = (front = { front: "/events/world-tour/", day: null, night: null }) =>
  `{let strip;${made}strip(${JSON.stringify({ "world-tour": front })},${JSON.stringify(colours())})}\n`;

/** Neither inline script nor inline style nor markup from text, and nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The room's clock in every answer. */
export const NOW_MS = Date.UTC(2027, 2, 1, 12);

const NOW_STATE = {
  event: "world-tour",
  run: 3,
  state: "waiting",
  line: "general",
  entry: 1_400,
  rank: 1_400,
  ahead: 1_230,
  called: 170,
  phase: "open",
  eta: { likely_seconds: 290, at_most_seconds: 470 },
  opens_at_ms: null,
  now_ms: NOW_MS,
  stop: false,
  board_version: 7,
  poll_ms: 500,
  cookie: true,
};

/** A visitor's state, with `more` over it. */
export const standing = (more = {}) => ({ ...NOW_STATE, ...more });

/** What the queue page of this browser remembers of the place: that it was here at all is what lets the strip ask. */
export const MEMORY = { rank: 1_400, start: 1_400, ahead: 1_230, called: 170, back: "/events/world-tour/seats?row=4" };

/**
 * Starts the shop. `shop.me` is the visitor's state, `shop.lang` the page's language, `shop.attributes` stand on the
 * script, `shop.front` is what the script knows of the event; `shop.asked` lists the questions for the state.
 */
export async function startShop() {
  const shop = { me: standing(), lang: "en", attributes: "", front: undefined, asked: [], status: 200 };
  const server = createServer((request, response) => {
    const { url } = request;
    const send = (type, body, headers = {}) => response.writeHead(200, { "content-type": type, ...headers }).end(body);
    if (url === "/_wr/embed.js") return send("text/javascript", stripScript(shop.front));
    if (url === "/shop.css") return send("text/css", read("../tests/extras/shop.css"));
    if (url.endsWith("/tickets/me")) {
      shop.asked.push(performance.now());
      response.writeHead(shop.status, { "content-type": "application/json", "cache-control": "no-store" });
      return response.end(JSON.stringify(shop.me));
    }
    return send("text/html; charset=utf-8", pageOf(shop), { "content-security-policy": POLICY });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  shop.origin = `http://127.0.0.1:${server.address().port}`;
  shop.url = `${shop.origin}/merchandise`;
  shop.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return shop;
}

const pageOf = ({ lang, attributes }) => `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Merchandise</title><link rel="icon" href="/favicon.ico"><link rel="stylesheet" href="/shop.css">
<script src="/_wr/embed.js" data-event="world-tour" ${attributes} async></script></head>
<body><h1>Merchandise</h1>${"<p>A shirt, a poster, a mug.</p>".repeat(40)}<p id="last"><a href="/imprint">Imprint</a></p></body></html>`;
