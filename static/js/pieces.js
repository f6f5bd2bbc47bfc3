// Time: a pause, and work in pieces.

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** The page shows the state as it came; what follows is done piece by piece, so that a slow phone answers taps meanwhile. */
function inPieces(...pieces) {
  const next = () => {
    pieces.shift()();
    if (pieces.length > 0) setTimeout(next);
  };
  setTimeout(next);
}
