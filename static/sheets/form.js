// A form with one field: what the address brought is put into it, the button sends it with one request, and what went
// wrong is said in place. The form does the same without script.

const find = (id) => document.getElementById(id);
const { front, words } = JSON.parse(find("sheet").textContent);
const form = find("form");

/**
 * `bodyOf(text)` is what is sent of the field's text, or null: then `unfit` is said, and nothing is sent.
 * `reasonOf(refusal)` is what a refusal means for somebody who holds it in the hand.
 */
function oneField(field, { bodyOf, unfit, reasonOf }) {
  const button = form.querySelector("button");
  const put = (text) => {
    if (text) field.value = text.slice(0, field.maxLength);
  };
  const say = (text) => {
    find("problem").textContent = text;
    find("problem").hidden = text === "";
    if (text === "") field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
  };
  const refuse = (text) => {
    button.removeAttribute("aria-disabled");
    say(text);
    field.focus();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    const body = bodyOf(field.value.trim());
    if (body === null) return refuse(unfit);
    button.setAttribute("aria-disabled", "true");
    say("");
    try {
      const answer = await request("POST", form.action, body);
      if (answer.status === 409) throw answer;
      find("done").textContent = words.done;
      location.replace(front);
    } catch (refusal) {
      refuse(reasonOf(refusal));
    }
  });
  addEventListener("hashchange", () => put(takeFragment()));
  put(brought);
}
