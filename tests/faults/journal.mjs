// What was done to the room and what reached the shop, as lines of JSON beside those that the crowd writes. Their form is
// in tests/load/src/lines.rs, which reads them.
import { appendFileSync } from "node:fs";
import { opened } from "../e2e/harness/forge.mjs";

const now_us = () => Date.now() * 1_000;

export class Journal {
  #file;

  constructor(file) {
    this.#file = file;
  }

  #put(line) {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  /** Does something to the room; it is over when `work` is, and the room answers again. */
  async fault(what, work) {
    const from_us = now_us();
    const result = await work();
    this.#put({ saw: "fault", what, from_us, until_us: now_us() });
    return result;
  }

  /** An act of an operator that the room has to take; `work` resolves when it is acknowledged. */
  async operator(did, work) {
    const sent_us = now_us();
    await work();
    this.#put({ saw: "operator", did, sent_us, acknowledged_us: now_us() });
  }

  /** A request that reached the shop. */
  shop({ headers }) {
    this.#put({ saw: "shop", at_us: now_us(), pass_expires_us: expiryOf(headers["waiting-room-pass"]) });
  }
}

/** When a pass expires; null: it is none. */
function expiryOf(pass) {
  try {
    const { header, claims } = opened(pass);
    return header.typ === "wr-pass+jwt" && Number.isInteger(claims.exp) ? claims.exp * 1_000_000 : null;
  } catch {
    return null;
  }
}
