// Strings of the page about the account that a monitor watches.

import { number, plural } from "../lib/format";
import type { AccountMetrics } from "../lib/types";

const signed = (n: number) => `${n < 0 ? "−" : n > 0 ? "+" : "±"}${number(Math.abs(n))}`;

export const socialAccount = {
  loading: "Loading account metrics…",
  unknown: "–",
  page: (id: string) => `Page ${id}`,
  of: (account: string, network: string) => `${account} on ${network}`,
  range: (dates: string, zone: string) => `${dates} · all times in ${zone}`,

  // Names of metrics, as totals and as columns of tables.
  metrics: {
    followers: "Followers",
    pageLikes: "Page likes",
    posts: "Posts by the account",
    impressions: "Impressions",
    mentions: "Mentions",
    replies: "Replies",
    retweets: "Retweets",
    postLikes: "Likes",
    postComments: "Comments",
    postShares: "Shares",
    userPosts: "Posts by visitors",
    userLikes: "Likes of visitor posts",
    userComments: "Comments on visitor posts",
    userShares: "Shares of visitor posts",
  } satisfies Record<keyof AccountMetrics, string>,

  totals: {
    signed,
    vsPrevious: (days: number) => (days === 1 ? "vs. previous day" : `vs. previous ${number(days)} days`),
    previous: (value: number, dates: string) => `${number(value)} in ${dates}`,
  },

  charts: {
    followers: "Followers",
    pageLikes: "Page likes",
    posts: "Posts by the account",
    impressions: "Impressions",
    engagement: "Engagement by others",
    reactions: "Reactions to the account's posts",
    visitors: "Visitor posts and reactions to them",
  },
  notes: {
    posts: (n: number, days: number) => `${plural(n, "post")}, ${(n / days).toFixed(1)} per day`,
    impressions: "Followers of the account, added up over its posts",
    engagement: "Posts by others that mention, answer or repeat the account",
    reactions: "Change per day; negative if reactions were withdrawn",
    visitors: "Posts by others on the page, and the change of their reactions per day",
    change: (last: number, change: number) => `${number(last)} (${signed(change)} in this period)`,
    none: "No data for these dates",
  },
  label: (title: string, totals: string) => `${title} by day: ${totals}`,
  total: (name: string, value: number) => `${name} ${number(value)}`,

  hashtags: {
    title: "Hashtags",
    note: "In all posts of this monitor",
    none: "No hashtags in these posts.",
  },

  posts: {
    title: "Latest posts by the account",
    note: (shown: number, all: number) => (shown < all ? `The latest ${number(shown)} of ${plural(all, "post")}` : plural(all, "post")),
    none: "The account published nothing on these dates.",
    date: "Date",
    text: "Text",
    columns: { likes: "Likes", comments: "Comments", shares: "Shares", retweets: "Retweets", replies: "Replies", impressions: "Impressions" },
    url: "URL",
    open: "Open the post in a new tab",
  },

  noResults: "This monitor has no results for these dates.",
};
