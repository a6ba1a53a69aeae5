import type { Period } from "../../lib/drill";
import { dateTime, day } from "../../lib/format";
import { periodOf, when } from "../../lib/period";
import type { Explanation } from "../../lib/types";
import { Link } from "../../lib/router";
import { Card } from "../../components/basics";
import { why } from "../../strings/why";

// Headline states in a few sentences how unusual the number of posts is, and why.
export function Headline({ e, period, zone, href }: { e: Explanation; period: Period; zone: string; href: string }) {
  const caveats = caveatsOf(e, period, zone);
  return (
    <Card label={sizeOf(e)} class="headline">
      <h2>{[sizeOf(e), causeOf(e)].filter(Boolean).join(" ")}</h2>
      {caveats.map((text) => (
        <p key={text} class="muted small">
          {text}
        </p>
      ))}
      {e.posts > 0 && (
        <p>
          <Link href={href}>{why.allPosts(e.posts)}</Link>
        </p>
      )}
    </Card>
  );
}

// sizeOf compares the number of posts with the expected number.
export function sizeOf(e: Explanation): string {
  if (e.from === e.to) return why.noResults;
  const what = why.posts(e.posts, when(periodOf(e)));
  if (!e.expected) return why.unknown(what);
  switch (e.change) {
    case "more":
      return why.more(what, e.posts, e.expected);
    case "fewer":
      return why.fewer(what, e.posts, e.expected);
    default:
      return why.usual(what, e.expected);
  }
}

// causeOf says how much of an increase the stories explain.
function causeOf(e: Explanation): string {
  if (e.change !== "more") return "";
  if (e.stories.length === 0) return why.noStory;
  switch (e.cause) {
    case "single":
      return [why.oneStory(e.stories[0].share), e.stories.length > 1 && why.withMore(e.stories.length - 1, e.explained)].filter(Boolean).join(" ");
    case "several":
      return why.severalStories(e.stories.length, e.explained);
    default:
      return why.fewStories(e.explained);
  }
}

// endsToday are the rolling ranges that include the current day.
const endsToday = ["last7", "last30", "thisweek", "thismonth"];

// caveatsOf says which part of the period is missing, and whether the expected number is a rough
// estimate.
function caveatsOf(e: Explanation, period: Period, zone: string): string[] {
  if (e.from === e.to) return [];
  const list: string[] = [];
  const [from, to] = [e.from.slice(0, 19), e.to.slice(0, 19)];
  const requestedEnd = period.to ?? (period.end && `${period.end}T00:00:00`);
  const cut = requestedEnd ? to < requestedEnd : endsToday.includes(period.range ?? "");
  const recent = Date.now() - Date.parse(e.to) < 2 * 3_600_000;
  if (cut) list.push((recent ? why.unfinished : why.resultsUntil)(dateTime(e.to, zone)));
  if (period.start && from > (period.from ?? `${period.start}T00:00:00`)) list.push(why.resultsFrom(day(e.from.slice(0, 10))));
  const used = e.baseline.filter((b) => b.used);
  if (used.length === 1 && used[0].coverage < 0.999) list.push(why.partialBaseline(used[0].coverage));
  else if (used.length > 0 && used.length < 3) list.push(why.fewBaselines(used.length));
  return list;
}
