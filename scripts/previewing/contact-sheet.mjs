// All pictures of a preview on one page.
import { counted } from "../counted.mjs";

const escaped = (text) =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);

const STYLES = `
body { margin: 2rem; font: 1rem/1.5 system-ui, sans-serif; background: #eee; color: #14211e }
section { margin-block: 2.5rem }
h2 { font-size: 1.125rem }
div { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1rem }
figure { margin: 0 }
figcaption { font-size: .8125rem }
img { display: block; height: 22rem; width: auto; border: 1px solid #bbb; border-radius: .5rem; background: #fff }
`;

/** The page that shows them; every picture leads to its page. */
export function contactSheet({ title, language }, pages, sizes, colourSchemes) {
  const picture = (name, size, colours) =>
    `<figure><a href="${name}.html"><img loading="lazy" src="${name}-${size}-${colours}.png" alt="${name}, ${size}, ${colours}"></a>` +
    `<figcaption>${size}, ${colours}</figcaption></figure>`;
  const section = ({ name }) => {
    const pictures = sizes.flatMap((size) => colourSchemes.map((colours) => picture(name, size, colours)));
    return `<section><h2>${name.replaceAll("_", " ")}</h2><div>${pictures.join("\n")}</div></section>`;
  };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}: every page</title><style>${STYLES}</style></head>
<body><h1>${escaped(title)}</h1><p>${counted(pages.length, "page")} in ${escaped(language)}</p>
${pages.map(section).join("\n")}
</body></html>
`;
}
