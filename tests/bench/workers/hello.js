// A Worker in JavaScript that answers with a word.
export default {
  fetch() {
    return new Response("hello");
  },
};
