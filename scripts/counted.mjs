// Numbers as people read them, with the word for what is counted.

const number = new Intl.NumberFormat("en");

export const count = (value) => number.format(value ?? 0);

/** `1 relay`, `2,000 relays`; the words for one and for several may be whatever follows the number. */
export const counted = (value, one, several = `${one}s`) => `${count(value)} ${value === 1 ? one : several}`;
