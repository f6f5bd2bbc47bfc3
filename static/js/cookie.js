// Whether cookies come back here at all: found out before joining, so that a browser without them
// makes no place, no second place and no loop.

/**
 * Each page has a probe of its own: another tab's would be taken away in between. In another site's frame it is kept as
 * the room's own cookies are there.
 */
function cookiesWork(page, framed = false) {
  const probe = `wr-probe-${Math.random().toString(36).slice(2)}`;
  const kept = `Path=/; ${framed ? "Secure; SameSite=None; Partitioned" : "SameSite=Lax"}`;
  try {
    page.cookie = `${probe}=1; ${kept}; Max-Age=60`;
    const works = page.cookie.includes(`${probe}=1`);
    page.cookie = `${probe}=; ${kept}; Max-Age=0`;
    return works;
  } catch {
    return false;
  }
}

/** The likely reason: `frame`, `app` or `off`. */
function cookieReason(framed, agent) {
  if (framed) return "frame";
  const app = /FBAN|FBAV|Instagram|\bLine\/|MicroMessenger|TikTok|musical_ly|Snapchat|Pinterest|LinkedInApp|; wv\)/;
  return app.test(agent) ? "app" : "off";
}
