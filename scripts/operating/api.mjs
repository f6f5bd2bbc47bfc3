// The operator API of one event, over HTTP.

const PATIENCE_MS = 10_000;

/** `{ observe(), change(body), staffPass(body) }`; the first two answer the observability document. */
export function operatorApi({ url, prefix = "/_wr", event, token }) {
  const queue = `${url.replace(/\/$/, "")}${prefix}/queues/${encodeURIComponent(event)}`;
  const ask = (method, address, body) => askOnce(method, address, token, body);
  return {
    observe: () => ask("GET", `${queue}/observability`),
    change: (body) => ask("PATCH", queue, body),
    staffPass: (body) => ask("POST", `${queue}/staff`, body),
  };
}

async function askOnce(method, address, token, body) {
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
    body: body ? JSON.stringify(body) : undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error) => {
    throw new Error(`${address} cannot be reached: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${problemText(text)}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${address} answered something that is no JSON: is a waiting room there?`);
  }
}

function problemText(text) {
  try {
    const { title, detail } = JSON.parse(text);
    return [title, detail].filter(Boolean).join(": ") || text;
  } catch {
    return text.slice(0, 200);
  }
}
