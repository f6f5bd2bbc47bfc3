// Ports of this machine: any free one, and whether a wanted one is free.
import { connect, createServer } from "node:net";
import { UsageError } from "./command-line.mjs";

/** `localhost` may mean either: a browser tries both. */
export const LOOPBACK_HOSTS = ["127.0.0.1", "::1"];

const CONNECT_PATIENCE_MS = 1_000;

/** A port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Throws with a plain reason when nobody could listen at this port of these addresses; 0 is always free. */
export async function requireFreePort(port, hosts = LOOPBACK_HOSTS) {
  if (port === 0) return;
  for (const host of hosts) {
    const reason = (await isAnswered(port, host)) ? "EADDRINUSE" : await whyNoListening(port, host);
    if (reason === "EADDRINUSE") {
      throw new Error(
        `Port ${port} is taken: another program listens at ${host}. End it, or choose another port with --port P ` +
          "(--port 0 takes any free one).",
      );
    }
    if (reason === "EACCES") {
      throw new Error(`Port ${port} needs more rights than this program has; choose one from 1024 on with --port P.`);
    }
    const isSpare = hosts === LOOPBACK_HOSTS && host !== LOOPBACK_HOSTS[0];
    if (reason !== null && !isSpare)
      throw new UsageError(`--host is "${host}": this machine cannot listen there (${reason})`);
  }
}

/** Some systems let a second program listen at a port that is taken, so it is asked too. */
function isAnswered(port, host) {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: CONNECT_PATIENCE_MS });
    const end = (isTaken) => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

/** The code of the error that listening gives, or null. */
function whyNoListening(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }) => resolve(code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
