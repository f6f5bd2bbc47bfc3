// What came in the address behind #: taken out before anything else happens, so that it stays in no
// history and nobody who looks at the address sees it. It never was part of any request.

/** The fragment's text, which is gone from the address afterwards; empty when there is none. */
function takeFragment() {
  const text = location.hash.slice(1);
  if (location.href.includes("#")) history.replaceState(null, "", location.pathname + location.search);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const brought = takeFragment();
