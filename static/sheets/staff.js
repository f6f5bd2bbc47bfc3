// Sends the staff pass with one request, and says in place what went wrong. The form does the same without script.

const find = (id) => document.getElementById(id);
const { front, words } = JSON.parse(find("sheet").textContent);
const form = find("form");
const field = find("token");
const button = form.querySelector("button");

const put = (token) => {
  if (token) field.value = token;
};
const say = (text) => {
  find("problem").textContent = text;
  find("problem").hidden = text === "";
  field.toggleAttribute("aria-invalid", text !== "");
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.getAttribute("aria-disabled") === "true") return;
  const token = field.value.trim();
  if (token === "") {
    say(words.empty);
    return field.focus();
  }
  button.setAttribute("aria-disabled", "true");
  say("");
  try {
    const answer = await request("POST", form.action, { token });
    if (answer.status === 409) throw answer;
    find("done").textContent = words.done;
    location.replace(front);
  } catch ({ status }) {
    button.removeAttribute("aria-disabled");
    say(status >= 400 && status < 500 && status !== 429 ? words.refused : words.failed);
    field.focus();
  }
});
addEventListener("hashchange", () => put(takeFragment()));
put(brought);
