// A visitor of the measured crowd: a browser with the page's script in it, and what the page would do with what it hears.
import { Browser } from "./browser.mjs";
import { pageOf } from "./page.mjs";

/** Claims that are pending are made again as often as the room says, but not for ever. */
const MOST_CLAIMS = 60;

/**
 * What the crowd's pages have asked, and why: `planned` as the page's clock says, `turn` since a word or the last answer says
 * that it is the visitor's, `owed` for what a word does not tell, `after` while the turn stands and nobody has gone in yet;
 * and how often they claimed.
 */
export const freshAsks = () => ({ planned: 0, turn: 0, owed: 0, after: 0, claims: 0 });

export class Fan {
  page = null;
  isIn = false;
  #crowd;
  #solution;
  #skew_ms = 0;
  #pushes = false;
  #distance = null;
  #asked_ms = null;

  /** The visitor of this number; `crowd`: `{ room, event, solve, asks, polled, entered, failed }`. */
  constructor(crowd, number) {
    this.#crowd = crowd;
    // A network for benchmarks: <https://www.rfc-editor.org/rfc/rfc2544#appendix-C.2.2>.
    this.browser = new Browser(crowd.room, crowd.event, `198.18.${number >> 8}.${number & 0xff}`);
  }

  async opens() {
    this.given = await this.browser.open();
  }

  /** Does the work that the permit asks for. */
  async works() {
    this.#solution = await this.#crowd.solve(this.given.permit);
  }

  async joins() {
    const { permit } = this.given;
    const document = { permit, solution: this.#solution };
    const answer = await this.browser.script("POST", `${this.browser.queue}/tickets`, document);
    this.entry = answer.entry;
    this.rank = answer.rank ?? answer.entry;
    this.page = pageOf({
      room: this.given,
      me: { ...this.given.me, ...answer },
      timer: (ms, run) => {
        const id = setTimeout(run, ms);
        return () => clearTimeout(id);
      },
      now: () => performance.now() + this.#skew_ms,
      pushes: () => this.#pushes,
      way: (word, over) => this.browser.listen(word, over),
      ask: (me, isOwed) => this.#asks(me, isOwed),
      claim: () => this.#claims(),
      entered: () => this.#isLetIn(),
    });
    return answer;
  }

  /** Looks how it stands. */
  async looks() {
    this.page.hear(await this.browser.ask());
  }

  /** From now on the page asks and listens by itself. */
  lives(pushes) {
    this.#pushes = pushes;
    this.page.start();
    this.page.replan();
  }

  /** The page has waited for a while already: its last question was asked so long ago. */
  hasWaited(ms) {
    this.#skew_ms += ms;
    this.page.replan();
  }

  listens(pushes) {
    this.#pushes = pushes;
    this.page.replan();
  }

  async #asks(me, isOwed) {
    const { asks, polled } = this.#crowd;
    const isTurn = me.state === "waiting" && me.rank != null && me.rank < me.called;
    if (me.state !== "waiting") asks.after += 1;
    else if (isTurn) asks.turn += 1;
    else asks[isOwed ? "owed" : "planned"] += 1;
    const answer = await this.browser.ask();
    const now = performance.now();
    // One interval of asking, at the distance from the turn at which it began.
    if (!this.#pushes && this.#asked_ms !== null && this.#distance !== null && me.state === "waiting") {
      polled(this.#distance, now - this.#asked_ms);
    }
    this.#asked_ms = this.#pushes ? null : now;
    this.#distance = answer.state === "waiting" ? (answer.eta?.likely_seconds ?? null) : null;
    return answer;
  }

  async #claims() {
    this.#crowd.asks.claims += 1;
    return this.browser.claim();
  }

  #isLetIn() {
    if (!this.isIn) this.#crowd.entered(this);
    this.isIn = true;
  }

  /** Goes in without the page, as soon as the room lets it. */
  async enters() {
    for (let tries = 0; tries < MOST_CLAIMS && !this.isIn; tries += 1) {
      const { status, poll_ms } = await this.#claims();
      if (status === 200) return this.#isLetIn();
      await new Promise((resolve) => setTimeout(resolve, poll_ms ?? 1_000));
    }
    if (!this.isIn) throw new Error(`a claim of entry ${this.entry} stays pending`);
  }

  stops() {
    this.page?.stop();
  }
}
