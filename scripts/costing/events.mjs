// The crowd that an event of a wrangler.toml expects, and how long it waits: all come within a while after the opening, and are
// let in as fast as the event's limits allow. So the last one waits until everybody has been let in, and half of that is
// what one waits on average.
import { UsageError } from "../command-line.mjs";
import { counted } from "../counted.mjs";
import { eventsOf } from "../wrangler-config.mjs";

const DEFAULT_VISITORS = 10_000;
const DEFAULT_PASS_SECONDS = 180;
/** In these modes nobody waits in a line. */
const WITHOUT_LINE = ["off", "closed", "rate"];

/** Admissions a minute that the limits allow; a session that ends makes room for the next. */
function perMinute({ per_minute, max_active, batch }, sessionMinutes) {
  const limits = [
    ...(per_minute ? [{ rate: per_minute, by: `per_minute = ${per_minute}` }] : []),
    ...(batch ? [{ rate: (batch.size * 60) / batch.every_seconds, by: `batches of ${batch.size}` }] : []),
    ...(max_active
      ? [
          {
            rate: max_active / sessionMinutes,
            by: `max_active = ${max_active}, ${counted(sessionMinutes, "minute")} each`,
          },
        ]
      : []),
  ];
  return limits.toSorted((a, b) => a.rate - b.rate)[0];
}

/** The event with this id; an error names those that there are. */
export function eventOf(config, id) {
  const events = eventsOf(config).map(({ event }) => event);
  const event = events.find((each) => each.id === id);
  if (event) return event;
  throw new UsageError(`--event is ${JSON.stringify(id)}; there are: ${events.map((each) => each.id).join(", ")}`);
}

/** What is to be expected of it: a crowd as in arithmetic.mjs, and the limit that lets it in. */
export function expectationOf(event, { arriveMinutes, sessionMinutes }) {
  if (WITHOUT_LINE.includes(event.mode)) {
    throw new UsageError(
      `--event ${event.id} has the mode ${JSON.stringify(event.mode)}, in which nobody waits in a line`,
    );
  }
  const visitors = event.expected_visitors ?? DEFAULT_VISITORS;
  const limit = perMinute(event.admission ?? {}, sessionMinutes);
  if (!limit) throw new UsageError(`--event ${event.id} has no limit in admission, so nobody waits`);
  const lastsMinutes = Math.max(arriveMinutes, visitors / limit.rate);
  // Who comes last of a crowd that comes faster than it is let in waits for the difference.
  const waitMinutes = Math.max(0, visitors / limit.rate - arriveMinutes) / 2;
  return {
    ...{ visitors, waitMinutes, lastsMinutes, admittedASecond: limit.rate / 60, limit: limit.by },
    challenge: event.challenge ?? "pow",
    passSeconds: event.pass_seconds ?? DEFAULT_PASS_SECONDS,
    isDrawn: (event.lines ?? [event]).some((line) => line.opens_at),
  };
}
