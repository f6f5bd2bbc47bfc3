// The third party's widget, where the event uses it. It is asked about one permit. Where it cannot be had, fails or is
// silent, the page works instead, and whichever is there first is sent: nobody waits for somebody else's server.

/** So long may it be silent before the device begins to work. */
const SILENT_MS = 4_000;
/** And so long when it asks the visitor for something. */
const ASKED_MS = 30_000;
/** A token holds for five minutes; an older one than this is not sent any more. */
const TOKEN_LIFE_MS = 240_000;
/** Below this width there is no room for the wide form: <https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/>. */
const WIDE_PX = 300;

const asksWidget = (permit) => String(claimsIn(permit).chl).includes("turnstile");

/** The script of the widget; it leaves its API in the window. */
const loadWidget = (address) =>
  new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => (window.turnstile ? done(window.turnstile) : fail());
    script.onerror = fail;
    document.head.append(script);
  });

/** Puts the widget into `box`; answers its id. `done` hears its token or null, `quiet` that it may be silent for longer. */
function renderWidget(api, { site_key, permit, box, done, quiet, asks }) {
  const { evt, run, jti } = claimsIn(permit);
  const failed = () => {
    done(null);
    return true;
  };
  return api.render(box, {
    sitekey: site_key,
    action: "join",
    cData: `${evt}_${run}_${jti}`,
    language: document.documentElement.lang,
    theme: "auto",
    size: box.clientWidth < WIDE_PX ? "compact" : "flexible",
    retry: "never",
    "refresh-expired": "never",
    "response-field": false,
    callback: done,
    "error-callback": failed,
    "timeout-callback": failed,
    "unsupported-callback": failed,
    "before-interactive-callback": () => {
      quiet(ASKED_MS);
      asks();
    },
  });
}

/**
 * The widget of `room.widget` in `box`. `changed()` hears when it begins and ends, `asks()` when the visitor has to do
 * something.
 */
function widgetIn({ site_key, script }, { box, changed, asks }) {
  let api = null;
  let now = null;
  const begin = (permit) => {
    const mine = { permit, pending: true, failed: false };
    let timer = 0;
    mine.silent = new Promise((done) => {
      mine.quiet = (ms) => {
        clearTimeout(timer);
        timer = setTimeout(done, ms);
      };
    });
    mine.quiet(SILENT_MS);
    api ??= loadWidget(script);
    const token = api.then((api) => {
      if (now?.id) api.remove(now.id);
      return new Promise((done) => {
        mine.id = renderWidget(api, { site_key, permit, box, done, quiet: mine.quiet, asks });
      });
    });
    mine.token = token
      .catch(() => null)
      .then((token) => {
        Object.assign(mine, { pending: false, failed: token === null, at_ms: performance.now() });
        changed();
        return token;
      });
    return mine;
  };
  return {
    /** `{ token, silent }` for a permit: promises of its token (null: there is none to be had), and that it is silent. */
    ask(permit) {
      const old = now && !now.pending && performance.now() - now.at_ms > TOKEN_LIFE_MS;
      if (now?.permit !== permit || old) {
        const next = begin(permit);
        now = next;
        changed();
      }
      return now;
    },
    /** Its token was not taken: it is not asked again about this permit. */
    giveUp() {
      if (now) Object.assign(now, { token: Promise.resolve(null), failed: true });
      changed();
    },
    /** It is to be seen. */
    isShown: () => now !== null && !now.failed,
    /** It is asked, and has not answered. */
    isPending: () => now?.pending === true && !now.failed,
  };
}
