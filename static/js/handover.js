// Taking the place to another device: opening the disclosure asks for a code, once as long as it
// holds. The picture comes as SVG text and is shown as an image, in which no script runs.

/** `ask()` asks for a code, `offered()` runs when there is one. */
function handoverIn({ find, words, ask, now, offered }) {
  let until_ms = 0;
  /** Counts places: an answer about one that is gone is none. */
  let place = 0;
  const say = (text) => put(find("handover-note"), text);
  const offer = async () => {
    if (now() < until_ms) return;
    show(find("handover-shown"), false);
    say("");
    const asked = place;
    const { code, link, qr, expires_at } = await ask();
    if (place !== asked) return;
    until_ms = typeof expires_at === "number" ? expires_at : Date.parse(expires_at);
    find("picture").src = `data:image/svg+xml,${encodeURIComponent(qr)}`;
    put(find("handover-code"), code);
    const address = sameSite(link, location.origin, null);
    find("handover-link").href = address + new URL(link, location.origin).hash;
    // It breaks where its parts end, not within them.
    const pieces = link.match(/[^/#]*[/#]|[^/#]+/g).map((piece) => {
      return Object.assign(document.createElement("span"), { textContent: piece });
    });
    find("handover-link").replaceChildren(...pieces);
    show(find("handover-shown"), true);
    say(words.text("handover.until", { time: words.time(until_ms, now()) ?? "" }));
    offered();
  };
  find("handover").addEventListener("toggle", () => {
    if (!find("handover").open) return;
    offer().catch(() => say(words.text("handover.failed")));
  });
  return {
    /** The place is gone, and its code with it. */
    forget() {
      until_ms = 0;
      place += 1;
      show(find("handover-shown"), false);
      find("handover").open = false;
    },
  };
}
