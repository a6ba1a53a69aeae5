// Strings of the page that explains why the number of posts changed, and of the lists of
// over-represented words, authors, and so on.

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
  unusualNote: "Days with far more or fewer posts than the same weekday in earlier weeks",
  findingUnusual: "Looking for unusual days…",
  choose: "Choose what to explain",
  chooseDay: "Pick one of these days, or choose dates above. You can also click or drag in the Volume chart on Overview.",
  nothingUnusual: "No unusual days: every day is within its expected range. You can still choose dates above.",
  tooLong: "An explanation covers up to 31 days. Choose a shorter date range, or one of the unusual days.",
  compared: (posts: number, expected: number) => `${plural(posts, "post")}, ${ratioOf(posts, expected)}`,

  // Headline
  posts: (posts: number, when: string) => `${plural(posts, "post")} ${when}`,
  onDay: (day: string) => `on ${day}`,
  inDays: (days: string) => `for ${days}`,
  hours: (day: string, from: string, to: string) => `on ${day}, ${from}–${to}`,
  longHours: (from: string, to: string) => `from ${from} to ${to}`,
  more: (what: string, posts: number, e: NonNullable<Explanation["expected"]>) => {
    if (e.posts < 0.5) return `${what}; none were expected.`;
    const ratio = posts / e.posts;
    const size = ratio >= 1.5 ? `${times(ratio)} times the` : `${percent(ratio - 1)} more than the`;
    return `${what}: ${size} ${rounded(e.posts)} expected (range ${interval(e)}).`;
  },
  fewer: (what: string, posts: number, e: NonNullable<Explanation["expected"]>) => `${what}: ${percent(1 - posts / e.posts)} fewer than the ${rounded(e.posts)} expected (range ${interval(e)}).`,
  usual: (what: string, e: NonNullable<Explanation["expected"]>) => `${what}: within the expected range of ${interval(e)}. Nothing unusual.`,
  unknown: (what: string) => `${what}. There are no earlier weeks to compare with, so the expected number is unknown.`,
  noResults: "This monitor has no results for these dates.",
  oneStory: (share: number) => `One story explains ${percent(share)} of the increase.`,
  withMore: (more: number, share: number) => (more === 1 ? `A second one brings this to ${percent(share)}.` : `${number(more)} others bring this to ${percent(share)}.`),
  severalStories: (n: number, share: number) => `${number(n)} stories together explain ${percent(share)} of the increase.`,
  fewStories: (share: number) => `No single cause: the stories below explain only ${percent(share)} of the increase.`,
  noStory: "No single cause: no story stands out.",

  // Caveats
  unfinished: (time: string) => `Still in progress: posts up to ${time} are compared with the same hours of earlier weeks.`,
  resultsFrom: (day: string) => `Results start on ${day}; earlier dates are not included.`,
  resultsUntil: (time: string) => `Results end at ${time}.`,
  partialBaseline: (share: number) => `The expected number is a rough estimate: it is based on a single earlier period, and only ${percent(share)} of that has results.`,
  fewBaselines: (n: number) => `The expected number is a rough estimate: it is based on ${n === 1 ? "a single earlier period" : `${n} earlier periods`}.`,

  // Chart
  chartTitle: "Posts vs. expected",
  chartNote: (hours: boolean) => (hours ? "By hour. The line is the average of the earlier weeks used. Click or drag to explain specific hours." : "By day. The line is the average of the earlier weeks used. Click or drag to explain specific days."),
  chartLabel: (posts: number, expected: string) => `${plural(posts, "post")}; expected: ${expected}`,
  unknownExpected: "unknown",
  expected: "Expected",
  hour: "Hour",
  day: "Day",
  weeks: "Earlier weeks",
  weeksNote: "The expected number is the average of those used",
  periodColumn: "Period",
  usedColumn: "Used",
  yes: "Yes",
  no: "No",
  thisPeriod: "This period",
  exceptional: "excluded: unusually many posts",
  uncovered: "no results",
  partlyCovered: (share: number, used: boolean) => `${used ? "" : "excluded: "}${percent(share)} covered`,

  // Stories
  stories: "Stories",
  storyShare: (share: number) => `explains ${percent(share)} of the increase`,
  storyPosts: (posts: number, expected: number) => `${plural(posts, "post")}, ${rounded(expected)} expected`,
  storyCurve: "Posts over time",
  words: "Words",
  links: "Links",
  viewPosts: "View these posts",
  allPosts: (n: number) => `View all ${plural(n, "post")}`,
  viewPostsOf: (name: string) => `View these posts: ${name}`,
  earliest: "Earliest post",
  top: "Most engaging post",
  earliestAndTop: "Earliest and most engaging post",

  // Who drove it
  voices: {
    title: "Who drove it",
    orderBy: "Order authors by",
    orders: { engagement: "Engagement", reach: "Followers", first: "First to post", copied: "Most copied" },
    notes: {
      engagement: "Authors whose posts have the most engagement. That of a retweet belongs to the original.",
      reach: "Authors with the most followers",
      first: "Authors of the first posts. Retweets and copies don't count.",
      copied: "Authors whose posts others retweet, link to, or repeat in almost the same words",
    },
    firstAbout: (story: string) => `Authors of the first posts about ${story}. Retweets and copies don't count.`,
    none: { engagement: "None of these posts has any engagement.", reach: "No follower counts available", first: "No posts", copied: "Nobody's posts are copied." },
    roles: { own: "Own account", press: "Press", customer: "Customer" },
    author: "Author",
    followers: "Followers",
    copies: "Copies",
    first: "First post",
    top: "Top post",
    openTop: (name: string) => `Open the top post of ${name} in a new tab`,
    postsOf: (name: string) => `Posts by ${name}`,
    unknown: "unknown",
    estimated: "Copies are estimates based on a sample of posts.",
  },

  // Over-represented
  over: "What stands out",
  overNote: (fewer: boolean) => (fewer ? "A larger share of posts than in earlier weeks. Numbers are posts vs. expected posts; select an entry to see its posts." : "Far more posts than in earlier weeks. Numbers are posts vs. expected posts; select an entry to see its posts."),
  nothingOver: "Nothing stands out compared with earlier weeks.",
  about: (n: number) => `about ${number(n)}`,
  ratio: (posts: number, expected: number) => ratioOf(posts, expected),
  shortRatio: (posts: number, expected: number) => (expected < 0.05 ? "" : `${times(posts / expected)}×`),
  versus: (posts: number, expected: number) => `vs. ${rounded(expected)} (${times(posts / expected)}×)`,
  newEntry: "new",
  lists: { words: "Words", phrases: "Phrases", hashtags: "Hashtags", links: "Links", sites: "Sites", authors: "Authors", languages: "Languages", countries: "Countries", sources: "Sources", sentiment: "Sentiment" },
  postsWith: (name: string) => `Posts: ${name}`,
  openLink: (link: string) => `Open ${link} in a new tab`,
  authorPage: (name: string) => `Open the author page of ${name}`,
  ratioColumn: "×",
  scoreColumn: "Score",
  estimated: "Estimates based on a sample of posts",
  showAll: (n: number) => `Show all ${number(n)}`,
  showFewer: "Show fewer",
};

// ratioOf compares posts with the expected number: 6.1× the 200 expected.
function ratioOf(posts: number, expected: number): string {
  if (expected < 0.05) return "0 expected";
  return `${times(posts / expected)}× the ${rounded(expected)} expected`;
}
