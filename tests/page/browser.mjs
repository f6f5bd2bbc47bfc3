// What the tests do to a page that a person would do.

/** Makes the page believe that it is hidden or visible, and tells it. */
export const setVisible = (page, visible) =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    visible ? "visible" : "hidden",
  );

/** Waits until `ready()` is true. */
export async function until(ready, what, within_ms = 8_000) {
  const end_ms = performance.now() + within_ms;
  while (!(await ready())) {
    if (performance.now() > end_ms) throw new Error(`not within ${within_ms} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}
