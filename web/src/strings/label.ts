// Strings of the page Label posts, where people label random posts so that shares can be calibrated.
import { number, percentEstimate, plural } from "../lib/format";

export const label = {
  title: "Label posts",
  lead: "Say what you think about random posts of this monitor, without seeing what the model says. Your labels calibrate its shares.",
  opinionLead: "Assign random posts of this monitor to categories, without seeing what the model says. Your labels calibrate its shares.",
  loading: "Loading posts",
  untrainedTitle: "Train the model first",
  untrainedText: "Labels calibrate its shares.",

  // Drawing a sample
  drawTitle: "Draw a random sample",
  drawText: "It takes about five minutes to label 50 posts. The more posts you label, the narrower the intervals of the shares.",
  doneTitle: "You have labeled all posts",
  doneText: "You can label more: the more posts you label, the narrower the intervals of the shares.",
  howMany: "Number of posts",
  draw: (posts: number) => `Label ${number(posts)} posts`,
  drawMore: (posts: number) => `Draw ${number(posts)} more posts`,

  // The post to label
  post: "Post to label",
  choices: { sentiment: "Sentiment of the post", emotion: "Emotion of the post", category: "Category of the post" },
  emotionOf: (label: string) => `${label}. Which emotion?`,
  skip: "Can't tell",
  labeled: (label: string) => `Labeled ${label}. `,
  skipped: "Can't tell. ",
  undone: "Undone. ",
  next: (number: number, total: number) => `Post ${number} of ${total}: `,
  notSaved: (message: string, waiting: number) => `The label was not saved: ${message}${waiting > 1 ? ` ${plural(waiting - 1, "later label")} will be saved after it.` : ""}`,
  discard: "Discard this label",

  // Progress
  progress: "Progress",
  labeledOf: (labeled: number, posts: number) => `${number(labeled)} of ${number(posts)}`,
  labeledByYou: "labeled by you",
  emotionsToo: "Emotions, too",

  // Shares
  shares: "Shares",
  calibrated: (labels: number, dates: string) => `${dates}. Calibrated with ${plural(labels, "labeled post")}.`,
  notCalibrated: (dates: string) => `${dates}. Estimated; at least 10 labels calibrate the shares.`,
  share: (share: number, interval: { low: number; high: number }) => percentEstimate({ share, interval }),

  // People
  people: "People",
  person: (name: string, labels: number, skipped: number) => `${name} ${number(labels)}${skipped ? ` (${number(skipped)} skipped)` : ""}`,
  agreement: (agreed: number, compared: number) => `; agree about ${number(agreed)} of ${number(compared)}`,
  disagreements: (n: number) => `${plural(n, "disagreement")}`,
  disagreement: "A post that people label differently",
  said: (by: string, label: string) => `${by}: ${label || "can't tell"}`,
  labelAgain: "Label again",

  advice: "Advice",

  // Samples
  samples: "Samples",
  sample: (labeled: number, posts: number, of: number) => `${number(labeled)} of ${plural(posts, "post")} labeled, drawn from ${number(of)}`,
  drawn: (dates: string, by: string, ago: string) => `${dates} · ${by} · ${ago}`,
  outdated: "Older criteria",
  removeSample: (dates: string) => `Remove the sample of ${dates}`,
  removeTitle: "Remove this sample?",
  removeText: (labeled: number) => `${plural(labeled, "labeled post")} will no longer calibrate shares. This cannot be undone.`,
  removed: "Sample removed.",
};
