// Asks the recipe in Node that is named: for each line of standard input, `<now> <pass in hexadecimal>`, prints 1 or 0.
import { argv } from "node:process";
import { createInterface } from "node:readline";

const { verify } = await import(argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const [now, hex] = line.split(" ");
  const taken = await verify(Buffer.from(hex, "hex").toString("utf8"), Number(now)).then(
    (claims) => typeof claims.jti === "string",
    () => false,
  );
  process.stdout.write(taken ? "1\n" : "0\n");
}
