// A visitor with a browser: a jar of cookies that obeys their attributes, navigations and script requests with the
// headers that browsers send, and the steps of the queue page.
import assert from "node:assert/strict";
import { exchange, ourCookie, until } from "./exchange.mjs";

const PAGE_DATA = /<script type="application\/json" id="room">(.*?)<\/script>/s;

const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "accept-language": "en",
  "accept-encoding": "identity",
};

/** From these states no claim leads into the shop. */
const OVER = ["ended", "lapsed", "left", "none"];

/** Navigations of another site's page to ours. */
export const FROM_ANOTHER_SITE = { site: "cross-site", origin: "https://bank.example" };

export class Visitor {
  /** Cookies by name: `{ value, sameSite }`. */
  jar = new Map();
  /** What the last queue page told its script. */
  page = null;

  /** `cookies: false`: a browser that keeps none. `headers` go with every request. */
  constructor(room, { event = room.event, cookies = true, headers = {} } = {}) {
    this.room = room;
    this.event = event;
    this.keepsCookies = cookies;
    this.headers = headers;
    this.path = room.pathOf(event);
  }

  get queue() {
    return `/_wr/queues/${this.event}`;
  }

  /** The value of one of our cookies, or undefined. */
  cookie(kind) {
    const found = [...this.jar].find(([name]) => {
      const ours = ourCookie(name);
      return ours?.kind === kind && ours.event === this.event;
    });
    return found?.[1].value;
  }

  /** Takes one of our cookies away. */
  drop(kind) {
    for (const name of this.jar.keys()) if (ourCookie(name)?.kind === kind) this.jar.delete(name);
  }

  /** A second browser with copies of these cookies. */
  copied(kinds) {
    const other = new Visitor(this.room, { event: this.event });
    for (const [name, cookie] of this.jar) if (kinds.includes(ourCookie(name)?.kind)) other.jar.set(name, cookie);
    return other;
  }

  async send({ method = "GET", path, headers = {}, body, site = "same-origin" }) {
    const isTopLevelGet = method === "GET" && headers["sec-fetch-mode"] === "navigate";
    const sent = [...this.jar].filter(
      ([, { sameSite }]) => site !== "cross-site" || sameSite === "None" || (sameSite === "Lax" && isTopLevelGet),
    );
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join("; ");
    const answer = await exchange(this.room.url, {
      method,
      path,
      headers: { ...BROWSER, ...this.headers, ...headers, "sec-fetch-site": site, ...(cookie && { cookie }) },
      body,
    });
    if (this.keepsCookies) for (const each of answer.cookies) this.#keep(each);
    return answer;
  }

  #keep({ name, value, attributes }) {
    if (Number(attributes["max-age"] ?? 1) <= 0) this.jar.delete(name);
    else this.jar.set(name, { value, sameSite: attributes.samesite ?? "Lax" });
  }

  /** Goes to an address as a person does: the bar, a link, a form. */
  async visit(path = this.path, { method = "GET", site = "none", origin, form, headers = {} } = {}) {
    const body = form && new URLSearchParams(form).toString();
    const answer = await this.send({
      method,
      path,
      site,
      body,
      headers: {
        accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        "sec-fetch-user": "?1",
        "upgrade-insecure-requests": "1",
        ...(form && { "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(body) }),
        ...(method !== "GET" && { origin: origin ?? this.room.url }),
        ...headers,
      },
    });
    const data = answer.text.match(PAGE_DATA);
    if (data) this.page = JSON.parse(data[1]);
    return answer;
  }

  /** What a page's script sends. */
  script(method, path, document, headers = {}) {
    const body = document === undefined ? undefined : JSON.stringify(document);
    return this.send({
      method,
      path,
      body,
      headers: {
        accept: "application/json",
        "sec-fetch-mode": "cors",
        "sec-fetch-dest": "empty",
        ...(method !== "GET" && { origin: this.room.url }),
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
    });
  }

  /** The permit of the page last seen, or one that is asked for. */
  async permit() {
    if (this.page?.permit) return this.page.permit;
    const answer = await this.script("POST", `${this.queue}/permits`);
    assert.equal(answer.status, 201, answer.text);
    return answer.json.permit;
  }

  /** Joins, and answers the state. */
  async join(more = {}) {
    const answer = await this.tryToJoin(more);
    assert.ok([200, 201].includes(answer.status), `join: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /** `more`: a line, a code, an invitation. Whatever comes of it. */
  async tryToJoin(more = {}) {
    return this.script("POST", `${this.queue}/tickets`, { permit: await this.permit(), ...more });
  }

  /** The offer stands longer; whatever comes of it. */
  defer() {
    return this.script("POST", `${this.queue}/tickets/me/defer`, {});
  }

  /** A code for another browser; whatever comes of it. */
  offer() {
    return this.script("POST", `${this.queue}/tickets/me/handover`, {});
  }

  /** Takes a place over with a code, as the browser of this id; whatever comes of it. */
  takeOver(code, id, headers = {}) {
    return this.script("POST", `${this.queue}/handover`, { code, id }, headers);
  }

  /** `GET …/tickets/me`. */
  async ask() {
    const answer = await this.script("GET", `${this.queue}/tickets/me`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  claim() {
    return this.script("POST", `${this.queue}/tickets/me/pass`, {});
  }

  leave() {
    return this.script("DELETE", `${this.queue}/tickets/me`);
  }

  release() {
    return this.script("DELETE", `${this.queue}/tickets/me/pass`);
  }

  /** Waits for a state. */
  reaches(state, options = {}) {
    return until(
      () => this.ask(),
      (me) => me.state === state,
      { what: `the state ${state}`, ...options },
    );
  }

  /** Waits for the entry number. */
  reachesNumber(options = {}) {
    return until(
      () => this.ask(),
      (me) => Number.isInteger(me.entry),
      { what: "an entry number", ...options },
    );
  }

  /** Waits for the turn and enters; what the edge still holds for closed is asked again. */
  async enter(options = {}) {
    await until(
      () => this.ask(),
      (me) => ["called", "admitted"].includes(me.state),
      { what: "the turn", ...options },
    );
    const isDecided = ({ status, json }) => ![202, 409].includes(status) || OVER.includes(json.state);
    const answer = await until(() => this.claim(), isDecided, { what: "the pass", ...options });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  /** A first visit that is let in in one step; bringing its pass back confirms it. */
  async walksIn() {
    const isIn = ({ status }) => status === 200;
    await until(() => this.visit(), isIn, { what: "a first visit" });
    assert.equal((await this.visit()).status, 200);
    return this;
  }

  /** The whole way: page, join, turn, pass. */
  async admitted(options) {
    await this.visit();
    await this.join();
    return this.enter(options);
  }

  /** A request for the shop that a script of its page makes. */
  shop(path = `${this.path}seats`, { method = "GET", document, headers } = {}) {
    return this.script(method, path, document, headers);
  }
}
