// Strings of the Ad hoc analysis page and its results.
import { clock, day, localDateTime, number, plural } from "../lib/format";
import { posts } from "./posts";

const analyses = (n: number) => plural(n, "analysis", "analyses");

export const analysis = {
  lead: "Run a one-off query over up to 24 hours, without creating a monitor.",
  longer: "For a longer period, create a monitor. It also matches stored posts.",
  usage: (used: number, limit: number, since: string) =>
    limit ? `${number(used)} of ${analyses(limit)} used since ${day(since)}` : `${analyses(used)} used since ${day(since)} (no limit)`,

  // Parts of a result
  kinds: {
    volume: "Posts by source",
    sentiment: "Sentiment",
    emotion: "Emotions",
    location: "Locations",
    source: "Sites",
    gender: "Gender",
    age: "Age",
    affinity: "Interests",
    reach: "Reach",
  },
  states: { DONE: "Done", WAITING: "Waiting", SKIPPED: "Failed" },

  // The form
  newAnalysis: "New analysis",
  keywords: "Keywords",
  keywordsExample: "espresso AND (machine OR grinder)",
  timeRangeLegend: "Time range, up to 24 hours",
  lastHours: (hours: number) => (hours === 1 ? "Last hour" : `Last ${hours} hours`),
  from: "From",
  to: "To",
  toHint: "Exclusive",
  timezoneHint: "Applies to both times",
  selectAll: "Select all",
  contentSources: "Content sources",
  contentSourcesHint: "From one team only",
  refinements: "Narrow the posts (optional)",
  allLanguages: "All languages",
  anyLanguage: "Any language",
  allLocations: "All; enter a country or city",
  gender: "Author gender",
  anyGender: "Any",
  includeOrExclude: (criterion: string) => `${criterion}: include or exclude`,
  include: "Include",
  exclude: "Exclude",
  results: "Include in the results",
  analyze: "Analyze",
  analyzing: "Analyzing…",
  invalid: {
    keywords: "Enter a query.",
    sources: "Choose at least one source.",
    results: "Choose at least one item to include in the results.",
    order: "The end must be after the start.",
    tooLong: "An analysis covers at most 24 hours.",
    createMonitor: "Create a monitor for a longer period",
    microblogs: (microblogs: string[]) => `Interests and reach need microblog posts. Choose at least one of these sources, or clear both: ${microblogs.join(", ")}.`,
  },

  // Earlier analyses
  yourAnalyses: "Your analyses",
  kept: "Results are kept for 30 days.",
  noneTitle: "No analyses yet",
  noneText: "Fill in the form and choose Analyze.",
  showOlder: "Show older",
  request: (start: string, end: string, timezone: string, posts: number | null, ago: string) => {
    const until = start.slice(0, 10) === end.slice(0, 10) ? clock(end.slice(11)) : localDateTime(end);
    return `${localDateTime(start)} – ${until}, ${timezone}${posts === null ? "" : ` · ${plural(posts, "post")}`} · ${ago}`;
  },
  runAgain: "Edit and run again",
  runAgainFor: (keywords: string) => `Edit and run again: ${keywords}`,

  // A result
  tabs: "Analysis pages",
  resultsTab: "Results",
  createMonitor: "Create monitor",
  createMonitorHint: "Create a monitor with the query and criteria of this analysis",
  changed: (before: number, now: number) =>
    `${plural(now, "post")} ${now === 1 ? "matches" : "match"} now, compared with ${number(before)} when the analysis ran. Posts over time and the list of posts are current. To update the other charts, choose “Edit and run again”.`,
  topPosts: "Top posts by engagement",
  allPosts: (total: number) => (total === 1 ? "Show the post" : `Show all ${plural(total, "post")}`),
  showPosts: (name: string) => `Show posts: ${name}`,

  // The posts of a result
  anyTime: "Any time",
  spanName: (from: string, to: string) => `${from} – ${to}`,
  sortBy: "Sort by",
  orders: Object.entries(posts.orders).map(([value, name]) => ({ value, name })),
  total: (total: number) => plural(total, "post"),
  timesIn: (zone: string) => `times in ${zone}`,
  noneMatch: "No posts of this analysis match the filters.",
  loadMore: "Load more",
  shown: (shown: number, total: number) => `${number(shown)} of ${number(total)}`,

  skipped: (message: string) => `${message}. Choose “Edit and run again” to fill in the form with this request.`,
  noPostsTitle: "No posts found",
  noPostsText: "Try other keywords, more sources, or another time range. “Edit and run again” fills in the form.",
  posts: (posts: number) => `${plural(posts, "post")} · `,
  timeRange: (start: string, end: string, timezone: string) => `${localDateTime(start)} – ${localDateTime(end)}, ${timezone}`,
  allSources: "All sources",
  refinement: (name: string, exclude: boolean, values: string[]) => `${name}: ${exclude ? "not " : ""}${values.join(", ")}`,
  allKeywords: "All keywords",
  notReady: "The result is not ready yet. This page updates automatically.",
  attempt: (attempt: number, attempts: number) => ` Attempt ${attempt} of ${attempts}.`,
  due: (time: string) => ` The result or the next attempt is due on ${time} (your time).`,

  // Charts
  time: "Time",
  overTime: "Posts over time",
  overTimeLabel: (total: number) => `Posts over time: ${plural(total, "post")}`,
  peak: (posts: number, time: string) => `Peak: ${number(posts)} on ${time}`,
  unknown: "No posts with this information.",
  upToSites: "Up to 100 sites",
  whereKnown: "Where known",
  reachNote: "Total author followers across all microblog posts (potential reach)",
  site: "Site",
  group: "Group",
  share: "Share",
  moreInTable: (rows: number) => `${number(rows)} more in the table.`,
  locationsNote: (posts: number) => `${plural(posts, "post")} with a known country`,
  perMillion: "Posts per million inhabitants",
  map: (countries: { name: string; value: number }[]) => `Map of posts by country: ${countries.map((c) => `${c.name} ${number(c.value)}`).join(", ")}`,
  interestsNote: "Microblog posts. Index vs. all microblog posts (1.0 = average)",
  interestsHead: ["Interest", "Group", "Posts", "% of these posts", "% of all microblog posts", "Index"],
  index: (index: number) => index.toFixed(1),
  withIndex: (index: string) => `· index ${index}`,
  withPosts: (posts: number) => `· ${plural(posts, "post")}`,
  indexName: "Index",
  sortInterests: "Sort interests by",
  noInterests: "No interest has at least five microblog posts.",
};
