// Strings of the page about the account of a social monitor.

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
    userLikes: "Likes on visitor posts",
    userComments: "Comments on visitor posts",
    userShares: "Shares of visitor posts",
  } satisfies Record<keyof AccountMetrics, string>,

  totals: {
    signed,
    vsPrevious: (days: number) => (days === 1 ? "vs. previous day" : `vs. previous ${number(days)} days`),
    previous: (value: number, dates: string) => `${number(value)} for ${dates}`,
  },

  charts: {
    followers: "Followers",
    pageLikes: "Page likes",
    posts: "Posts by the account",
    impressions: "Impressions",
    engagement: "Mentions, replies, and retweets",
    reactions: "Engagement with the account's posts",
    visitors: "Visitor posts and their engagement",
  },
  notes: {
    posts: (n: number, days: number) => `${plural(n, "post")}, ${(n / days).toFixed(1)} per day`,
    impressions: "The account's followers, summed over its posts",
    engagement: "Posts by others that mention, reply to, or retweet the account",
    reactions: "Change per day; negative if people took back likes or deleted comments",
    visitors: "Posts by others on the page, and the daily change in their likes, comments, and shares",
    change: (last: number, change: number) => `${number(last)} (${signed(change)} in this period)`,
    none: "No data for these dates",
  },
  label: (title: string, totals: string) => `${title} by day: ${totals}`,
  total: (name: string, value: number) => `${name} ${number(value)}`,

  hashtags: {
    title: "Hashtags",
    note: "In all of this monitor's posts",
    none: "No hashtags in these posts.",
  },

  posts: {
    title: "Latest posts by the account",
    note: (shown: number, all: number) => (shown < all ? `The latest ${number(shown)} of ${plural(all, "post")}` : plural(all, "post")),
    none: "The account did not post on these dates.",
    date: "Date",
    text: "Text",
    columns: { likes: "Likes", comments: "Comments", shares: "Shares", retweets: "Retweets", replies: "Replies", impressions: "Impressions" },
    url: "URL",
    open: "Open the post in a new tab",
  },

  noResults: "This monitor has no results for these dates.",
};
