// An operator with a bearer token.
import assert from "node:assert/strict";
import { operatorToken } from "../../../scripts/setup/keys-tool.mjs";
import { exchange } from "./exchange.mjs";

/** What every pause and stop tells visitors. Far enough ahead for rooms whose clock is moved. */
const OWED = { reason: "A short break", next_update_at_ms: Date.now() + 30 * 24 * 60 * 60_000 };

export class Operator {
  /** `network`: headers that say where the operator sits. */
  constructor(room, { event = room.event, token, network = {} }) {
    this.room = room;
    this.event = event;
    this.token = token;
    this.network = network;
  }

  /** With a token for one event, for several (`"a,b"`), or for all of them (`"*"`). */
  static async of(room, { event = room.event, role = "configure", holdsFor = event, name = "operator" } = {}) {
    const { issuer, secrets } = room;
    const token = await operatorToken({ issuer, events: holdsFor, name, role, secrets });
    return new Operator(room, { event, token });
  }

  get headers() {
    return { ...this.network, ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }) };
  }

  /** One PATCH, whatever comes of it. */
  send(document, headers = {}) {
    return exchange(this.room.url, {
      method: "PATCH",
      path: `/_wr/queues/${this.event}`,
      headers: { "content-type": "application/json", ...this.headers, ...headers },
      body: typeof document === "string" ? document : JSON.stringify(document),
    });
  }

  /** One action, whatever comes of it. A brake that does not say why and when there is more to hear says something. */
  tryTo(action, more = {}) {
    const owed = action === "pause" || action === "stop" ? OWED : {};
    return this.send({ action, ...owed, ...more });
  }

  /** One action that has to be taken; answers the observability document. */
  async act(action, more = {}) {
    const answer = await this.tryTo(action, more);
    assert.equal(answer.status, 200, `${action}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /** One page of the event log: its answer. */
  log(after = 0) {
    return exchange(this.room.url, { path: `/_wr/queues/${this.event}/log?after=${after}`, headers: this.headers });
  }

  /** The whole event log, as it is exported. */
  async exportedLog() {
    let log = "";
    for (let after = 0; after !== undefined; ) {
      const answer = await this.log(after);
      assert.equal(answer.status, 200, answer.text);
      log += answer.text;
      after = answer.headers["waiting-room-log-next"];
    }
    return log;
  }

  /** The same as the objects of its lines. */
  async wholeLog() {
    const lines = (await this.exportedLog()).split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  }

  look() {
    return exchange(this.room.url, { path: `/_wr/queues/${this.event}/observability`, headers: this.headers });
  }

  async observe() {
    const answer = await this.look();
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }
}
