// Strings of the page of an author.

import { number, plural } from "../lib/format";

export const author = {
  loading: "Loading the author…",
  noName: "No author selected",
  noNameText: "Choose an author on a post or in the list of authors of a monitor.",
  handle: (name: string) => `@${name}`,
  on: (sources: string[]) => sources.join(", "),
  followers: (n: number | null) => (n === null ? "followers unknown" : plural(n, "follower")),
  scope: (range: string, zone: string) => `${range}. All monitors of your teams; a post that several of them match counts once. Times are in ${zone}.`,

  none: (name: string) => `No posts by ${name}`,
  noneText: (range: string) => `Your monitors have no posts by this author from ${range}.`,
  longer: "Show the last 365 days",

  figures: {
    followers: "Followers",
    newest: "as of the newest post",
    unknown: "not stated",
    reach: "followers, summed over all posts",
    engagement: "Engagement",
    reactions: "likes, shares, comments, replies and retweets",
    latest: (time: string) => `latest ${time}`,
    monitors: "Monitors",
  },

  activity: {
    title: "Activity",
    groupBy: "Group activity by",
    label: (posts: number) => `Posts over time: ${plural(posts, "post")}`,
    peak: (posts: number, when: string) => `Peak: ${number(posts)} on ${when}`,
  },
  followerChart: {
    title: "Followers over time",
    note: "The last number that a post of the day states.",
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
