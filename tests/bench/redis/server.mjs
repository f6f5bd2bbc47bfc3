// A line in a sorted set: who joins gets the next number, and asks for the rank. REDIS_PORT is where Redis listens;
// prints the port at which it listens itself.
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { createClient } from "redis";

const LINE = "line";

const redis = createClient({ socket: { host: "127.0.0.1", port: Number(process.env.REDIS_PORT) } });
await redis.connect();

const server = fastify();

server.post("/join", async (_request, reply) => {
  const id = randomUUID();
  const entry = await redis.incr("entries");
  await redis.zAdd(LINE, { score: entry, value: id });
  const rank = await redis.zRank(LINE, id);
  return reply.code(201).send({ id, entry, ahead: rank });
});

server.get("/position", async (request, reply) => {
  const rank = await redis.zRank(LINE, request.headers.authorization?.slice("Bearer ".length) ?? "");
  return rank === null ? reply.code(404).send({}) : { ahead: rank };
});

await server.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`${server.server.address().port}\n`);
