// The shop behind the Workers that are compared: a page of a kilobyte, in the same process.
const PAGE = `<!doctype html><title>Seats</title>${"<p>Row 1, seat 1</p>".repeat(50)}`;

export default {
  fetch() {
    return new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
};
