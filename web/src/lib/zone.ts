// Conversion between local times and UTC.

const formats = new Map<string, Intl.DateTimeFormat>();

// toUTC converts a local time in a time zone to UTC, both in milliseconds. If the local time occurs
// twice because clocks are set back, it returns the first.
export function toUTC(local: number, zone: string): number {
  const earlier = local - offsetAt(local - 86_400_000, zone);
  if (earlier + offsetAt(earlier, zone) === local) return earlier;
  return local - offsetAt(local - offsetAt(local, zone), zone);
}

// offsetAt returns the offset of a time zone from UTC at a given UTC time, in milliseconds.
function offsetAt(time: number, zone: string): number {
  let clock = formats.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" });
    formats.set(zone, clock);
  }
  const parts = Object.fromEntries(clock.formatToParts(time).map((p) => [p.type, Number(p.value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) - Math.floor(time / 1000) * 1000;
}
