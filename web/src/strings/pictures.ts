// Strings of the pictures of a monitor's posts.

import { number, plural } from "../lib/format";

export const pictures = {
  loading: "Loading pictures…",
  total: (n: number) => plural(n, "picture"),
  totalNote: ". Copies of a picture are shown as one.",
  read: (read: number, posts: number) => `Only the pictures of the ${number(read)} newest of ${number(posts)} posts are shown. To see others, choose a shorter date range or add a filter.`,

  // Orders, by the values of the parameter sort.
  orders: { newest: "Newest", posts: "Most posts" },
  sortBy: "Sort by",

  classes: "Filter by what pictures show",
  classButton: (name: string, posts: number) => `${name} ${number(posts)}`,
  classTitle: (name: string, posts: number) => `Show only posts with ${name} in an image: ${plural(posts, "post")}`,
  classOff: (name: string) => `Stop filtering by ${name}`,
  score: (type: string, score: number) => `${type}, score ${score.toFixed(2)}`,
  types: { object: "Object", scene: "Scene", action: "Action", logo: "Logo" },

  posts: (n: number) => plural(n, "post"),
  files: (n: number) => plural(n, "version"),
  filesTitle: "Copies that differ in size or compression",
  last: (date: string) => `Last posted ${date}`,
  open: (alt: string, posts: number) => `${alt}: view ${plural(posts, "post")}`,

  // Alternative texts of thumbnails.
  alt: (classes: string[]) => (classes.length ? `Picture of ${classes.join(", ")}` : "Picture"),
  missing: "The server no longer stores this thumbnail",
  original: (alt: string) => `${alt}: open the original in a new tab`,

  detail: "Posts with this picture",
  back: "All pictures",
  gone: "No posts with this picture",
  goneText: "No posts with this picture in this date range match the filter.",

  none: "No pictures",
  noneMatch: "No pictures match the filter in this date range.",
  noneFound: "No post in this date range has a picture.",
  waiting: (posts: number) => `${plural(posts, "post")} with an image in this date range. Their pictures have not been fetched yet, or could not be fetched.`,
  off: "Pictures are not fetched",
  offText: "Earshot does not download the pictures of posts unless an administrator turns it on with the setting",
  offEnd: ". Then this page shows the pictures of new posts and what is on them.",
  offAdmin: "Set it in the configuration file of the server, and restart the server.",
};
