// Strings about incidents and summaries.

import { plural } from "../lib/format";

export const incidents = {
  title: "Incidents",
  happened: "What happened",
  loading: "Finding out what happened…",
  lead: "Times with far more posts than usual, newest first",
  none: "Nothing unusual happened.",
  learning: "Earshot learns what is usual from the first weeks of posts, so incidents may be missing.",
  note: (title: string) => `Incident: ${title}`,
  all: "All incidents",
  more: (n: number) => `Show ${plural(n, "more incident")}`,
  ongoing: "Ongoing",
  alsoIn: (monitors: string[]) => `Also in ${monitors.length > 4 ? `${monitors.slice(0, 3).join(", ")}, and ${monitors.length - 3} more monitors` : monitors.join(", ")}`,
  signals: (n: number) => plural(n, "signal"),
  posts: "Posts",
  expected: "Expected",
  from: "From",
  to: "To",
  incident: "Incident",
  summary: "Summary",
};
