// Takes a place over with one request, and says in place what went wrong. The form does the same without script.

const find = (id) => document.getElementById(id);
const { front, words } = JSON.parse(find("sheet").textContent);
const form = find("form");
const field = find("code");
const button = form.querySelector("button");
const CODE_CHARACTERS = 20;

const put = (code) => {
  if (code) field.value = code.slice(0, field.maxLength);
};
const say = (text) => {
  find("problem").textContent = text;
  find("problem").hidden = text === "";
  field.toggleAttribute("aria-invalid", text !== "");
};

/** What a refusal means for somebody who holds a code in the hand. */
function reasonOf({ status }) {
  if (status === 409) return words.taken;
  if (status === 404 || status === 422) return words.unknown;
  return status === 429 ? words.many : words.failed;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.getAttribute("aria-disabled") === "true") return;
  const code = field.value.replace(/[\s-]/g, "");
  if (code.length !== CODE_CHARACTERS) {
    say(words.short);
    return field.focus();
  }
  button.setAttribute("aria-disabled", "true");
  say("");
  try {
    const answer = await request("POST", form.action, { code, id: form.elements.id.value });
    if (answer.status === 409) throw answer;
    find("done").textContent = words.done;
    location.replace(front);
  } catch (refusal) {
    button.removeAttribute("aria-disabled");
    say(reasonOf(refusal));
    field.focus();
  }
});
addEventListener("hashchange", () => put(takeFragment()));
put(brought);
