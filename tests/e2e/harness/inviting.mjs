// What an organizer hands out: access codes, and invitations signed with nothing but node:crypto, as their own system would.
import { createHmac } from "node:crypto";
import { accessCodes, enqueueKeys } from "../../../scripts/setup/keys-tool.mjs";

/** Codes of a line, as a list. */
export async function codesOf(room, { event = room.event, line, count = 1, uses = 1, run = 1 }) {
  const { issuer, secrets } = room;
  const text = await accessCodes({ issuer, event, run, line, count, uses, secrets });
  return text.split("\n").filter(Boolean);
}

/** A function that signs invitations to an event: `(claims, { header, key }) => token`. */
export async function inviterOf(room, { event = room.event } = {}) {
  const { issuer, secrets } = room;
  const { keys } = await enqueueKeys({ issuer, event, secrets });
  const [{ k, kid }] = keys;
  let count = 0;
  return (claims, { header = {}, key = k } = {}) => {
    const now = Math.floor(Date.now() / 1_000);
    count += 1;
    const said = {
      v: 1,
      iss: "club",
      aud: issuer,
      evt: event,
      line: "members",
      jti: `${count}`,
      iat: now,
      exp: now + 600,
    };
    const content = [
      { alg: "HS256", typ: "wr-enqueue+jwt", kid, ...header },
      { ...said, ...claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const mac = createHmac("sha256", Buffer.from(key, "base64url")).update(content).digest("base64url");
    return `${content}.${mac}`;
  };
}
