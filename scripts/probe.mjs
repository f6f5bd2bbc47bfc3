// Does something answer HTTP at this address yet?
import http from "node:http";
import https from "node:https";

const INTERVAL_MS = 50;
const ONE_TRY_MS = 5_000;

/** One request; any status counts. Certificates are not checked: it is our own server on loopback. */
function answersOnce(url) {
  return new Promise((resolve) => {
    const { get } = url.startsWith("https:") ? https : http;
    const request = get(url, { rejectUnauthorized: false, agent: false, timeout: ONE_TRY_MS }, (response) => {
      response.resume();
      resolve(true);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

/** Resolves when the address answers; rejects when it does not within `patienceMs`, or when its `child` ends first. */
export async function answers(url, patienceMs, child) {
  const until = Date.now() + patienceMs;
  let ending = null;
  child?.hasEnded.then(({ code, signal, error }) => {
    ending = error?.message ?? signal ?? `code ${code}`;
  });
  while (!(await answersOnce(url))) {
    if (ending !== null) throw new Error(`${url} will not answer: its process has ended (${ending})`);
    if (Date.now() > until) throw new Error(`${url} does not answer after ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
