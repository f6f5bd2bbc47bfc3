// The npm package jsonwebtoken, as its own documentation shows it: an independent reader of passes, no recipe of ours.
import jwt from "jsonwebtoken";

const { WAITING_ROOM_ISSUER: issuer, WAITING_ROOM_AUDIENCE: audience, WAITING_ROOM_KEYS } = process.env;
const keys = Object.fromEntries(WAITING_ROOM_KEYS.split(" ").map((text) => text.split(":")));

export async function verify(pass, now) {
  const key = Buffer.from(keys[jwt.decode(pass, { complete: true })?.header.kid] ?? "", "base64url");
  return jwt.verify(pass, key, { algorithms: ["HS256"], issuer, audience, clockTimestamp: now, clockTolerance: 30 });
}
