// A Worker in JavaScript that sends the request on as it came.
export default {
  fetch(request) {
    return fetch(request);
  },
};
