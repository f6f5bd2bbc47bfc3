// The operator API of one event, over HTTP.

const PATIENCE_MS = 10_000;

/**
 * `{ observe(), draws(), change(body), staffPass(body), logPage(after) }`; observe and change answer the observability document, the
 * last `{ text, next }` with the lines behind number `after`, and what to ask for next (null at the end).
 */
export function operatorApi({ url, prefix = "/_wr", event, token }) {
  const queue = `${url.replace(/\/$/, "")}${prefix}/queues/${encodeURIComponent(event)}`;
  const ask = (method, address, body) => askOnce(method, address, { token, event }, body);
  return {
    observe: () => ask("GET", `${queue}/observability`),
    /** What is published of the lines' draws: `[{ id, draw }]`. */
    draws: async () => (await ask("GET", `${queue}/draw`)).lines ?? null,
    change: (body) => ask("PATCH", queue, body),
    logPage: async (after) => {
      const response = await send("GET", `${queue}/log?after=${after}`, { token, event });
      return { text: await response.text(), next: nextOf(response) };
    },
    staffPass: (body) => ask("POST", `${queue}/staff`, body),
  };
}

function nextOf(response) {
  const next = response.headers.get("waiting-room-log-next");
  return next === null ? null : Number(next);
}

async function askOnce(method, address, who, body) {
  const response = await send(method, address, who, body);
  try {
    return await response.json();
  } catch {
    throw new Error(`${address} answered something that is no JSON: is a waiting room there?`);
  }
}

/** An answer that is no refusal. */
async function send(method, address, { token, event }, body) {
  const response = await fetch(address, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error) => {
    throw new Error(`${address} cannot be reached: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  });
  if (!response.ok)
    throw new Error(`${address} answered ${response.status}: ${problemText(await response.text(), event)}`);
  return response;
}

/** Of an event that a deployment lacks it says no more than of one that the token does not open: nobody learns which. */
const OTHER_EVENT = /:other-event$/;

function problemText(text, event) {
  try {
    const { type, title, detail } = JSON.parse(text);
    if (OTHER_EVENT.test(type)) {
      return `this deployment has no event ${JSON.stringify(event)}, or the token is for another event`;
    }
    return [title, detail].filter(Boolean).join(": ") || text;
  } catch {
    return text.slice(0, 200);
  }
}
