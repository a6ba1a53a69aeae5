// Strings of the cards of a dashboard.

import type { CardKind } from "../lib/types";

export const cards = {
  kinds: {
    figures: "Key figures",
    volume: "Volume",
    sentiment: "Sentiment",
    emotions: "Emotions",
    sources: "Sources",
    sites: "Sites",
    languages: "Languages",
    places: "Locations",
    ages: "Age",
    genders: "Gender",
    hashtags: "Hashtags",
    words: "Words",
    authors: "Authors",
    interests: "Interests",
    clock: "Weekday and hour",
    unusual: "Incidents",
    topics: "Topics",
    posts: "Posts",
    comparison: "Comparison",
    text: "Text",
  } satisfies Record<CardKind, string>,

  // postTitles are the titles of a card with posts, by their order.
  postTitles: { newest: "Newest posts", oldest: "Oldest posts", engagement: "Posts by engagement", reach: "Posts by reach", relevance: "Most relevant posts" } as Record<string, string>,

  title: (kind: string, monitor: string) => `${kind} · ${monitor}`,
  saved: (monitor: string, filter: string) => `${monitor}: ${filter}`,
  versus: (labels: string[]) => labels.join(" vs. "),
  from: (start: string, end: string) => `${start} – ${end}`,
  removed: "This monitor was removed.",
  someRemoved: "Some monitors of this comparison were removed.",
  noPosts: "No posts in this period.",
  posts: (shown: number, total: string) => `${shown} of ${total}`,
  columns: { row: "Name", change: "Change", share: "Share of voice" },
};
