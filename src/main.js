// What the platform loads: hands a request to the built module as it is.
//
// worker-build's own way there makes an object and four proxies for each request, so that a module that has panicked is
// started anew. That costs as much as a signature; here it is taken only when it is needed. Objects keep it.
import Room from "./index.js";

export { CoordinatorObject, RelayObject, ShardObject } from "./index.js";

const { fetch } = Room.prototype;
const state = globalThis.__worker_init_state;

export default {
  fetch(request, env, ctx) {
    if (state?.criticalError !== false) return new Room(ctx, env).fetch(request);
    try {
      return fetch.call({ env, ctx }, request);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) state.criticalError = true;
      throw error;
    }
  },
};
