// Carries a plan out: asks group by group, judges each answer, and leaves out what can show nothing any more.
import { isRooms, redirectOf, shown } from "./answered.mjs";
import { everywhere, placeOf } from "./judging.mjs";

/** A redirect of a server to itself is followed so often: what counts is where it ends. */
const MOST_REDIRECTS = 2;

/**
 * Resolves with `{ found, passed, unseen, isAsked }`: findings with an example each, groups in which nothing leaks, what could
 * not be seen, and whether the public address could be asked at all. `onGroup(name)` hears of each.
 */
export async function carryOut(groups, target, asker, onGroup = () => {}) {
  const seen = { nothing: new Map(), board: null, page: null, hasClock: false };
  const state = { found: [], passed: [], unseen: [], seen, shut: new Map(), open: new Set() };
  for (const group of groups) {
    // Of an origin that takes no connections there is nothing more to see.
    if (group.isOf === "origin" && state.shut.get(group.place)) continue;
    const leftOut = whyLeftOut(group, state);
    if (leftOut) {
      state.unseen.push(leftOut);
      continue;
    }
    onGroup(group);
    await askGroup(group, target, asker, state);
    if (group.name === "room" && [...state.shut.values()].some(Boolean)) {
      return { ...state, isAsked: false };
    }
  }
  if (!seen.hasClock) state.unseen.push("the servers' clocks: no answer carries a Date");
  return { ...state, isAsked: true };
}

/** Why a group would show nothing, or null. */
function whyLeftOut({ isOf, place, name }, { seen, found, open }) {
  const has = (...ids) => found.some(({ id }) => ids.includes(id));
  if (isOf === "room" && has("room-absent")) return `${name}: not asked, since no room answers`;
  if (isOf === "room" && seen.board?.mode === "off") return `${name}: not asked, since everything passes`;
  if (isOf === "room" && has("gate-open")) return `${name}: not asked, since the front door is open`;
  if (isOf === "origin" && open.has(place)) return `${name}: not asked, since it is open anyway`;
  return null;
}

async function askGroup(group, target, asker, state) {
  const { seen } = state;
  let leaks = 0;
  let failures = 0;
  for (const ask of group.asks) {
    const answer = await askedAndFollowed(ask, asker);
    keep(ask, answer, seen);
    if (answer.failure) {
      failures += 1;
      state.shut.set(placeOf(ask), failures === group.asks.length ? answer.failure : null);
    }
    const own = ask.judge?.(answer, seen);
    const general = ask.isOrigin ? [] : everywhere(answer, target);
    for (const finding of [own, ...general].filter(Boolean)) {
      const { id, detail } = typeof finding === "string" ? { id: finding } : finding;
      // Everything passes: then an open gate is no news.
      if (id === "gate-open" && seen.board?.mode === "off") continue;
      leaks += 1;
      if (id === "origin-open") state.open.add(placeOf(ask));
      state.found.push({ id, example: exampleOf(ask, answer, detail) });
    }
    if (answer.distrust && target.trusts) noteDistrust(ask, answer, target, state);
  }
  const { name, says, isQuiet } = group;
  if (leaks > 0 || isQuiet) return;
  const shut = failures === group.asks.length ? { shut: state.shut.get(placeOf(group.asks[0])) } : {};
  state.passed.push({ name, says, asked: group.asks.length, ...shut });
}

async function askedAndFollowed(ask, asker) {
  let answer = { ...(await asker.ask(ask)), asked: ask };
  for (let count = 0; ask.isOrigin && count < MOST_REDIRECTS; count += 1) {
    const redirect = redirectOf(answer, ask);
    if (!redirect?.isHere) break;
    const path = redirect.target.pathname + redirect.target.search;
    answer = { ...(await asker.ask({ ...ask, path })), asked: { ...ask, path } };
  }
  return answer;
}

function keep({ keepAs, base, host }, answer, seen) {
  if (keepAs === "page" && isRooms(answer)) seen.page = answer;
  if (keepAs === "nothing") seen.nothing.set(placeOf({ base, host }), answer);
}

/** One line: what was asked and what came, without anything of a pass, a cookie or a body. */
function exampleOf({ what, method = "GET", base, host, path }, answer, detail) {
  const as = host && host !== new URL(base).host ? ` as ${host}` : "";
  return `${method} ${base}${path}${as} (${what}): ${shown(answer)}${detail ? `: ${detail}` : ""}`;
}

/** Once for each server: a wrong certificate stays wrong. */
function noteDistrust(ask, answer, { trusts }, state) {
  const { base } = ask;
  if (ask.isOrigin || trusts.has(base)) return;
  trusts.add(base);
  state.found.push({ id: "certificate", example: `${base}: ${answer.distrust}` });
}
