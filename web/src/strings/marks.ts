// Strings of what people write down: annotations, marks on posts, and saved views.

import { number, plural } from "../lib/format";

export const annotations = {
  add: "Annotate",
  addTitle: "Add an annotation",
  added: "Annotation added. Charts and reports show it.",
  editTitle: "Edit annotation",
  text: "Text",
  textHint: "What happened, for example: Recall announced",
  from: "From",
  to: "To",
  toHint: "Inclusive",
  wrongOrder: "The last day cannot be before the first.",
  scope: "Show on",
  monitor: "This monitor",
  team: "All monitors of the team",
  list: "Annotations",
  chart: (list: string) => `. Annotations: ${list}`,
  entry: (days: string, text: string) => `${days}: ${text}`,
  by: (name: string) => `by ${name}`,
  ofTeam: "all monitors",
  more: (n: number) => `Show ${n} more`,
  confirmDelete: "Delete this annotation?",
  deleteNote: (text: string) => `“${text}” will be removed from all charts.`,
};

export const marks = {
  label: "Team marks",
  star: "Star",
  unstar: "Remove star",
  starred: "Starred",
  tag: "Tag",
  tags: "Tags",
  newTag: "Add a tag",
  addTag: "Add tag",
  removeTag: (name: string) => `Remove tag ${name}`,
  manageTags: "Manage tags…",
  assign: "Assign",
  assignee: "Assigned to",
  assignedTo: (name: string) => `Assigned to ${name}`,
  nobody: "Nobody",
  me: (name: string) => `${name} (me)`,
  members: "Assign to",
  note: "Note",
  notes: "Notes",
  newNote: "Write a note for your team",
  saveNote: "Save note",
  editNote: "Edit note",
  deleteNote: "Delete note",
  edited: "edited",
  keys: { star: "Star the post", tag: "Tag the post", assign: "Assign the post", note: "Write a note on the post" },
  keysTitle: "In a post",
};

export const marked = {
  title: "Marked posts",
  lead: "Posts your team has marked, from all your monitors.",
  show: "Show",
  by: { assigned: "Assigned to me", starred: "Starred" },
  none: { assigned: "No posts are assigned to you", starred: "No posts are starred" },
  hint: "Use the icons on a post to star or assign it.",
  assigned: (n: number) => `Assigned to me: ${number(n)}`,
  starred: (n: number) => `Starred: ${number(n)}`,
};

export const corrections = {
  change: (label: string) => `Correct ${label.toLowerCase()}`,
  changeCorrected: (label: string, note: string) => `Correct ${label.toLowerCase()}: ${note}`,
  changeTo: (name: string) => `Change to ${name}`,
  undo: "Undo correction",
  by: (name: string, time: string) => `Corrected by ${name}, ${time}`,
};

export const tags = {
  title: "Tags",
  lead: "Tags of the team. Renaming or deleting a tag changes all posts that have it.",
  none: "No post has a tag yet.",
  posts: (n: number) => plural(n, "post"),
  name: (tag: string) => `Name of ${tag}`,
  rename: (tag: string) => `Rename ${tag}`,
  renamed: (from: string, to: string) => `Renamed ${from} to ${to}.`,
  deleted: (tag: string) => `Deleted ${tag}.`,
  confirmDelete: (tag: string) => `Delete the tag ${tag}?`,
  deleteNote: (n: number) => `It will be removed from ${plural(n, "post")}.`,
};

export const views = {
  save: "Save view…",
  saveThis: "Save this view",
  saveTitle: "Save this view",
  name: "Name",
  nameHint: "Everyone in the team sees it. It keeps the dates and the filter.",
  saved: "View saved.",
  title: "Saved views",
  open: "Saved views",
  manage: "Manage views…",
  none: "No saved views yet.",
  rename: (name: string) => `Rename ${name}`,
  newName: (name: string) => `Name of ${name}`,
  confirmDelete: (name: string) => `Delete the view ${name}?`,
  deleteNote: "Only the saved view is deleted.",
};
