// Takes a place over.

const CODE_CHARACTERS = 20;

oneField(find("code"), {
  bodyOf(text) {
    const code = text.replace(/[\s-]/g, "");
    return code.length === CODE_CHARACTERS ? { code, id: form.elements.id.value } : null;
  },
  unfit: words.short,
  reasonOf({ status, type }) {
    if (status === 409) return type.endsWith(":handover-taken") ? words.taken : words.over;
    if (status === 404 || status === 422) return words.unknown;
    return status === 429 ? words.many : words.failed;
  },
});
