// A check before the visitor goes in, or goes on: the edge asks for it when it is claimed, the work is done beside the page,
// and the claim is made again with it. The place is kept meanwhile. Its state is `way` in main.js.

/** So often a claim is answered with a new check before the page waits for its next question. */
const MOST_CHECKS = 3;

/** The pass, or what else a claim is answered; an asked-for check is done first, and kept until the pass is there. */
async function claimPass() {
  for (let asked = 0; ; asked += 1) {
    try {
      const answer = await request("POST", `${mine}/pass`, way.check ?? {});
      if (answer.status === 200) way.check = null;
      return answer;
    } catch (error) {
      const { check } = error.answer ?? {};
      if (error.status !== 422 || !check || asked === MOST_CHECKS) throw error;
      way.checked = 0;
      redraw();
      way.check = await passCheck(check);
    }
  }
}

/** What is brought with the claim. Without a solution, where no worker works, the check is waited for. */
async function passCheck(check) {
  const solution = await worker({
    start: () => new Worker(room.solver),
    cores: navigator.hardwareConcurrency ?? 1,
    told(share) {
      way.checked = share;
      redraw();
    },
  }).solve(check);
  return { check, ...(solution && { solution }) };
}
