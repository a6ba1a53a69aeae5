// Strings of the page that compares monitors.

import { plural } from "../lib/format";

export const compare = {
  lead: "Compare monitors with each other or with an earlier period.",
  maxMonitors: (n: number) => `Up to ${n} monitors`,
  empty: "Choose what to compare",
  emptyHint: "Choose two or more monitors, or one monitor and an earlier period.",
  counting: "Counting posts…",

  // Names of the compared monitors and periods.
  current: (monitor: string) => `${monitor}, current period`,
  previous: (monitor: string) => `${monitor}, previous period`,
  year: (monitor: string) => `${monitor}, previous year`,
  custom: (monitor: string, start: string) => `${monitor}, from ${start}`,

  period: {
    label: "Compare to",
    none: "None",
    previous: "Previous period",
    year: "Previous year",
    custom: "Custom",
    from: "From",
  },

  totals: {
    title: "Totals",
    note: "Percentages are relative to the first row.",
    dates: "Dates",
    noResults: "No results",
    csv: ["Monitor", "Start", "End", "Posts", "Authors", "Reach"],
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
  matrixNote: "Percentage of posts where known",
  posts: (name: string, posts: number) => `${name}: ${plural(posts, "post")}`,
};
