// Sends the staff pass.

oneField(find("token"), {
  bodyOf: (token) => (token === "" ? null : { token }),
  unfit: words.empty,
  reasonOf: ({ status }) => (status >= 400 && status < 500 && status !== 429 ? words.refused : words.failed),
});
