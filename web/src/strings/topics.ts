// Strings of the topics page, and of the lists of new and rising words.

import { number, percent, plural } from "../lib/format";

export const topics = {
  loading: "Looking for topics…",
  loadingChanges: "Comparing with the previous period…",
  title: "Topics",
  summary: (about: number, posts: number) => `${number(about)} of ${plural(posts, "post")} (${percent(posts ? about / posts : 0)}) are about these topics. A post can be about several.`,
  none: "No topics",
  noneFor: (dates: string) => `There are too few posts with words in common for ${dates}.`,
  noPosts: "There are no posts for these dates.",
  vsPrevious: (dates: string) => `Changes are vs. ${dates}.`,
  noChange: (share: number) => `Only ${percent(share)} of the previous period has results, so changes are not shown.`,
  noPrevious: "There are no results for the previous period to compare with.",

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
  risingNote: (dates: string) => `What there is more of than in ${dates}: posts vs. expected posts. Select an entry to see its posts.`,
  risingShort: (dates: string) => `Compared with ${dates}`,
  kind: "List",
  noRising: "Nothing is new or much more frequent than in the previous period.",
  partial: (share: number) => `Only ${percent(share)} of the previous period has results; expectations are extrapolated.`,
  allRising: "All topics, new and rising words",
};
