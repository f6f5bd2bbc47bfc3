// A path as it may be spelled by somebody who looks for a way around the room: every form that some server somewhere
// reads as the same address. What each of them is to the edge, the edge's own rules say (rules.mjs).

const encoded = (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`;
const lastOf = (segments) => segments.at(-1);

/** The letter's form that takes the width of two; servers that normalise (NFKC) read the plain one. */
const wide = (letter) => encodeURIComponent(String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));

/** Letters that become an ASCII letter when a server changes the case. */
const CASE_TWINS = [
  ["s", "%c5%bf"],
  ["k", "%e2%84%aa"],
];

/**
 * Spellings of `path`: `[{ how, path }]`, each once, the plain one first. `host` is what an address with a host in it names.
 */
export function spellingsOf(path, host) {
  const segments = path.split("/").filter(Boolean);
  const end = path.length > 1 && path.endsWith("/") ? "/" : "";
  const all = [["as it is", path], ...(segments.length === 0 ? ofRoot() : ofSegments(segments, end))];
  all.push(["a host in the path", `//${host}${path}`], ["the whole address", `http://${host}${path}`]);
  const seen = new Set();
  return all
    .map(([how, spelled]) => ({ how, path: spelled }))
    .filter((each) => !seen.has(each.path) && seen.add(each.path));
}

const ofRoot = () => [
  ["two slashes", "//"],
  ["a dot segment", "/."],
  ["dot segments", "/x/.."],
  ["encoded dot segments", "/x/%2e%2e"],
  ["an encoded slash", "/%2f"],
  ["a parameter", "/;v=1"],
  ["a backslash", "/\\"],
  ["an encoded question mark", "/%3fx"],
  ["NUL", "/%00"],
];

function ofSegments(segments, end) {
  const join = (changed, slash = "/") => slash + changed.join(slash) + end;
  const each = (change) => join(segments.map(change));
  const atLast = (change) => join([...segments.slice(0, -1), change(lastOf(segments))]);
  const plain = join(segments);
  return [
    ...ofCase(each, atLast, segments),
    ...ofEncoding(each, atLast),
    ...ofSlashesAndDots(plain, segments, end, join),
    ...ofEnds(plain, atLast, segments, end, join),
    ...ofUnicode(plain, atLast, segments),
  ];
}

const ofCase = (each, atLast) => [
  ["in capitals", each((segment) => segment.toUpperCase())],
  ["with a capital", atLast((segment) => segment[0].toUpperCase() + segment.slice(1))],
];

const ofEncoding = (each, atLast) => {
  const all = (segment) => [...segment].map(encoded).join("");
  const twice = (text) => text.replaceAll("%", "%25");
  const first = (segment) => encoded(segment[0]) + segment.slice(1);
  return [
    ["one letter encoded", atLast(first)],
    ["every letter encoded", each(all)],
    ["encoded twice", atLast((segment) => twice(first(segment)))],
    ["every letter encoded twice", each((segment) => twice(all(segment)))],
    ["encoded three times", atLast((segment) => twice(twice(first(segment))))],
    ["encoded as %u", atLast((segment) => `%u00${encoded(segment[0]).slice(1)}${segment.slice(1)}`)],
  ];
};

const ofSlashesAndDots = (plain, segments, end, join) => [
  ["two slashes in front", `/${plain}`],
  ["three slashes in front", `//${plain}`],
  ["two slashes inside", `/${segments.join("//")}${end}`],
  ["a dot segment in front", `/.${plain}`],
  ["a dot segment inside", `/${segments.join("/./")}${end}`],
  ["an encoded dot segment", `/%2e${plain}`],
  ["dot segments", `/x/..${plain}`],
  ["encoded dot segments", `/x/%2e%2e${plain}`],
  ["dot segments encoded twice", `/x/%252e%252e${plain}`],
  ["dot segments with an encoded slash", `/x/..%2f${plain.slice(1)}`],
  ["dot segments with an encoded backslash", `/x/..%5c${plain.slice(1)}`],
  ["dot segments with a parameter", `/x/..;/${plain.slice(1)}`],
  ["encoded slashes", `/${segments.join("%2f")}${end}`],
  ["slashes encoded twice", `/${segments.join("%252f")}${end}`],
  ["slashes too long in UTF-8", `/${segments.join("%c0%af")}${end}`],
  ["backslashes", `/${segments.join("\\")}${end && "\\"}`],
  ["encoded backslashes", `/${segments.join("%5c")}${end}`],
  ["a slash more at the end", `${join(segments).replace(/\/$/, "")}//`],
];

const ofEnds = (plain, atLast, segments, end, join) => {
  const bare = plain.replace(/\/$/, "");
  return [
    ["without a slash at the end", bare],
    ["a slash at the end", `${bare}/`],
    ["a parameter inside", join([`${segments[0]};v=1`, ...segments.slice(1)])],
    ["a parameter at the end", `${bare};jsessionid=1`],
    ["a parameter like a file", `${bare};.css`],
    ["a dot at the end", atLast((segment) => `${segment}.`)],
    ["a space at the end", atLast((segment) => `${segment}%20`)],
    ["a tab inside", atLast((segment) => `${segment[0]}%09${segment.slice(1)}`)],
    ["a line break at the end", `${bare}%0d%0a`],
    ["NUL at the end", `${bare}%00`],
    ["NUL and a file's ending", `${bare}%00.css`],
    ["an encoded question mark", `${bare}%3fx`],
    ["an encoded hash", `${bare}%23x`],
    ["a query", `${plain}?x`],
    ["a query like a path", `${plain}?/../..`],
    ...(end ? [["a file like a picture", `${bare}/anteroom-probe.png`]] : []),
  ];
};

const ofUnicode = (plain, atLast, segments) => {
  const twins = CASE_TWINS.filter(([letter]) => lastOf(segments).toLowerCase().includes(letter));
  const swap = (letter, twin) => atLast((segment) => segment.toLowerCase().replace(letter, twin));
  return [
    ["a wide letter", /^[!-~]/.test(lastOf(segments)) ? atLast((text) => wide(text[0]) + text.slice(1)) : plain],
    ["a letter too long in UTF-8", atLast((text) => overlong(text[0]) + text.slice(1))],
    ...twins.map(([letter, twin]) => [`another letter whose capital is ${letter.toUpperCase()}`, swap(letter, twin)]),
  ];
};

const overlong = (letter) =>
  `%${(0xc0 | (letter.charCodeAt(0) >> 6)).toString(16)}%${(0x80 | (letter.charCodeAt(0) & 0x3f)).toString(16)}`;

/** What a bypass might reach that it does not say: `[{ how, path }]`; none of these is the bypass. */
export function beyond(rule, target) {
  const folder = rule.endsWith("/*") ? rule.slice(0, -2) : null;
  const up = (steps) => `${folder ?? rule}${steps.join("")}${target}`;
  const climbs = [
    ["dot segments", "/.."],
    ["encoded dot segments", "/%2e%2e"],
    ["dot segments encoded twice", "/%252e%252e"],
    ["dot segments with a parameter", "/..;"],
    ["dot segments with an encoded slash", "/..%2f.."],
    ["dot segments with backslashes", "\\.."],
    ["dot segments with encoded backslashes", "%5c.."],
  ];
  const depth = (folder ?? rule).split("/").filter(Boolean).length;
  const out = climbs.map(([how, step]) => ({ how, path: up(Array(depth).fill(step)) }));
  const neighbours = folder === null ? [`${rule}y`, `${rule}/x`, `${rule}.x`] : [`${folder}y`, `${folder}.x/y`];
  return [...out, ...neighbours.map((path) => ({ how: "a neighbour of the rule", path }))];
}
