// Strings of the list of a monitor's posts.

import { number, plural } from "../lib/format";

export const posts = {
  loading: "Loading posts…",
  total: (n: number) => plural(n, "post"),
  order: (zone: string) => `, newest first. Times are in ${zone}.`,
  loadMore: "Load more",
  shown: (shown: number, total: number) => `${number(shown)} of ${number(total)} shown`,
  onlyNewest: (n: number) => `Only the newest ${number(n)} posts are listed here. To see others, choose a shorter date range, add a filter, or export all posts.`,
  noneMatch: "No posts match the filter in this date range.",
  noneFound: (monitor: string) => `No posts in this date range. Choose other dates, or check the query of ${monitor} in its settings.`,

  search: "Search these posts",
  searchButton: "Search",

  export: {
    title: "Export",
    total: (n: number | undefined) => `${n === undefined ? "All posts in this view" : plural(n, "post")}, with full text where it can be displayed.`,
    download: (format: string) => `Download ${format}`,
    formats: [
      { id: "csv", name: "CSV", note: "for spreadsheets" },
      { id: "ndjson", name: "NDJSON", note: "one post per line, for programs and the command earshot import" },
    ],
    audit: "If the export contains microblog posts, the monitor's audit log records who exported them.",
  },

  label: {
    button: "Label",
    as: (category: string) => `Label as ${category}`,
    done: (category: string) => `Labeled ${category}`,
  },
};
