// Does a server of ours answer HTTP at this address yet?
import http from "node:http";
import https from "node:https";

const INTERVAL_MS = 50;
const ONE_TRY_MS = 5_000;
/** What is asked answers shortly; a stranger's endless answer is not read on. */
const MAX_BODY_BYTES = 64 * 1024;

/** Where the Worker says how it is, unless its configuration moves it (variable PREFIX). */
export const DEFAULT_PREFIX = "/_wr";

/** One request: `{ status, body }`, or null. Certificates are not checked: it is our own server on loopback. */
function askOnce(url) {
  return new Promise((resolve) => {
    const { get } = url.startsWith("https:") ? https : http;
    const request = get(url, { rejectUnauthorized: false, agent: false, timeout: ONE_TRY_MS }, async (response) => {
      let body = "";
      response.setEncoding("utf8");
      try {
        for await (const text of response) {
          body += text;
          if (body.length > MAX_BODY_BYTES) break;
        }
        resolve({ status: response.statusCode, body });
      } catch {
        resolve(null);
      }
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
  });
}

/**
 * Resolves with the first answer that `accepts` takes (any, by default) from one of the addresses; rejects when there is
 * none within `patienceMs`, and at once when their `child` ends.
 */
export async function answers(urls, patienceMs, { child, accepts = () => true } = {}) {
  const until = Date.now() + patienceMs;
  let ending = null;
  const hasEnded = child?.hasEnded.then(({ code, signal, error }) => {
    ending = error?.message ?? signal ?? `code ${code}`;
  });
  const orEnd = (work) => Promise.race([work, ...(hasEnded ? [hasEnded] : [])]);
  for (;;) {
    const given = (await orEnd(Promise.all(urls.map(askOnce)))) ?? [];
    if (ending !== null) throw new Error(`${urls[0]} will not answer: its process has ended (${ending})`);
    const answer = given.find((each) => each && accepts(each));
    if (answer) return answer;
    if (Date.now() > until) {
      const strange = given.find(Boolean);
      const instead = strange ? `; what answers there, with status ${strange.status}, is not the Worker` : "";
      throw new Error(`${urls[0]} does not answer after ${patienceMs / 1000} s${instead}`);
    }
    await orEnd(new Promise((resolve) => setTimeout(resolve, INTERVAL_MS)));
  }
}

/** What the Worker's health address says, `{ ok, problems }`; null when it is not the Worker that answers. */
export function healthIn({ body }) {
  try {
    const health = JSON.parse(body);
    return typeof health?.ok === "boolean" ? health : null;
  } catch {
    return null;
  }
}

/** What is said of a refused configuration. */
export const refusedText = (problems) =>
  `The Worker refuses the configuration, and nothing is served:\n${problems.join("\n")}`;

/** Waits until the Worker answers at `url`, whether or not it is content; resolves with what is wrong, a line each. */
export async function workerAnswers(url, prefix, patienceMs, child) {
  // A Worker that refuses its configuration knows no prefix of its own and answers under the usual one.
  const prefixes = [...new Set([prefix, DEFAULT_PREFIX])].filter((each) => String(each).startsWith("/"));
  const addresses = prefixes.map((each) => `${url}${each}/health`);
  const accepts = (answer) => healthIn(answer) !== null;
  const { ok, problems } = healthIn(await answers(addresses, patienceMs, { child, accepts }));
  return ok ? [] : (problems ?? []);
}
