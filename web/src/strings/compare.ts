// Strings of the page that compares monitors.

import { number, plural } from "../lib/format";

export const compare = {
  lead: "Compare monitors, saved filters, and date ranges side by side, and each with an earlier period.",
  empty: "Choose what to compare",
  emptyHint: "Add two or more monitors, or one monitor and an earlier period.",
  counting: "Counting posts…",

  rows: {
    list: "Rows",
    add: "Add a monitor or saved filter",
    placeholder: "Type to search",
    full: (max: number) => `A comparison can have up to ${max} rows. Remove one to add another.`,
    tooMany: (rows: number, max: number) => `This link has ${rows} rows, but a comparison can have only ${max}. The rest are left out.`,
    suggestions: "Compare with",
    start: "Start with",
    all: (n: number) => `All ${number(n)}`,
    saved: (monitor: string, filter: string) => `${monitor} › ${filter}`,
    again: (label: string, n: number) => `${label} (${n})`,
    edit: (label: string, position: number, rows: number) => `${label}: row ${position} of ${rows}, settings`,
    editTitle: "Dates, filter, and order. Alt+← and Alt+→ move the row.",
    dates: "Dates",
    sameDates: "Same as the other rows",
    moveLeft: "Move left",
    moveRight: "Move right",
    duplicate: "Duplicate",
  },

  period: {
    label: "Compare to",
    none: "None",
    previous: "Previous period",
    year: "Previous year",
    custom: "Custom",
    from: "From",
  },
  earlierNames: { previous: "previous period", year: "previous year" } as Record<string, string>,
  earlierSeries: (label: string, period: string) => `${label}, ${period}`,
  earlierFrom: (start: string) => `from ${start}`,

  totals: {
    title: "Totals",
    row: "Row",
    change: "Change",
    share: "Share of voice",
    dates: "Dates",
    noResults: "No results",
    noEarlier: "No data",
    covered: (days: number, of: number) => `${days} of ${plural(of, "day")}`,
    today: "includes today",
    perDay: "per day",
    was: (posts: number, dates: string) => `from ${number(posts)}, ${dates}`,
    partial: "Some periods have data for only some of their days. Their changes compare posts per day.",
    unchanged: "±0%",
    csv: ["Row", "Start", "End", "Days with data", "Days", "Posts", "Share of voice (%)", "Authors", "Reach", "Engagement", "Earlier start", "Earlier end", "Earlier days with data", "Earlier posts", "Change per day (%)"],
  },

  share: {
    note: "Share of the posts in all rows with the same dates. A post that matches several rows counts in each.",
    csv: ["Row", "Posts", "Share of voice (%)"],
  },

  volume: {
    day: (n: number) => `Day ${n}`,
    aligned: "Periods are aligned by their first day.",
    as: "Show volume as",
    ownShare: "% of own total",
    label: (names: string[]) => `Posts per day: ${names.join(", ")}`,
  },

  categories: "Sentiment and opinions",
  noData: "No data for these dates.",
  matrixNote: "Percentage of posts for which it is known",
  estimateNote: "Estimated shares with 95% intervals",
  calibrated: (labels: number) => `calibrated with ${plural(labels, "labeled post")}`,
  noDifference: "No clear difference: the 95% intervals overlap.",
  difference: (category: string, high: string, highShare: string, low: string, lowShare: string) => `${high} gets more ${/^(positive|neutral|negative)$/i.test(category) ? category.toLowerCase() : `“${category}”`} posts (${highShare}) than ${low} (${lowShare}).`,
  bounds: ["Low (%)", "High (%)"],
  shareColumns: (label: string) => [`${label} (%)`, `${label} low (%)`, `${label} high (%)`],
  posts: (name: string, posts: number) => `${name}: ${plural(posts, "post")}`,

  topics: {
    note: "The largest topics of each row",
    none: "No topics found.",
    csv: ["Row", "Topic", "Posts"],
  },

  separating: {
    title: "What sets them apart",
    note: "Words and attributes that are more common in a row than in all other rows combined",
    estimated: "Estimates based on a sample of posts.",
    needsRows: "Add another row to see what sets them apart.",
    none: "Nothing stands out.",
    words: "Words",
    lift: (times: string) => `${times}×`,
    only: "only here",
    liftTitle: (posts: number, expected: string) => `${plural(posts, "post")}; ${expected} expected, based on the other rows`,
    kinds: { words: "Words", hashtags: "Hashtags", authors: "Authors", sites: "Sites", sources: "Sources", languages: "Languages", countries: "Countries", sentiment: "Sentiment" },
    csv: ["Row", "Type", "Name", "Posts", "Expected posts", "Score"],
  },
};
