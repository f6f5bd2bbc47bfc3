// The shop fails in every way that a network and a server know, one after the other.
import { pause } from "../../e2e/harness/exchange.mjs";

const html = (status, body) => ({ status, headers: { "content-type": "text/html" }, body });
const garbage = () => ({ headers: { "content-type": "application/octet-stream" }, body: Buffer.alloc(3_000, 0xfe) });

/** `[what, the wire, what the shop answers]`; the shop is down where there is neither. */
const WAYS = [
  ["down"],
  ["delayed", { delay_ms: 1_500 }],
  ["cut", { cutAfter: 90 }],
  ["garbled", { garbleEvery: 97 }],
  ["5xx", {}, () => html(503, "<h1>Backend fetch failed</h1>")],
  ["garbage", {}, garbage],
  ["slow", {}, () => pause(4_000)],
];

export const title = "a shop that is down, slow, failing or garbled, behind a wire that delays and breaks";

export const seconds = ({ lastsSeconds, betweenSeconds }) =>
  WAYS.length * (lastsSeconds + betweenSeconds) + betweenSeconds;

export async function goesWrong({ shop, proxy, journal }, { lastsSeconds, betweenSeconds }) {
  const well = shop.answer;
  for (const [what, wire, answer] of WAYS) {
    await pause(betweenSeconds * 1_000);
    await journal.fault(what, async () => {
      if (wire === undefined) await shop.stop();
      proxy.wire = wire ?? {};
      if (answer) shop.answer = (request) => well(request) ?? answer();
      await pause(lastsSeconds * 1_000);
      shop.answer = well;
      proxy.wire = {};
      proxy.hangUp();
      if (wire === undefined) await shop.start();
    });
  }
}
