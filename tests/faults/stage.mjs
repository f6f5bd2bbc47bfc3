// One run: a room on plain workerd, a shop behind it, visitors in front of it, and something that goes wrong meanwhile.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { startOrigin } from "../e2e/harness/origin.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { checked, startCrowd } from "./crowd.mjs";
import { Journal } from "./journal.mjs";
import { startProxy } from "./proxy.mjs";

/** The shortest idle time that an event may have, and so for how long a forgotten session keeps its slot. */
const IDLE_MINUTES = 1;

/** How long each visitor shops. */
const SHOP_SECONDS = 5;

/** Both limits hold somebody back: fewer slots than visitors want, fewer admissions than arrive. */
const admissionFor = (perSecond) => ({ per_minute: perSecond * 54, max_active: perSecond * (SHOP_SECONDS - 1) });

const EVENT = {
  id: "demo",
  idle_minutes: IDLE_MINUTES,
  session_minutes: 5,
  pass_seconds: 60,
  expected_visitors: 20_000,
};

/**
 * How long after the last arrival the last visitor may come in: forgotten sessions end, and everybody comes in who has
 * waited all the time, at half of what the limits allow.
 */
const deadlineSeconds = (seconds) => 300 + 2 * seconds;

/**
 * Lets `goesWrong` happen while visitors come, and answers what the checker says: `{ passed, figures, text }`. The crowd
 * comes for `seconds`, `perSecond` of them. `goesWrong` gets `{ room, shop, proxy, journal, crowd, operator }`; when it is
 * over, nothing is wrong any more.
 */
export async function underFaults(name, goesWrong, { folder, seconds, perSecond, event = {}, room: more = {} }) {
  mkdirSync(folder, { recursive: true });
  const files = ["visitors", "room"].map((part) => path.join(folder, `${name}-${part}.jsonl`));
  const journal = new Journal(files[1]);
  const shop = await startOrigin();
  shop.answer = (request) => journal.shop(request);
  const proxy = await startProxy(shop);
  let room;
  let crowd;
  try {
    room = await startRoom({
      events: [{ ...EVENT, admission: admissionFor(perSecond), origin: proxy.url, ...event }],
      ...more,
    });
    const operator = await room.operator({ role: "operate" });
    crowd = startCrowd(room, {
      history: files[0],
      visitors: seconds * perSecond,
      perSecond,
      shopSeconds: SHOP_SECONDS,
      deadlineSeconds: deadlineSeconds(seconds),
      idleSeconds: IDLE_MINUTES * 60,
    });
    await Promise.race([
      Promise.all([goesWrong({ room, shop, proxy, journal, crowd, operator }), crowd.ended]),
      // A crowd that could not run ends the whole.
      crowd.ended.then(() => new Promise(() => {})),
    ]);
    return await checked(files);
  } finally {
    await crowd?.stop();
    await room?.stop();
    await proxy.stop();
    await shop.stop();
  }
}
