// Instants as operators read them: one style everywhere, `2027-03-01 10:00:00 +01:00`, in the event's own time zone.

/** The zone of whoever sits here: for what has none of its own. */
const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone of an event that names none. */
const USUAL_ZONE = "UTC";

/** The event's zone; the zone here if this machine does not know it. */
export function zoneOf(event) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: event.time_zone ?? USUAL_ZONE }).resolvedOptions().timeZone;
  } catch {
    return zoneHere();
  }
}

/** An instant (Unix milliseconds, or a text with its offset) in that zone, to the second, with how far that is from UTC. */
export function instant(at, zone = zoneHere()) {
  const options = {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "longOffset" },
  };
  const parts = new Intl.DateTimeFormat("en", options).formatToParts(new Date(at));
  const part = (type) => parts.find((each) => each.type === type).value;
  const offset = part("timeZoneName").replace(/^(GMT|UTC)/, "") || "+00:00";
  const [date, time] = [
    ["year", "month", "day"],
    ["hour", "minute", "second"],
  ].map((types) => types.map(part));
  return `${date.join("-")} ${time.join(":")} ${offset}`;
}
