// With which secrets the third party behind the widget is asked: those for tests are for this machine only. P13.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freshRootKey } from "../../scripts/setup/keys.mjs";
import { startRoom } from "./harness/room.mjs";
import { DUMMY_SECRETS, DUMMY_TOKEN, SECRET, SITE_KEY, startTurnstile } from "./harness/turnstile.mjs";

const WIDGET = { turnstile_site_key: SITE_KEY, opens_at: "2999-01-01T10:00:00Z" };

let turnstile;
before(async () => {
  turnstile = await startTurnstile();
});
after(() => turnstile?.stop());

const join = (fan, permit, more) => fan.script("POST", `${fan.queue}/tickets`, { permit, ...more });

test("P13 secrets for tests pass, fail and are spent here; a deployment for others does not start with one", async () => {
  const events = [{ id: "dummy", challenge: "turnstile", ...WIDGET, turnstile_site_key: "1x00000000000000000000AA" }];
  const secrets = (TURNSTILE_SECRET) => ({ ROOT_KEY: freshRootKey("e2e"), TURNSTILE_SECRET });
  const vars = { TURNSTILE_SERVICE: turnstile.url };
  const here = await startRoom({ events, vars, secrets: secrets(DUMMY_SECRETS.passes) });
  try {
    const tries = async () => {
      const fan = here.visitor();
      return join(fan, await fan.permit(), { turnstile: DUMMY_TOKEN });
    };
    assert.deepEqual([(await tries()).status, (await tries()).status], [201, 201], "one token for everybody");
    for (const [secret, reason] of [
      [DUMMY_SECRETS.fails, "success"],
      [DUMMY_SECRETS.spent, "timeout-or-duplicate"],
    ]) {
      await here.restartWith({ secrets: secrets(secret) });
      const { status, json } = await tries();
      assert.deepEqual([status, json.reason], [422, reason]);
    }
    const shop = { ...events[0], hosts: ["tickets.example.com"], turnstile_site_key: SITE_KEY };
    for (const dummy of Object.values(DUMMY_SECRETS)) {
      await here.restartWith({ events: [shop], vars: {}, secrets: secrets(dummy) });
      const health = await here.ask("/_wr/health");
      assert.equal(health.status, 503);
      assert.match(health.text, /TURNSTILE_SECRET: is a secret for tests/);
      assert.doesNotMatch(`${health.text}${here.output}`, /[123]x0000/, "it is named and not shown");
    }
    await here.restartWith({ events: [shop], vars, secrets: secrets(SECRET) });
    assert.match((await here.ask("/_wr/health")).text, /TURNSTILE_SERVICE: allowed/, "no stand-in for others");
  } finally {
    await here.stop();
  }
});

test("P13 where others come from the token of widgets for tests is refused, and nobody is asked about it", async () => {
  const event = { id: "shop", challenge: "turnstile", ...WIDGET, hosts: ["tickets.example.com"] };
  const secrets = { ROOT_KEY: freshRootKey("e2e"), TURNSTILE_SECRET: SECRET };
  const shop = await startRoom({ events: [event], asleep: ["shop"], tls: true, secrets });
  try {
    const headers = { host: "tickets.example.com", "content-type": "application/json" };
    const post = (path, document) =>
      shop.ask(`/_wr/queues/shop/${path}`, { method: "POST", headers, body: JSON.stringify(document) });
    const { permit } = (await post("permits", {})).json;
    const refused = await post("tickets", { permit, turnstile: DUMMY_TOKEN });
    assert.deepEqual([refused.status, refused.json.reason], [422, "success"], refused.text);
    const { turnstile: counts } = await (await shop.operator()).observe();
    assert.deepEqual([counts.unanswered, counts.answered_at_ms, counts.silent_at_ms], [0, null, null]);
  } finally {
    await shop.stop();
  }
});
