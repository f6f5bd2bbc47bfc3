// The operator API of one event, over HTTP.

const PATIENCE_MS = 10_000;

/**
 * `{ observe(), change(body), staffPass(body), logPage(after) }`; the first two answer the observability document, the
 * last `{ text, next }` with the lines behind number `after`, and what to ask for next (null at the end).
 */
export function operatorApi({ url, prefix = "/_wr", event, token }) {
  const queue = `${url.replace(/\/$/, "")}${prefix}/queues/${encodeURIComponent(event)}`;
  const ask = (method, address, body) => askOnce(method, address, token, body);
  return {
    observe: () => ask("GET", `${queue}/observability`),
    change: (body) => ask("PATCH", queue, body),
    logPage: async (after) => {
      const response = await send("GET", `${queue}/log?after=${after}`, token);
      return { text: await response.text(), next: nextOf(response) };
    },
    staffPass: (body) => ask("POST", `${queue}/staff`, body),
  };
}

function nextOf(response) {
  const next = response.headers.get("waiting-room-log-next");
  return next === null ? null : Number(next);
}

async function askOnce(method, address, token, body) {
  const response = await send(method, address, token, body);
  try {
    return await response.json();
  } catch {
    throw new Error(`${address} answered something that is no JSON: is a waiting room there?`);
  }
}

/** An answer that is no refusal. */
async function send(method, address, token, body) {
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
    body: body ? JSON.stringify(body) : undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error) => {
    throw new Error(`${address} cannot be reached: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${problemText(await response.text())}`);
  return response;
}

function problemText(text) {
  try {
    const { title, detail } = JSON.parse(text);
    return [title, detail].filter(Boolean).join(": ") || text;
  } catch {
    return text.slice(0, 200);
  }
}
