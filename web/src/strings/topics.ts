// Strings of the topics page, and of the lists of new and rising words.

import { number, percent, plural } from "../lib/format";

export const topics = {
  loading: "Finding topics…",
  loadingChanges: "Comparing with the previous period…",
  title: "Topics",
  summary: (about: number, posts: number) => `${number(about)} of ${plural(posts, "post")} (${percent(posts ? about / posts : 0)}) are about these topics. A post can be about several.`,
  none: "No topics",
  noneFor: (dates: string) => `Too few posts from ${dates} have words in common.`,
  noPosts: "There are no posts for these dates.",
  vsPrevious: (dates: string) => `Changes are vs. ${dates}.`,
  noChange: (share: number) => `Changes are not shown because only ${percent(share)} of the previous period has results.`,
  noPrevious: "There are no results from the previous period to compare with.",

  overTime: "Topics over time",
  overTimeNote: (n: number) => (n === 1 ? "The largest topic" : `The ${number(n)} largest topics`),
  overTimeLabel: (names: string[]) => `Posts over time by topic: ${names.join("; ")}`,
  columns: { topic: "Topic", words: "Words", posts: "Posts", share: "Share", previous: "Previous period" },

  posts: (n: number) => plural(n, "post"),
  postsAbout: (n: number, name: string) => `${plural(n, "post")} about ${name}`,
  share: (share: number) => `${percent(share)} of posts`,
  viewPosts: "View posts",
  viewPostsOf: (name: string) => `View posts: ${name}`,
  narrow: "Show in overview",
  narrowTo: (name: string) => `Show in overview: ${name}`,
  sentiment: (name: string) => `Sentiment of ${name}`,
  curve: (name: string) => `Posts about ${name}`,
  examples: (n: number) => (n === 1 ? "Example post" : `${number(n)} example posts`),
  examplesOf: (name: string) => `Examples: ${name}`,

  rising: "New and rising",
  risingNote: (dates: string) => `Compared with ${dates}. Numbers are posts vs. expected posts; select an entry to see its posts.`,
  risingShort: (dates: string) => `Compared with ${dates}`,
  kind: "Type",
  noRising: "Nothing is new or much more frequent than in the previous period.",
  partial: (share: number) => `Only ${percent(share)} of the previous period has results; expected numbers are extrapolated from it.`,
  allRising: "All topics and rising words",
};
