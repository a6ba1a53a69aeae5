// Strings of the page that explains why the number of posts changed, and of lists of what is
// over-represented.

import { number, percent, plural } from "../lib/format";
import type { Explanation } from "../lib/types";

const rounded = (n: number) => (n > 0 && n < 10 ? String(Math.round(n * 10) / 10) : number(Math.round(n)));

// times formats a ratio: 6.1 or 24.
const times = (ratio: number) => (ratio < 10 ? ratio.toFixed(1) : number(Math.round(ratio)));

const interval = (e: NonNullable<Explanation["expected"]>) => `${number(Math.round(e.low))}–${number(Math.round(e.high))}`;

export const why = {
  loading: "Comparing with earlier weeks…",
  rounded,

  // Suggestions
  unusualDays: "Unusual days",
  unusualNote: "Days with more or fewer posts than the same weekday in the weeks before",
  findingUnusual: "Looking for unusual days…",
  choose: "Choose what to explain",
  chooseDay: "Pick one of these days, or choose dates above. In the Volume chart of the overview, you can click or drag over any days or hours.",
  nothingUnusual: "No day stands out: all are within the expected range. Choose dates above to explain them anyway.",
  tooLong: "An explanation covers up to 31 days. Choose shorter dates, or one of the unusual days.",
  compared: (posts: number, expected: number) => `${plural(posts, "post")}, ${ratioOf(posts, expected)}`,
  moreDays: (n: number) => `and ${plural(n, "more day")}`,

  // Headline
  posts: (posts: number, when: string) => `${plural(posts, "post")} ${when}`,
  onDay: (day: string) => `on ${day}`,
  inDays: (days: string) => `for ${days}`,
  hours: (day: string, from: string, to: string) => `on ${day}, ${from}–${to}`,
  longHours: (from: string, to: string) => `from ${from} to ${to}`,
  more: (what: string, posts: number, e: NonNullable<Explanation["expected"]>) => {
    if (e.posts < 0.5) return `${what}, although none were expected.`;
    const ratio = posts / e.posts;
    const size = ratio >= 1.5 ? `${times(ratio)} times the` : `${percent(ratio - 1)} more than the`;
    return `${what}: ${size} ${rounded(e.posts)} expected (range ${interval(e)}).`;
  },
  fewer: (what: string, posts: number, e: NonNullable<Explanation["expected"]>) => `${what}: ${percent(1 - posts / e.posts)} fewer than the ${rounded(e.posts)} expected (range ${interval(e)}).`,
  usual: (what: string, e: NonNullable<Explanation["expected"]>) => `${what}: within the expected range of ${interval(e)}. Nothing unusual.`,
  unknown: (what: string) => `${what}. There are no earlier weeks to compare with, so it is not known how many were to be expected.`,
  noResults: "This monitor has no results for these dates.",
  oneStory: (share: number) => `One story explains ${percent(share)} of the increase.`,
  withMore: (more: number, share: number) => (more === 1 ? `Together with a second one, ${percent(share)} is explained.` : `Together with ${number(more)} others, ${percent(share)} is explained.`),
  severalStories: (n: number, share: number) => `${number(n)} stories together explain ${percent(share)} of the increase.`,
  fewStories: (share: number) => `No single cause: the stories below explain only ${percent(share)} of the increase.`,
  noStory: "No single cause: no story stands out. There is more of what is always there.",

  // Caveats
  unfinished: (time: string) => `Not over yet: posts until ${time} are compared with the same hours of earlier weeks.`,
  resultsFrom: (day: string) => `Results start on ${day}; earlier dates are not included.`,
  resultsUntil: (time: string) => `Results end at ${time}.`,
  partialBaseline: (share: number) => `The expectation is rough: it is based on a single earlier period, for which only ${percent(share)} has results.`,
  fewBaselines: (n: number) => `The expectation is rough: it is based on ${n === 1 ? "a single earlier period" : `${n} earlier periods`}.`,

  // Chart
  chartTitle: "Posts and expectation",
  chartNote: (hours: boolean) => (hours ? "By hour. The line is the average of the earlier weeks in use. Click or drag to explain single hours." : "By day. The line is the average of the earlier weeks in use. Click or drag to explain single days."),
  chartLabel: (posts: number, expected: string) => `${plural(posts, "post")}; ${expected} expected`,
  unknownExpected: "an unknown number",
  expected: "Expected",
  hour: "Hour",
  day: "Day",
  weeks: "Earlier weeks",
  weeksNote: "The expectation is the average of those in use",
  periodColumn: "Period",
  usedColumn: "In use",
  yes: "Yes",
  no: "No",
  thisPeriod: "This period",
  exceptional: "not used: exceptional",
  uncovered: "no results",
  partlyCovered: (share: number, used: boolean) => `${used ? "" : "not used: "}${percent(share)} covered`,

  // Stories
  stories: "Stories",
  storyShare: (share: number) => `explains ${percent(share)} of the increase`,
  storyPosts: (posts: number, expected: number) => `${plural(posts, "post")}, ${rounded(expected)} expected`,
  storyCurve: "Posts over time",
  words: "Words",
  links: "Links",
  viewPosts: "View these posts",
  viewPostsOf: (name: string) => `View these posts: ${name}`,
  earliest: "Earliest post",
  top: "Most engaging post",
  earliestAndTop: "Earliest and most engaging post",

  // Over-represented
  over: "What is different",
  overNote: (fewer: boolean) => (fewer ? "What had a larger share than in earlier weeks, with the posts expected. Select an entry to see its posts." : "What there is much more of than in earlier weeks: posts vs. expected posts. Select an entry to see its posts."),
  nothingOver: "Nothing is over-represented: the posts are about the same things, by the same kinds of authors, as in earlier weeks.",
  about: (n: number) => `about ${number(n)}`,
  ratio: (posts: number, expected: number) => ratioOf(posts, expected),
  versus: (posts: number, expected: number) => `vs. ${rounded(expected)} (${times(posts / expected)}×)`,
  newEntry: "new",
  lists: { words: "Words", phrases: "Phrases", hashtags: "Hashtags", links: "Links", sites: "Sites", authors: "Authors", languages: "Languages", countries: "Countries", sources: "Sources", sentiment: "Sentiment" },
  postsWith: (name: string) => `Posts: ${name}`,
  openLink: (link: string) => `Open ${link} in a new tab`,
  authorPage: (name: string) => `About ${name}`,
  ratioColumn: "×",
  scoreColumn: "Score",
  estimated: "Estimates, from a sample of the posts",
  showAll: (n: number) => `Show all ${number(n)}`,
  showFewer: "Show fewer",
};

// ratioOf compares posts with an expectation: 6.1× the 200 expected.
function ratioOf(posts: number, expected: number): string {
  if (expected < 0.05) return "0 expected";
  return `${times(posts / expected)}× the ${rounded(expected)} expected`;
}
