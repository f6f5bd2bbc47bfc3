// Origins that ask: nginx's auth_request passes the visitor's own headers along, and the shop has an Authorization too.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom();
});
after(() => room?.stop());

const access = (headers) => room.ask("/_wr/access", { headers });
const bearing = (token) => ({ authorization: `Bearer ${token}` });

test("a pass is found beside the shop's own Authorization, and whichever of two holds is enough", async () => {
  const [fan, gone] = [room.visitor(), room.visitor()];
  const { pass } = await fan.admitted();
  const { pass: over } = await gone.admitted();
  assert.equal((await gone.release()).status, 200);
  for (const [headers, status] of [
    [{ "waiting-room-pass": pass, ...bearing("of-the-shop") }, 200],
    [{ "waiting-room-pass": pass, authorization: "Basic c2hvcDpzaG9w" }, 200],
    [{ "waiting-room-pass": over, ...bearing(pass) }, 200],
    [{ "waiting-room-pass": pass, ...bearing(over) }, 200],
    [{ "waiting-room-pass": over, ...bearing("of-the-shop") }, 410],
    [bearing(over), 410],
    [bearing("of-the-shop"), 401],
    [{}, 401],
  ]) {
    const answer = await access(headers);
    assert.equal(answer.status, status, `${JSON.stringify(headers)}: ${answer.text}`);
  }
});
