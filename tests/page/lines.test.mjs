// More than one line: a choice, a code, an invitation in the address; with and without script.

import assert from "node:assert/strict";
import { viewOf } from "./scenes.mjs";
import { inScene, joins, SCRIPTLESS, seconds, stories } from "./stories.mjs";

const story = stories();
const CODE = "AB12C-3D45E-6F78G-9H01J";
const INVITATION = "eyJh.eyJi.c2ln";
const { lines } = viewOf("coded_wrong");
const fanPlace = () => viewOf("own_line", { now: Date.now(), poll: 300, called: 11_500, board_version: 20 });
const open = (page) => page.getByText("I have a code or an invitation").click();
const refusal = (page) => page.locator("#code-refused").textContent();

story("who may choose is not put into a line, and joins the one that was chosen", "lines", {}, async (room, page) => {
  await page.goto(room.url);
  await inScene(page, "join");
  await seconds(1);
  assert.equal(room.places.size, 0);
  await page.getByLabel("Saturday, 6 March").check();
  await page.getByRole("button", { name: "Join the line" }).click();
  await inScene(page, "waiting");
  assert.equal(joins(room)[0].line, "saturday");
});

story(
  "without script the form sends the line that was chosen",
  "lines",
  {},
  async (room, page) => {
    await page.goto(room.url);
    await page.getByLabel("Saturday, 6 March").check();
    await page.getByRole("button", { name: "Join the line" }).click();
    await inScene(page, "waiting");
    assert.deepEqual([joins(room)[0].line, joins(room)[0].permit], ["saturday", "permit-of-this-page"]);
  },
  SCRIPTLESS,
);

story(
  "who has only one line to join is in it at once, and may still bring a code",
  "join",
  { lines, line: "general" },
  async (room, page) => {
    room.codes[CODE] = fanPlace();
    await page.goto(room.url);
    await inScene(page, "waiting");
    await open(page);
    assert.match(await page.locator("#code").textContent(), /You keep your place until the new one is there/);
    await page.locator("#typed").fill(CODE);
    await page.getByRole("button", { name: "Join with it" }).click();
    await page.getByText("Your line: ⁨Fan club⁩").waitFor();
    await page.getByText("930", { exact: true }).waitFor();
    assert.equal(await page.locator("#coded").isVisible(), false);
    assert.deepEqual(
      joins(room).map(({ code }) => code),
      [undefined, CODE],
    );
  },
);

story(
  "a wrong code is said to be wrong, stays in its field, and costs no place",
  "coded_wrong",
  { refused: null },
  async (room, page) => {
    await page.goto(room.url);
    await open(page);
    await page.locator("#typed").fill("ab12c 3d45e");
    await page.getByRole("button", { name: "Join with it" }).click();
    await page.getByText("This code is not valid here").waitFor();
    assert.equal(await page.locator("#typed").inputValue(), "ab12c 3d45e");
    assert.equal(await page.locator("#typed").getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator("#number").textContent(), "1,230");
    room.codes[CODE] = "spent";
    await page.locator("#typed").fill(CODE);
    await page.getByRole("button", { name: "Join with it" }).click();
    await page.getByText("already been used as often").waitFor();
    await seconds(1);
    assert.match(await refusal(page), /already been used/, "the next answer does not take it away");
    await inScene(page, "waiting");
  },
);

story(
  "without script a wrong code comes back into its field with the reason",
  "coded_only",
  {},
  async (room, page) => {
    await page.goto(room.url);
    await page.locator("#typed").fill("AB12C-3D45E");
    await page.getByRole("button", { name: "Join with it" }).click();
    await page.waitForURL(/wr-code=/);
    assert.match(await refusal(page), /This code is not valid here/);
    assert.equal(await page.locator("#typed").inputValue(), "AB12C-3D45E");
    room.codes[CODE] = fanPlace();
    await page.locator("#typed").fill(CODE);
    await page.getByRole("button", { name: "Join with it" }).click();
    await inScene(page, "waiting");
    assert.equal(page.url(), room.url, "the address is clean again");
  },
  SCRIPTLESS,
);

for (const [what, fragment, field, value] of [
  ["an invitation", `#invitation=${INVITATION}`, "enqueue_token", INVITATION],
  ["a code", `#code=${CODE}`, "code", CODE],
]) {
  story(
    `${what} in the address joins its line, and is gone from the address`,
    "join",
    { lines, line: "general" },
    async (room, page) => {
      room.codes[value] = fanPlace();
      await page.addInitScript(() => {
        window.cleaned = new Promise((done) => {
          const replace = history.replaceState.bind(history);
          history.replaceState = (...given) => {
            replace(...given);
            done(performance.now());
          };
        });
      });
      await page.goto(room.url + fragment);
      await page.getByText("Your line: ⁨Fan club⁩").waitFor();
      assert.equal(page.url(), room.url);
      assert.equal(joins(room).length, 1);
      assert.equal(joins(room)[0][field], value);
      const carriers = room.asked.filter(({ url, body }) => url.includes(value) || body.includes(value));
      assert.deepEqual(
        carriers.map(({ path }) => path),
        ["/_wr/queues/world-tour/tickets"],
      );
    },
  );
}

story(
  "an invitation for later waits with the page, also through a reload",
  "coded_only",
  { phase: "before" },
  async (room, page) => {
    room.codes[INVITATION] = fanPlace();
    room.view.lines = room.view.lines.map((line) => ({ ...line, phase: "before" }));
    await page.goto(`${room.url}#invitation=${INVITATION}`);
    await inScene(page, "before");
    await page.reload();
    await inScene(page, "before");
    assert.equal(room.places.size, 0);
    Object.assign(room.view, { phase: "prequeue", board_version: 9 });
    await inScene(page, "waiting");
    assert.equal(joins(room)[0].enqueue_token, INVITATION);
  },
);

story(
  "an invitation that is refused says so, and the line for everyone is joined all the same",
  "join",
  { lines, line: "general" },
  async (room, page) => {
    await page.goto(`${room.url}#invitation=${INVITATION}`);
    await inScene(page, "waiting");
    assert.match(await refusal(page), /This invitation is not valid/);
    assert.equal(await page.locator("#typed").inputValue(), "");
    assert.deepEqual(
      joins(room).map((sent) => sent.enqueue_token ?? sent.line),
      [INVITATION, "general"],
    );
  },
);

story(
  "after a lapse the same code joins the same line again",
  "join",
  { lines, line: "general" },
  async (room, page) => {
    room.codes[CODE] = fanPlace();
    await page.goto(`${room.url}#code=${CODE}`);
    await inScene(page, "waiting");
    Object.assign(room.view, viewOf("lapsed_line", { now: Date.now(), poll: 300, board_version: 21 }));
    await inScene(page, "lapsed");
    room.codes[CODE] = { ...fanPlace(), board_version: 22 };
    await page.getByRole("button", { name: "Join the line again" }).click();
    await inScene(page, "waiting");
    assert.deepEqual(
      joins(room).map(({ code }) => code),
      [CODE, CODE],
    );
  },
);
