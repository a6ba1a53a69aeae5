// What clocks show in zones.

const formats = new Map<string, Intl.DateTimeFormat>();

// toUTC returns when it is so late on the clock of a zone. Of an hour that is there twice it is the first one.
export function toUTC(local: number, zone: string): number {
  const earlier = local - offsetAt(local - 86_400_000, zone);
  if (earlier + offsetAt(earlier, zone) === local) return earlier;
  return local - offsetAt(local - offsetAt(local, zone), zone);
}

// offsetAt tells by how much the clock of a zone is ahead of UTC at a moment.
function offsetAt(time: number, zone: string): number {
  let clock = formats.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" });
    formats.set(zone, clock);
  }
  const parts = Object.fromEntries(clock.formatToParts(time).map((p) => [p.type, Number(p.value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) - Math.floor(time / 1000) * 1000;
}
