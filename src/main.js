// What the platform loads: hands a request to the built module as it is.
//
// worker-build's own way there makes an object and four proxies for each request, so that a module that has panicked is
// started anew, and three more and a promise for each call of an object. That costs as much as a signature; here it is taken
// only when it is needed.
import Room, * as built from "./index.js";

const { fetch } = Room.prototype;
const state = globalThis.__worker_init_state;

/** Whether an error is a panic: then the module is started anew with the next call. */
const noticed = (error) => {
  if (error instanceof WebAssembly.RuntimeError && state) state.criticalError = true;
  return error;
};

// What goes on behind a promise panics where nobody waits for it.
globalThis.addEventListener?.("unhandledrejection", ({ reason }) => noticed(reason));

/** A class of objects: the built one without its proxies for as long as its module has not panicked. */
const direct = (Built) => {
  const Plain = Built.prototype.constructor;
  return class {
    #given;
    #object;
    #module;

    constructor(...given) {
      this.#given = given;
    }

    #call(name, given) {
      if (state?.criticalError !== false || !this.#object || this.#module !== state.instanceId) {
        const Class = state?.criticalError === false ? Plain : Built;
        this.#object = new Class(...this.#given);
        this.#module = state?.instanceId;
      }
      try {
        return this.#object[name](...given);
      } catch (error) {
        throw noticed(error);
      }
    }

    fetch(request) {
      return this.#call("fetch", [request]);
    }

    alarm(...told) {
      return this.#call("alarm", told);
    }

    webSocketMessage(...told) {
      return this.#call("webSocketMessage", told);
    }

    webSocketClose(...told) {
      return this.#call("webSocketClose", told);
    }

    webSocketError(...told) {
      return this.#call("webSocketError", told);
    }
  };
};

export const CoordinatorObject = direct(built.CoordinatorObject);
export const RelayObject = direct(built.RelayObject);
export const ShardObject = direct(built.ShardObject);

export default {
  fetch(request, env, ctx) {
    if (state?.criticalError !== false) return new Room(ctx, env).fetch(request);
    try {
      return fetch.call({ env, ctx }, request);
    } catch (error) {
      throw noticed(error);
    }
  },
};
