// Strings of the page that lists the monitors.

import { plural } from "../lib/format";

export const home = {
  summary: (monitors: number, days: string) => `${plural(monitors, "monitor")} · last ${days} days vs. previous ${days}`,
  find: "Find a monitor",
  period: "Period",
  noMatch: "No matching monitors",
  noMatchHint: "Search for another name or tag.",
  loading: "Loading monitors…",
  empty: "No monitors yet",
  emptyHint: "A monitor is a saved search. It matches new posts as they arrive, and posts already stored.",
  createFirst: "Create a monitor",
  posts: "posts",
  sparkline: (monitor: string) => `Posts per day for ${monitor}`,
  train: "Train the model",
  progress: (monitor: string, progress: string) => `${monitor}: ${progress}`,
};
