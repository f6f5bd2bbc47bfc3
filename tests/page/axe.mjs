// What axe finds on a page, by the rules of WCAG 2.2 AA and its best practices.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** In one line each, without those of the rules that are `allowed`; of the elements `within`, a selector. */
export async function violations(page, allowed = [], within = "html") {
  const found = await page.evaluate(
    async ([source, values, within]) => {
      if (!window.axe) new Function(source)();
      const options = { runOnly: { type: "tag", values }, resultTypes: ["violations"] };
      const { violations } = await window.axe.run(within, options);
      return violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" | ")}`);
    },
    [axe, RULES, within],
  );
  return found.filter((line) => !allowed.some((rule) => line.startsWith(rule)));
}

/** How much wider than the window a page is, in pixels. */
export const wideBy = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
