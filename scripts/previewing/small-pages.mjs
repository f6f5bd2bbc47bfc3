// The small pages of a preview: the draw recomputed, a place taken over, the code for that, staff let in. As in the tests
// of these pages, with the event's own face; their draw is one of the tests'.
import { drawnDocument, earlyDocument, shuffle, stateOf } from "../../tests/extras/draws.mjs";
import { askedFor } from "../../tests/extras/sheets.mjs";

/** One of those who took part in the draw. */
const ENTRY = 430;

/** `[{ name, asked, answers }]`: what the renderer is asked for, and what a page gets at the addresses it asks. */
export async function smallPagesOf({ event, title, prefix, return_to, language, face }, origin) {
  const view = { event, title, prefix, origin, front: return_to, language, look: face };
  const drawn = drawnDocument();
  const { seed, entrants } = drawn.lines[0].draw;
  const rank = await shuffle.rankOf(ENTRY, entrants, seed);
  const draw = (name, document, rank) => ({
    name: `draw_${name}`,
    asked: askedFor("draw", { view, document }),
    answers: { draw: document, "tickets/me": stateOf(ENTRY, rank) },
  });
  const plain = (name, page, more = {}) => ({
    name,
    asked: askedFor(page, { ...more, view: { ...view, ...more.view } }),
    answers: {},
  });
  return [
    draw("early", earlyDocument(), null),
    draw("equal", drawn, rank),
    draw("not_equal", drawn, rank + 1),
    plain("handover_offer", "offer"),
    plain("handover_offer_refused", "offer", { kind: "too-many-handovers" }),
    plain("handover_take", "handover"),
    plain("handover_take_refused", "handover", { view: { refused: "handover-taken" } }),
    plain("staff", "staff"),
    plain("staff_refused", "staff", { view: { refused: "unauthorized" } }),
  ];
}
