// Strings of the author page.

import { number, plural } from "../lib/format";

export const author = {
  loading: "Loading the author…",
  noName: "No author selected",
  noNameText: "Select an author on a post or in a monitor's list of authors.",
  handle: (name: string) => `@${name}`,
  on: (sources: string[]) => sources.join(", "),
  followers: (n: number | null) => (n === null ? "followers unknown" : plural(n, "follower")),
  scope: (range: string, zone: string) => `${range}. Covers all monitors of your teams; a post that matches several counts once. Times are in ${zone}.`,

  none: (name: string) => `No posts by ${name}`,
  noneText: (range: string) => `Your monitors have no posts by this author from ${range}.`,
  longer: "Show the last 365 days",

  figures: {
    followers: "Followers",
    newest: "as of the latest post",
    unknown: "unknown",
    reach: "total followers across all posts",
    latest: (time: string) => `latest ${time}`,
    monitors: "Monitors",
  },

  activity: {
    title: "Activity",
    groupBy: "Group activity by",
    label: (posts: number) => `Posts over time: ${plural(posts, "post")}`,
  },
  followerChart: {
    title: "Followers over time",
    note: "The last number stated by a post on each day.",
    label: (first: number, last: number) => `Followers over time: from ${number(first)} to ${number(last)}`,
  },

  topics: "Topics",
  noTopics: "No topics. There may be too few posts.",
  noHashtags: "No hashtags in these posts.",
  postTypes: "Post types",

  topPosts: "Top posts",
  topNote: "The five posts with the most engagement",
  allPosts: "All posts",
};
