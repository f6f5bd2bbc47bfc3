// The work that a permit asks for is done in workers beside the page, so that nothing here waits for it. Where no worker
// can be had, the server measures how long the visitor has waited instead.

const PUZZLES = 32;
/** More cores than these, and two workers leave the page and the phone their own. */
const CORES_FOR_TWO = 4;
/** A permit that ends sooner is replaced before its work begins, while nothing has been sent with it. */
const ENDS_SOON_MS = 60_000;
/** Who brings no word of the widget works so many bits more; `MORE_INSTEAD` in src/challenges.rs. */
const MORE_INSTEAD = 2;
/** The most work that a permit can ask for, in bits. */
const MOST_BITS = 24;
/** So long before joins are taken the work begins: permits live longer. */
const AHEAD_MS = 120_000;

/** What a permit says of itself: it is signed, not secret. */
function claimsIn(permit) {
  try {
    return JSON.parse(atob(permit.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return {};
  }
}

/** Whether a permit that asks for work should rather be replaced than worked for. */
const endsSoon = (permit, now_ms) => {
  const { chl, exp } = claimsIn(permit);
  return chl !== "none" && exp * 1_000 - now_ms < ENDS_SOON_MS;
};

/** The seed of a permit's puzzles: its signature, as eight numbers. */
function seedOf(permit) {
  const bytes = atob(permit.split(".")[2].replaceAll("-", "+").replaceAll("_", "/"));
  const word = (at) => [0, 1, 2, 3].reduce((sum, n) => sum * 256 + bytes.charCodeAt(4 * at + n), 0);
  return [0, 1, 2, 3, 4, 5, 6, 7].map(word);
}

/**
 * Does the work of permits, one at a time. `start()` makes a worker, `cores` of the device, `told(share)` hears how much
 * is done: it never goes back, whatever permit is worked for.
 */
function worker({ start, cores, told }) {
  let now = null;
  let shown = 0;
  const stop = () => {
    for (const each of now?.workers ?? []) each.terminate();
  };
  const begin = (permit, bits) => {
    const counters = new Array(PUZZLES).fill(null);
    const began = shown;
    const all = [...counters.keys()];
    const count = cores >= CORES_FOR_TWO ? 2 : 1;
    const workers = [];
    const solution = new Promise((done, fail) => {
      try {
        for (let own = 0; own < count; own += 1) {
          const each = start();
          workers.push(each);
          each.onerror = fail;
          each.onmessage = ({ data: { index, counter } }) => {
            counters[index] = counter;
            const solved = counters.filter((found) => found !== null).length;
            shown = began + ((1 - began) * solved) / PUZZLES;
            told(shown);
            if (solved < PUZZLES) return;
            done(counters.map((found) => found.toString(16).padStart(8, "0")).join(""));
          };
          each.postMessage({ seed: seedOf(permit), bits, puzzles: all.filter((index) => index % count === own) });
        }
      } catch (error) {
        fail(error);
      }
    });
    return { permit, bits, workers, solution: solution.catch(() => null) };
  };
  return {
    /** The solution of a permit; null where no worker works, undefined where no work is asked. `instead`: of a widget. */
    async solve(permit, instead = false) {
      const { chl = "none", bits } = claimsIn(permit);
      if (!instead && !chl.includes("pow")) return undefined;
      const wanted = instead ? Math.min(bits + MORE_INSTEAD, MOST_BITS) : bits;
      if (now?.permit !== permit || now.bits !== wanted) {
        stop();
        if (shown === 1) shown = 0;
        now = begin(permit, wanted);
      }
      const { workers, solution } = now;
      const solved = await solution;
      for (const each of workers) each.terminate();
      return solved;
    },
  };
}
