// One browser, one place: tabs that were loaded together each carry a permit, and agree on one of
// them before anybody joins.

const AGREE_MS = 80;
const UNSOLVED = "urn:anteroom:problem:unsolved";

/**
 * Runs `task` while no other tab does; without Web Locks at least not at the same instant. Another site's frame may have
 * no locks though it has the word. `task` is told whether it is alone.
 */
async function alone(locks, name, task, pause) {
  let begun = false;
  const begin = () => {
    begun = true;
    return task(true);
  };
  try {
    if (locks) return await locks.request(name, begin);
  } catch (error) {
    if (begun) throw error;
  }
  await pause(Math.random() * AGREE_MS);
  return task(false);
}

/**
 * Joins with the permit that the browser's tabs agree on. `memory` is shared by the tabs; `join`
 * sends a permit, `fresh` asks for a new one. A kept permit that has expired
 * unused, or whose place is gone, makes no place: then another is taken.
 */
async function joinTogether({ locks, name, memory, permit, join, fresh, endsSoon = () => false, pause }) {
  return alone(
    locks,
    name,
    async (isAlone) => {
      const theirs = memory.read().permit;
      const usable = [theirs, permit].find((each) => each && !endsSoon(each));
      let mine = usable ?? (await fresh());
      if (mine !== theirs) memory.write({ permit: mine });
      if (!isAlone) {
        await pause(AGREE_MS);
        mine = memory.read().permit ?? mine;
      }
      const next = async () => {
        const other = theirs && permit && theirs !== permit ? permit : await fresh();
        memory.write({ permit: other });
        return join(other);
      };
      try {
        const answer = await join(mine);
        return theirs && GIVEN_UP.includes(answer.state) ? await next() : answer;
      } catch (error) {
        // Another permit makes no code right, and no wait shorter.
        if (whyRefused(error.answer) || error.answer?.type === UNSOLVED) throw error;
        if (error.answer?.permit) memory.write({ permit: error.answer.permit });
        if (!(error.status >= 400 && error.status < 500) || error.status === 429) throw error;
        return next();
      }
    },
    pause,
  );
}
