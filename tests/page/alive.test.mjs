// The page while it lives: it joins, asks, counts down, announces, goes in, and keeps its head when
// the connection or the cookies do not.

import assert from "node:assert/strict";
import { setVisible, until } from "./browser.mjs";
import { viewOf } from "./scenes.mjs";
import { inScene, seconds, stories } from "./stories.mjs";

const PLACE = viewOf("waiting").place;
const story = stories();
const number = async (page) => Number((await page.locator("#number").textContent()).replace(/\D/g, ""));
/** In the page: notes every value that the number shows from now on. */
function watchNumber() {
  window.seen = [];
  const watched = document.getElementById("number");
  new MutationObserver(() => window.seen.push(Number(watched.textContent.replace(/\D/g, "")))).observe(watched, {
    childList: true,
    characterData: true,
    subtree: true,
  });
}

const asks = (room) => room.count("GET", "/tickets/me");

story("the permit in the page is used to join at once", "join", {}, async (room, page) => {
  await page.goto(room.url);
  await inScene(page, "waiting");
  assert.deepEqual([...room.places], ["permit-of-this-page"]);
  assert.equal(room.permits, 0);
  assert.equal(await page.title(), "1,230 ahead · World Tour 2027");
});

story("two tabs loaded together are one place", "join", {}, async (room, first, context) => {
  const second = await context.newPage();
  await context.route("**/tickets", async (route) => {
    await seconds(0.3);
    await route.continue();
  });
  const serve = room.view;
  await first.goto(room.url, { waitUntil: "commit" });
  room.view = { ...serve, permit: "permit-of-the-second" };
  await second.goto(room.url, { waitUntil: "commit" });
  await Promise.all([inScene(first, "waiting"), inScene(second, "waiting")]);
  assert.equal(room.places.size, 1, [...room.places].join());
});

story(
  "the number counts down between true values only, and never rises",
  "waiting",
  { poll: 200 },
  async (room, page) => {
    await page.goto(room.url);
    await page.evaluate(watchNumber);
    const steps = [
      { called: 11_230, board_version: 8 },
      { called: 11_150, board_version: 6 },
      { called: 11_300, board_version: 9 },
    ];
    for (const step of steps) {
      Object.assign(room.view, step);
      await seconds(1.8);
    }
    const seen = await page.evaluate(() => window.seen);
    assert.ok(seen.length > 5, `${seen.length} values`);
    assert.equal(seen.at(-1), 12_430 - 11_300);
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => b - a),
    );
    assert.ok(
      seen.every((value) => value >= 1_130 && value <= 1_230),
      JSON.stringify(seen),
    );
    assert.equal(await page.title(), "1,130 ahead · World Tour 2027");
    assert.equal(await page.locator("#spoken").textContent(), "1,130 people ahead of you");
  },
);

story("a reload does not move the visitor back", "waiting", {}, async (room, page) => {
  await page.goto(room.url);
  assert.equal(await number(page), 1_230);
  Object.assign(room.view, { called: 11_100, board_version: 5 });
  await page.reload();
  assert.equal(await number(page), 1_230);
});

story(
  "without motion the number changes at once",
  "waiting",
  { poll: 200 },
  async (room, page) => {
    await page.goto(room.url);
    await page.evaluate(watchNumber);
    Object.assign(room.view, { called: 11_300, board_version: 8 });
    await until(async () => (await number(page)) === 1_130, "the new number");
    assert.deepEqual(await page.evaluate(() => window.seen), [1_130]);
  },
  { reducedMotion: "reduce" },
);

story(
  "the page asks as often as it is told, hardly while hidden, and at once on return",
  "waiting",
  { poll: 400 },
  async (room, page) => {
    await page.goto(room.url);
    await seconds(2.4);
    const visible = asks(room);
    assert.ok(visible >= 3 && visible <= 8, `${visible} in 2.4 s`);
    await setVisible(page, false);
    await seconds(0.5);
    const before = asks(room);
    await seconds(2.5);
    assert.equal(asks(room), before, "asked while hidden");
    await setVisible(page, true);
    await until(() => asks(room) > before, "asked on return", 1_000);
    await seconds(1.2);
    const shown = asks(room);
    await page.evaluate(() => {
      for (const type of ["online", "online"]) window.dispatchEvent(new Event(type));
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    });
    await seconds(0.25);
    assert.ok(asks(room) - shown <= 2, `${asks(room) - shown} for three events`);
  },
);

story(
  "a called visitor goes in by itself, and back does not lead to the queue",
  "waiting",
  { poll: 200 },
  async (room, page) => {
    await page.goto(`${room.origin}/_wr/elsewhere`);
    await page.goto(room.url);
    await inScene(page, "waiting");
    Object.assign(room.view, viewOf("called", { now: Date.now(), poll: 200, board_version: 8 }));
    await page.waitForFunction(() => document.title === "The shop");
    assert.equal(page.url(), room.url);
    await page.goBack();
    assert.match(page.url(), /elsewhere/);
  },
);

story("hidden at the turn: it is announced, and claimed on return", "waiting", { poll: 200 }, async (room, page) => {
  await page.goto(room.url);
  await setVisible(page, false);
  Object.assign(room.view, viewOf("called", { now: Date.now(), poll: 200, board_version: 8 }));
  await seconds(1.1);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await inScene(page, "called");
  assert.match(await page.title(), /^It’s your turn/);
  assert.match(await page.locator("#at-once").textContent(), /^It’s your turn/);
  await seconds(0.5);
  assert.equal(room.count("POST", "/pass"), 0);
  await setVisible(page, true);
  await page.waitForFunction(() => document.title === "The shop");
  assert.equal(room.count("POST", "/pass"), 1);
});

story("a pending claim is told, and fetched when it is granted", "called", { poll: 200 }, async (room, page) => {
  room.pass = "pending";
  await page.goto(room.url);
  await inScene(page, "pending");
  room.pass = "admitted";
  Object.assign(room.view, viewOf("admitted", { now: Date.now(), poll: 200, board_version: 8 }));
  await page.waitForFunction(() => document.title === "The shop");
});

story("one place works in one browser: the other continues only when asked", "elsewhere", {}, async (room, page) => {
  await page.goto(room.url);
  await seconds(0.5);
  assert.equal(room.count("POST", "/pass"), 0);
  await page.getByRole("button", { name: "Continue here" }).click();
  await page.waitForFunction(() => document.title === "The shop");
});

story(
  "a ticket that does not come back is noticed within one round trip, and makes no second place",
  "join",
  {},
  async (room, page) => {
    room.keepsCookies = false;
    await page.goto(room.url);
    await inScene(page, "cookie");
    const asked = room.asked.length;
    await seconds(1.5);
    assert.equal(room.asked.length, asked, "went on asking");
    assert.equal(room.places.size, 1);
    assert.equal(await page.getByRole("link", { name: "Open in a new tab" }).getAttribute("target"), "_blank");
    assert.match(await page.locator("#reasons li:visible").textContent(), /turned off or blocked/);
  },
);

story("without cookies nothing is joined, and the page says why", "join", {}, async (room, page) => {
  await page.addInitScript(() => {
    Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} });
  });
  await page.goto(room.url);
  await inScene(page, "cookie");
  await seconds(0.5);
  assert.deepEqual(
    room.asked.filter(({ path }) => path.startsWith("/_wr")),
    [],
  );
});

story(
  "offline: the last numbers, their age, and that the place is kept",
  "waiting",
  { poll: 200 },
  async (room, page, context) => {
    await page.goto(room.url);
    await context.setOffline(true);
    await page.locator("#offline").waitFor();
    assert.match(await page.locator("#offline").textContent(), /Your place is kept.*less than a minute old/s);
    assert.equal(await number(page), 1_230);
    Object.assign(room.view, { called: 11_300, board_version: 8 });
    await context.setOffline(false);
    await page.locator("#offline").waitFor({ state: "hidden" });
    await until(async () => (await number(page)) === 1_130, "the new number");
  },
);

story("a server that does not answer is asked later and later", "waiting", { poll: 200 }, async (room, page) => {
  await page.goto(room.url);
  await until(() => asks(room) > 0, "the first question");
  room.down = true;
  await page.locator("#offline").waitFor();
  const before = asks(room);
  await seconds(3);
  assert.ok(asks(room) - before <= 2, `${asks(room) - before} in 3 s`);
  assert.equal(await number(page), 1_230);
});

story("a wait that rises names why", "waiting", { poll: 200 }, async (room, page) => {
  await page.goto(room.url);
  assert.equal(await page.locator("#range").textContent(), "about 12 to 18 minutes");
  const slow = { likely_seconds: 2_400, at_most_seconds: 3_600 };
  Object.assign(room.view, { place: { ...PLACE, eta: slow }, slowdowns: 1, board_version: 8 });
  await page.locator("#cause").waitFor();
  assert.equal(await page.locator("#range").textContent(), "about 40 to 60 minutes");
  assert.match(await page.locator("#cause").textContent(), /fewer people are let in/);
});

story(
  "leaving needs two steps, and gives way to joining again with a new permit",
  "waiting",
  {},
  async (room, page) => {
    await page.goto(room.url);
    Object.assign(room.view, { called: 11_700, board_version: 8 });
    await page.locator("#polite", { hasText: "730 people ahead of you" }).waitFor({ state: "attached" });
    await page.locator("#leave summary").click();
    await page.getByRole("button", { name: "No, stay in line" }).click();
    assert.equal(room.count("DELETE", "/tickets/me"), 0);
    await page.locator("#leave summary").click();
    await page.getByRole("button", { name: "Yes, leave" }).click();
    await inScene(page, "left");
    assert.equal(await page.evaluate(() => document.activeElement.id), "headline");
    assert.equal(await page.locator("#polite").textContent(), "You have left the line", "and no number any more");
    await page.getByRole("button", { name: "Join the line again" }).click();
    await inScene(page, "waiting");
    assert.deepEqual([room.permits, [...room.places]], [1, ["permit-1"]]);
    assert.equal(await page.getByRole("button", { name: "Yes, leave" }).isVisible(), false, "it takes two steps again");
  },
);

story(
  "before the opening the page counts down, and joins when it comes",
  "before",
  {
    get prequeue_at() {
      return Date.now() + 60_000;
    },
  },
  async (room, page) => {
    await page.goto(room.url);
    await page
      .locator("#clock-time")
      .filter({ hasText: /^00:0[01]:\d\d$/ })
      .waitFor();
    Object.assign(room.view, { phase: "prequeue", permit: null });
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await inScene(page, "waiting");
    assert.equal(room.places.size, 1);
  },
);

story(
  "sound, notification and a lit screen come only from their buttons",
  "waiting",
  {},
  async (room, page, context) => {
    await page.addInitScript(() => {
      window.made = 0;
      window.AudioContext = class extends window.AudioContext {
        constructor() {
          super();
          window.made += 1;
        }
      };
    });
    await context.grantPermissions(["notifications"], { origin: room.origin });
    await page.goto(room.url);
    assert.equal(await page.evaluate(() => window.made), 0);
    await page.locator("#sound").click();
    await page.locator("#sound[aria-pressed=true]").waitFor();
    assert.equal(await page.evaluate(() => window.made), 1);
    await page.locator("#notify").click();
    await page.locator("#notify[aria-pressed=true]").waitFor();
  },
);

story("what the browser cannot do is not offered", "waiting", {}, async (room, page) => {
  await page.addInitScript(() => {
    delete window.AudioContext;
    delete window.Notification;
    delete Navigator.prototype.wakeLock;
  });
  await page.goto(room.url);
  await inScene(page, "waiting");
  assert.equal(await page.locator("#extras").isVisible(), false);
});

story(
  "a join that cannot be taken yet is noted and tried again, with the permit signed anew",
  "join",
  {},
  async (room, page) => {
    room.away = true;
    await page.goto(room.url);
    await page.getByText("Your arrival is noted").waitFor();
    assert.equal(await page.locator("#offline").isVisible(), false);
    room.away = false;
    await inScene(page, "waiting");
    assert.deepEqual([...room.places], ["signed anew"]);
  },
);

story("in a frame of another site the page says so, and joins nothing", "join", {}, async (room, page) => {
  room.ancestors = "*";
  await page.goto(`${room.origin.replace("127.0.0.1", "localhost")}/frame`);
  const frame = page.frameLocator("iframe");
  await frame.locator("html[data-scene=cookie]").waitFor();
  assert.match(await frame.locator("#reasons li:visible").textContent(), /inside another website/);
  assert.equal(room.places.size, 0);
  const [opened] = await Promise.all([
    page.waitForEvent("popup"),
    frame.getByRole("link", { name: "Open in a new tab" }).click(),
  ]);
  await inScene(opened, "waiting");
  assert.equal(room.places.size, 1);
});
