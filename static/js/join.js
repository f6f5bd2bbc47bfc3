// Joining: for the line that is chosen, or with the code or the invitation that the visitor brings.
// Its state is `way` in main.js, like all state of the page.

/** No page tries its address more often than this, whatever the server says. */
const SHORTEST_RATE_MS = 2_000;

/** What a join sends besides the permit. */
function wanted() {
  if (room.carried) return room.carried;
  const picked = find("choice").disabled ? null : document.querySelector("#choice input:checked")?.value;
  const line = lineToJoin(room, me, picked);
  return line ? { line } : {};
}

const work = worker({
  start: () => new Worker(room.solver),
  cores: navigator.hardwareConcurrency ?? 1,
  told(share) {
    way.worked = share;
    if (sceneNow() === "joining") redraw();
  },
});

/** What shows that this is no machine: the work, the widget's token, or more work instead of it. */
async function prove(permit) {
  const asked = widget && asksWidget(permit) ? widget.ask(permit) : null;
  const solution = await work.solve(permit, !asked && asksWidget(permit));
  if (!asked) return { solution };
  const token = await Promise.race([asked.token, asked.silent]);
  if (token) return { solution, turnstile: token };
  const instead = work.solve(permit, true).then((solution) => ({ solution }));
  const late = asked.token.then((token) => (token ? { solution, turnstile: token } : instead));
  return Promise.race([late, instead]);
}

/** The permit asks for more now, and makes the same place: all tabs go on with it. */
function takeRaised(permit) {
  room.permit = permit;
  memory.write({ permit });
  return permit;
}

/**
 * A join with what its permit asks for. A token that is not taken is replaced by work; a permit that comes back because
 * its network is asked for more by now is worked for once more.
 */
async function sendWith(permit, more, again = true) {
  const send = ({ solution, turnstile }) =>
    request("POST", `${queue}/tickets`, {
      permit,
      ...(solution && { solution }),
      ...(turnstile && { turnstile }),
      ...more,
    });
  const proof = await prove(permit);
  try {
    return await send(proof);
  } catch (error) {
    const { field, type, permit: raised } = error.answer ?? {};
    if (type === UNSOLVED && raised) {
      takeRaised(raised);
      if (again) return sendWith(raised, more, false);
      throw error;
    }
    if (!proof.turnstile || (field !== "turnstile" && type !== UNSOLVED)) throw error;
    widget.giveUp();
    return send(await prove(permit));
  }
}

const sendJoin = (permit) => sendWith(permit, wanted());
const freshPermit = async () => (await request("POST", `${queue}/permits`, {})).permit;

/** Joins, once at a time, together with the browser's other tabs. */
async function join() {
  if (way.joining) return;
  way.joining = true;
  try {
    const answer = await joinTogether({
      locks: navigator.locks,
      name,
      memory,
      permit: room.permit,
      join: sendJoin,
      fresh: freshPermit,
      endsSoon: (permit) => endsSoon(permit, serverNow()),
      pause,
    });
    if (refuse(answer)) return;
    way.busy = false;
    way.had_place = true;
    if (answer.status !== 409) keepCarried();
    if (answer.status !== 409 && answer.cookie === undefined) hear({ ...answer, ...(await request("GET", mine)) });
    else hear(answer);
    if (answer.status !== 409 && me.state === "none") hear({ state: "none", cookie: false });
    poll.replan();
  } catch (error) {
    if (refuse(error.answer)) return;
    way.busy = error.status === 503 || error.status === 429;
    throw error;
  } finally {
    way.joining = false;
  }
  if (me.state !== "none") await goOn();
}

async function rejoin() {
  me = { ...me, state: "none", entry: null, rank: null, ahead: null };
  wait = steadyEta(null, me, serverNow());
  redraw();
  await join();
  poll.replan();
}

/** Does the work before joins are taken, so that nobody waits for it then. */
async function prepare() {
  const permit = memory.read().permit ?? room.permit;
  const kept = permit && !endsSoon(permit, serverNow()) ? permit : await freshPermit();
  memory.write({ permit: kept });
  await prove(kept);
}

/** What made a place is kept to join the same line again. */
function keepCarried() {
  tab.write({ carried: undefined });
  memory.write({ carried: room.carried ?? undefined });
  if (room.carried) way.refused = null;
}

/** Whether the answer refuses what the visitor brought; then it says so, and nothing else changes. */
function refuse(answer) {
  const why = whyRefused(answer);
  if (!why) return false;
  if (room.carried?.code) find("typed").value = room.carried.code;
  room.carried = null;
  tab.write({ carried: undefined });
  memory.write({ carried: undefined });
  way.refused = why;
  find("coded").open = true;
  redraw();
  return true;
}

/** Joins with what was typed or carried; a place in another line is kept until the new one is there. */
async function joinWith(carried) {
  const kept = room.carried;
  room.carried = carried;
  if (!CAN_SWITCH.includes(sceneNow())) return GIVEN_UP.includes(me.state) ? rejoin() : join();
  try {
    const permit = room.permit ?? (await freshPermit());
    const answer = await sendWith(permit, carried);
    if (refuse(answer)) return;
    if (answer.status === 409) room.carried = kept;
    else {
      keepCarried();
      find("coded").open = false;
    }
    hear({ ...answer, ...(await request("GET", mine)) });
  } catch (error) {
    if (refuse(error.answer)) return;
    room.carried = kept;
    throw error;
  }
  await goOn();
}

/** Too many at once, and no queue: the address itself is tried again, at the server's pace. */
function askAgainLater() {
  poll.stop();
  const poll_ms = Math.max(me.poll_ms ?? 0, SHORTEST_RATE_MS);
  const wait_ms = delayMs({ poll_ms, hidden: !visible(), failures: 0, chance: Math.random });
  setTimeout(() => location.replace(room.return), wait_ms);
}
