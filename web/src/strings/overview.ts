// Strings of the overview of a monitor.

import { compact, number, percent, plural } from "../lib/format";
import type { Step } from "../lib/steps";

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

// when puts the name of a step after a number: "on Wed, Oct 21, 2026".
const when: Record<Step, (title: string) => string> = {
  hour: (title) => `on ${title}`,
  day: (title) => `on ${title}`,
  week: (title) => `in the ${lowerFirst(title)}`,
  month: (title) => `in ${title}`,
};

const columns: Record<Step, string> = { hour: "Hour", day: "Day", week: "Week of", month: "Month" };

export const overview = {
  counting: "Counting posts…",
  countingWords: "Counting words…",
  timeColumn: (step: Step) => columns[step],
  knownShare: (share: number) => `Known for ${percent(share)} of posts`,
  knownPosts: (posts: number, share: number) => `Known for ${plural(posts, "post")} (${percent(share)})`,

  noResults: "This monitor has no results yet.",
  noPostsIn: (dates: string) => `No posts for ${dates}.`,
  noPostsMatch: (dates: string) => `No posts match this filter for ${dates}.`,
  resultsOnly: (dates: string) => `Results are available only for ${dates}.`,
  showAll: "Show all dates",
  editQuery: "Edit the query",

  totals: {
    perDay: "Posts per day",
    vsPrevious: (days: number) => (days === 1 ? "vs. previous day" : `vs. previous ${number(days)} days`),
    previousPosts: (posts: number, dates: string) => `${plural(posts, "post")} for ${dates}`,
    reach: "total author followers across all posts",
    noReach: "No follower counts available",
    dominantSentiment: "Dominant sentiment",
    leadingOpinion: "Leading opinion",
    noLeader: "No clear leader",
    contenders: (shares: string[][]) => shares.map(([name, share]) => `${name} ${share}`).join(", "),
  },

  volume: {
    peak: (posts: number, step: Step, title: string) => `Peak: ${number(posts)} ${when[step](title)}`,
    label: (step: Step, posts: number) => `Posts by ${step}: ${number(posts)} total`,
    groupBy: "Group posts by",
    why: "Why?",
    whyTitle: "Explain why there are more or fewer posts than expected",
    picked: (when: string) => `Posts ${when}:`,
    viewPosts: "View posts",
  },

  // Gaps: periods for which a source was down.
  gaps: {
    tooltip: (source: string, reason: string, range: string, open: boolean) => `${source} was down: ${reason || "unknown reason"}\n${range}${open ? "; may still catch up" : ""}`,
    lead: "Posts may be missing.",
    sentence: (range: string, reason: string, open: boolean) => ` was down ${range}${reason ? ` (${reason})` : ""}${open ? " and may still catch up" : ""}.`,
    more: (n: number) => `${plural(n, "more gap")}.`,
    since: (from: string) => `since ${from}`,
    range: (from: string, to: string) => `${from} – ${to}`,
  },

  sentiment: {
    train: "Train the model",
    as: (title: string) => `Show ${title.toLowerCase()} as`,
    share: "%",
    daily: "By day: opinions are estimated for whole days.",
    hourly: "The chart counts posts by hour: shares are estimated for whole days.",
    note: "Estimated shares; bands are 95% confidence intervals.",
    emotionNote: "Estimated shares with 95% confidence intervals.",
    notCalibrated: "Estimates. Ranges are wide because the models are not calibrated for this monitor: ",
    labelPosts: "label 50 posts to narrow them",
    calibrated: (labels: number) => `Calibrated with ${plural(labels, "labeled post")}; bands are 95% confidence intervals.`,
    calibratedOpinions: (labels: number) => `Calibrated with ${plural(labels, "labeled post")}, excluding hidden categories; bands are 95% confidence intervals.`,
    calibratedEmotions: (labels: number) => `Calibrated with ${plural(labels, "labeled post")}; intervals have 95% confidence.`,
    bands: ". Bands are 95% confidence intervals.",
    intervals: ". Intervals have 95% confidence.",
    counts: "Counts show each post under its most likely label.",
    opinionNote: "Estimated shares, excluding hidden categories. Bands are 95% confidence intervals.",
    shareColumns: (name: string) => [`${name} share`, `${name} low`, `${name} high`],
    category: (name: string, posts: number) => `${name} ${plural(posts, "post")}`,
    label: (title: string, categories: string) => `${title} over time: ${categories}`,
  },

  account: {
    followers: "Followers",
    pageLikes: "Page likes",
    account: "the account",
    title: (counter: string, account: string) => `${counter} of ${account}`,
    note: (last: number, change: number) => `${number(last)} (${change < 0 ? "−" : "+"}${number(Math.abs(change))} in this period)`,
    none: "No data for these dates",
    all: "All account metrics",
    label: (title: string, first: number, last: number) => `${title}: ${number(first)} to ${number(last)}`,
  },

  words: {
    title: "Words",
    note: "Occurrences in a sample of posts",
    columns: ["Word", "Occurrences"],
    none: "No words in these posts.",
    label: (words: string[]) => `Most frequent words: ${words.join(", ")}`,
  },

  locations: {
    groupBy: "Group locations by",
    levels: { countries: "Country", states: "State", cities: "City" },
    label: (countries: { name: string; posts: number }[]) => `Map of posts: ${countries.map((c) => `${c.name} ${number(c.posts)}`).join(", ")}`,
    none: "No posts have a known location.",
  },

  lists: {
    showFewer: "Show fewer",
    showAll: (n: number) => `Show all ${number(n)}`,
    sites: "Sites",
    noHashtags: "No hashtags in these posts.",
    postTypes: "Post types",
    postTypeNames: { POST: "Original posts", RETWEET: "Retweets", REPLY: "Replies", COMMENT: "Comments" } as Record<string, string>,
    authors: (n: number) => plural(n, "author"),
    openAuthor: (name: string) => `Open the author page of ${name}`,
    sortAuthors: "Sort authors by",
    reach: (followers: number) => `· reach ${compact(followers)}`,
    interestsNote: "Index vs. all microblog posts (1.0 = average)",
    index: "Index",
    indexOf: (index: number) => `· index ${index.toFixed(1)}`,
    images: "Images",
    imagesNote: (posts: number, share: number) => `${plural(posts, "post")} with images (${percent(share)})`,
    groupImages: "Show images by",
    imageContent: "Content",
    imageLogos: "Logos",
    noImageContent: "No recognized image content.",
    noLogos: "No recognized logos.",
  },

  hours: {
    title: "Weekday and hour",
    note: "Author's local time where known, otherwise the monitor's time zone",
    label: "Posts by weekday and hour",
    peakLabel: (weekday: string, hour: string, posts: number) => `Posts by weekday and hour; peak on ${weekday} at ${hour}: ${number(posts)}`,
  },
};
