// Strings of the page that lists the monitors.

import { plural } from "../lib/format";

export const home = {
  summary: (monitors: number, days: string) => `${plural(monitors, "monitor")} · last ${days} days vs. previous ${days}`,
  find: "Find a monitor",
  period: "Period",
  sort: "Sort by",
  orders: { attention: "Needs attention", change: "Biggest change", posts: "Most posts", name: "Name" },
  tag: "Tag",
  tags: (monitor: string) => `Tags of ${monitor}`,
  showTag: (tag: string) => `Show only monitors tagged ${tag}`,
  noMatch: "No matching monitors",
  noMatchHint: "Search for another name or tag.",
  loading: "Loading monitors…",
  empty: "No monitors yet",
  emptyHint: "A monitor is a saved search. It matches new posts as they arrive, and posts already stored.",
  emptyWithSources: "Your sources are collecting posts. A monitor is a saved search that selects and counts the posts you care about.",
  createFirst: "Create a monitor",
  noSources: "Where should posts come from?",
  noSourcesHint: "Add a source such as Bluesky or a news feed to collect posts automatically. Then create a monitor to follow a topic.",
  addSource: "Add a source",
  upload: "Upload a file",
  posts: "posts",
  sparkline: (monitor: string) => `Posts per day for ${monitor}`,
  previous: (posts: number, days: number) => `vs. ${plural(posts, "post")} in the previous ${plural(days, "day")}`,
  moreIncidents: (n: number) => `and ${n} more`,
  otherOpinions: "Other",
  train: "Train the model",
  progress: (monitor: string, progress: string) => `${monitor}: ${progress}`,
};
