// Strings of the list of a monitor's posts.

import { number, plural } from "../lib/format";

export const posts = {
  loading: "Loading posts…",
  total: (n: number) => plural(n, "post"),
  inGroups: (n: number) => ` in ${plural(n, "group")} of similar posts`,
  times: (zone: string) => `. Times are in ${zone}.`,
  onlyFirst: (n: number) => `Only the first ${number(n)} groups are listed here. To see others, choose a shorter date range, add a filter, or turn off grouping.`,

  // Orders, by the values of the parameter sort.
  orders: { newest: "Newest", oldest: "Oldest", engagement: "Most engagement", reach: "Highest reach", relevance: "Most relevant" },
  sortBy: "Sort by",
  compact: "Compact",
  group: "Group similar posts",
  ungroup: "Turn off grouping",
  similar: (n: number) => plural(n, "similar post"),

  noneMatch: "No posts match the filter in this date range.",
  noneFound: (monitor: string) => `No posts in this date range. Choose other dates, or check the query of ${monitor} in its settings.`,

  search: "Search these posts",
  searchButton: "Search",

  export: {
    title: "Export",
    total: (n: number | undefined) => `${n === undefined ? "All posts in this view" : plural(n, "post")}, newest first, with full text.`,
    restricted: (sources: string[]) => `Because of the server's restricted_sources setting, text is left out for ${sources.join(", ")}, and for Twitter also the author and date.`,
    download: (format: string) => `Download ${format}`,
    formats: [
      { id: "csv", name: "CSV", note: "for spreadsheets" },
      { id: "xlsx", name: "Excel", note: "a workbook with dates and numbers" },
      { id: "ndjson", name: "NDJSON", note: "one post per line, for programs and earshot import" },
    ],
    audit: "If the export contains microblog posts, the monitor's audit log records who exported them.",
  },

  select: {
    label: "Selected posts",
    one: (post: string) => `Select ${post}`,
    count: (n: number) => `${plural(n, "post")} selected`,
    atMost: (n: number) => `You can select up to ${n} posts.`,
    all: (n: number) => `Select first ${n}`,
    clear: "Clear selection",
    reload: "Reload posts",
    correct: "Correct",
    starred: (n: number) => `Starred ${plural(n, "post")}.`,
    unstarred: (n: number) => `Removed the star from ${plural(n, "post")}.`,
    tagged: (n: number, tag: string) => `Tagged ${plural(n, "post")}: ${tag}.`,
    untagged: (n: number, tag: string) => `Removed the tag ${tag} from ${plural(n, "post")}.`,
    assigned: (n: number, name: string) => `Assigned ${plural(n, "post")} to ${name}.`,
    unassigned: (n: number) => `${plural(n, "post")} ${n === 1 ? "is" : "are"} no longer assigned.`,
    corrected: (field: string, n: number, value: string) => `${field} of ${plural(n, "post")} changed to ${value}.`,
    uncorrected: (n: number) => `Undid the correction of ${plural(n, "post")}.`,
    keysTitle: "In a list of posts",
    keys: [
      { keys: ["J", "K"], name: "Next or previous post" },
      { keys: ["X"], name: "Select the post" },
      { keys: ["Shift", "X"], name: "Select all posts up to this one" },
      { keys: ["S", "T", "A"], name: "Star, tag, or assign the selected posts" },
      { keys: ["Esc"], name: "Clear the selection" },
    ],
  },

  exclude: {
    button: "Not relevant…",
    title: (n: number) => `Exclude posts like ${n === 1 ? "this one" : `these ${number(n)}`}`,
    lead: (monitor: string) => `Choose words to exclude from the query of ${monitor}. Nothing changes until you save the query.`,
    loading: "Looking for words…",
    terms: "Exclude posts with",
    compared: (n: number, range: string) => `Compared with ${plural(n, "other post")} from ${range}`,
    none: "The selected posts have no words in common that the other posts lack. Enter one below.",
    own: "Another word or phrase",
    removes: (selected: number, others: number) => `${number(selected)} selected · ${others === 0 ? "no others" : plural(others, "other")}`,
    choose: "Choose at least one.",
    result: (n: number, of: number, others: number) => `Removes ${number(n)} of ${plural(of, "selected post")} and ${others === 0 ? "no other posts" : plural(others, "other post")}.`,
    review: "Review the query",
    move: (category: string) => `Only move to ${category}`,
    moved: (n: number, category: string) => `Moved ${plural(n, "post")} to ${category}.`,
  },

  label: {
    button: "Label",
    as: (category: string) => `Label as ${category}`,
    done: (category: string) => `Labeled ${category}`,
  },
};
