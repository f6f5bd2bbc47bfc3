// A code or an invitation may stand in the address after the "#". It is taken out of the address
// before anything else happens, so that it is in no bookmark, no screenshot and no copied link, and
// it goes nowhere but into the join.

/** What a visitor brings, as the join names it: an invitation has two dots, a code has none. */
const carriedAs = (text) => (text.split(".").length === 3 ? { enqueue_token: text } : { code: text });

/** What the address carried, or null; the address is clean afterwards. */
function takeFragment(location, history) {
  const found = location.hash.match(/^#(invitation|code)=(.*)$/);
  if (!found) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    const text = decodeURIComponent(found[2]).trim();
    if (text === "") return null;
    return found[1] === "code" ? { code: text } : { enqueue_token: text };
  } catch {
    return null;
  }
}

/** Why what was brought does not do: the end of a key, `coded.…`; null where it is something else. */
function whyRefused(answer) {
  if (answer?.type?.endsWith(":code-spent")) return "spent";
  return { code: "wrong", enqueue_token: "invitation" }[answer?.field] ?? null;
}
