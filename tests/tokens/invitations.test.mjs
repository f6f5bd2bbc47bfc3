// The recipes of docs/invitations.md, run as they stand there: what they sign is what the room takes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import test, { after } from "node:test";
import { findOnPath, root, toolsDir } from "../../scripts/paths.mjs";
import { checkEnqueue, enqueueKeys } from "../../scripts/setup/keys-tool.mjs";

const PATIENCE = { timeout: 60_000 };
const FOURTEEN_DAYS = 14 * 86_400;
const page = readFileSync(path.join(root, "docs", "invitations.md"), "utf8");
const secrets = { ROOT_KEY: `t1:${randomBytes(32).toString("base64url")}` };
const deployment = { issuer: "live", event: "world-tour", secrets };

/** How a recipe is finished to print one invitation, and what runs it. */
const LANGUAGES = {
  js: { ending: "mjs", print: "console.log(await invitation(process.env.MEMBER));", program: () => process.execPath },
  python: { ending: "py", print: 'print(invitation(os.environ["MEMBER"]))', program: pythonWithPackages },
  php: { ending: "php", print: "echo $invitation(getenv('MEMBER')), \"\\n\";", program: () => findOnPath("php") },
};

function pythonWithPackages() {
  return process.env.PYTHON ?? path.join(root, ".venv", "bin", "python");
}

/** The recipes in the order of the page: those that define an invitation. */
const recipes = [...page.matchAll(/^### (.+)\n\n```(js|python|php)\n([\s\S]*?)\n```$/gm)].map(
  ([, title, language, code]) => ({ title, language, code }),
);

// Inside the repository, where its npm packages are found.
mkdirSync(toolsDir, { recursive: true });
const folder = mkdtempSync(path.join(toolsDir, "invitations-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function sign({ title, language, code }, member) {
  const { ending, print, program } = LANGUAGES[language];
  const file = path.join(folder, `${title.replace(/\W+/g, "-")}.${ending}`);
  writeFileSync(file, `${code}\n${print}\n`);
  const [key] = (await enqueueKeys(deployment)).keys;
  const env = { PATH: process.env.PATH, ENQUEUE_KEY: key.k, ENQUEUE_KEY_ID: key.kid, MEMBER: member };
  const child = spawn(program(), [file], { env });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (bytes) => (printed[name] += bytes));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(exit, 0, printed.stderr);
  return printed.stdout.trim();
}

test("the page has recipes for Node, PHP and Python", () => {
  assert.deepEqual(
    recipes.map(({ language }) => language),
    ["js", "js", "php", "python"],
  );
});

for (const recipe of recipes) {
  const isMissing = LANGUAGES[recipe.language].program() === null;
  const skip = isMissing && `${recipe.language} is not on this machine`;
  test(`what the recipe "${recipe.title}" signs is taken`, { ...PATIENCE, skip }, async () => {
    for (const member of ["member-4711", "anna/o'neill+tour@example.com", "k".repeat(128)]) {
      const claims = await checkEnqueue({ ...deployment, token: await sign(recipe, member) });
      assert.deepEqual([claims.iss, claims.line, claims.key], ["shop.example.com", "fans", member]);
      assert.equal(claims.exp - claims.iat, FOURTEEN_DAYS);
      assert.ok(Math.abs(claims.iat - Date.now() / 1000) < 60);
    }
  });

  test(`what the recipe "${recipe.title}" signs holds nowhere else`, { ...PATIENCE, skip }, async () => {
    const token = await sign(recipe, "member-4711");
    const elsewhere = [
      [{ event: "world-tour-2" }, /unknown-key/],
      [{ issuer: "staging" }, /unknown-key/],
      [{ secrets: { ROOT_KEY: `t1:${randomBytes(32).toString("base64url")}` } }, /signature/],
      [{ token: token.replace(/.$/, (last) => (last === "A" ? "E" : "A")) }, /shape|signature/],
    ];
    for (const [change, why] of elsewhere) {
      await assert.rejects(checkEnqueue({ ...deployment, token, ...change }), why);
    }
  });
}

test("every reason for a refusal is explained on the page", () => {
  const cases = JSON.parse(readFileSync(path.join(root, "crates/token/tests/vectors/enqueue.json"), "utf8"));
  const reasons = new Set(cases.map(({ refusal }) => refusal).filter(Boolean));
  assert.ok(reasons.size >= 12);
  const missing = [...reasons].filter((reason) => !page.includes(`| \`${reason}\``));
  assert.deepEqual(missing, []);
});
