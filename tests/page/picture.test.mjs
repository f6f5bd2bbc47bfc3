// The picture in the README: three phones with the page as it is. UPDATE_PICTURE=1 takes it anew; otherwise it is only
// taken where there is none, so that a test run changes nothing.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { startRoom } from "./room.mjs";
import { atStage } from "./stories.mjs";

const PICTURE = new URL("../../docs/queue-page.png", import.meta.url);
const MOST_BYTES = 200_000;
const PHONE = { width: 390, height: 844 };

const at = atStage();

/** One phone: a scene, and what is different there. */
async function phone(scene, more = {}, options = {}) {
  const room = await startRoom(at.renderer, scene, more);
  const context = await at.browser.newContext({
    viewport: PHONE,
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  await page.route("**/pass", () => {});
  await page.addInitScript(() =>
    localStorage.setItem("wr-world-tour-1", JSON.stringify({ rank: 12_430, start: 3_600 })),
  );
  await page.goto(room.url);
  await page.locator(`html[data-scene=${scene}]`).waitFor();
  const picture = await page.screenshot({ animations: "disabled" });
  await context.close();
  room.close();
  return `<img src="data:image/png;base64,${picture.toString("base64")}">`;
}

test("the README has a small picture of the queue page", async () => {
  if (process.env.UPDATE_PICTURE || !existsSync(PICTURE)) {
    const phones = [
      await phone("waiting"),
      await phone("called"),
      await phone("waiting", { language: "Arabic" }, { colorScheme: "dark", locale: "ar" }),
    ];
    const page = await at.browser.newPage({ viewport: { width: 830, height: 600 } });
    const style =
      "body{margin:0;padding:20px;display:flex;gap:20px;background:#fff}img{width:250px;border-radius:24px;outline:1px solid #ccc}";
    await page.setContent(`<style>${style}</style>${phones.join("")}`);
    writeFileSync(PICTURE, await page.screenshot({ fullPage: true, scale: "css" }));
    await page.close();
  }
  assert.deepEqual(
    [...readFileSync(PICTURE).subarray(1, 4)],
    [..."PNG"].map((letter) => letter.charCodeAt(0)),
  );
  assert.ok(statSync(PICTURE).size < MOST_BYTES, `${statSync(PICTURE).size} bytes`);
});
