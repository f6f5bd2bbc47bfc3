// What children print while they start: held back, since a configuration that is refused is told once and by us.

/** `{ take(text), let(), drop() }`: what is taken goes to `write` from `let` on, or not at all after `drop`. */
export function heldOutput(write) {
  let held = [];
  let isOpen = false;
  return {
    take: (text) => void (isOpen ? write(text) : held.push(text)),
    let: () => {
      held.forEach(write);
      [held, isOpen] = [[], true];
    },
    drop: () => {
      held = [];
    },
  };
}
