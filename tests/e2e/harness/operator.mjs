// An operator with a bearer token.
import assert from "node:assert/strict";
import { operatorToken } from "../../../scripts/setup/keys-tool.mjs";
import { exchange } from "./exchange.mjs";

export class Operator {
  constructor(room, { event = room.event, token }) {
    this.room = room;
    this.event = event;
    this.token = token;
  }

  /** With a token for one event, or for all of them (`"*"`). */
  static async of(room, { event = room.event, scope = "write", holdsFor = event, name = "operator" } = {}) {
    const { issuer, secrets } = room;
    const token = await operatorToken({ issuer, event: holdsFor, name, scope, secrets });
    return new Operator(room, { event, token });
  }

  get headers() {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
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

  /** One action that has to be taken; answers the observability document. */
  async act(action, more = {}) {
    const answer = await this.send({ action, ...more });
    assert.equal(answer.status, 200, `${action}: ${answer.status} ${answer.text}`);
    return answer.json;
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
