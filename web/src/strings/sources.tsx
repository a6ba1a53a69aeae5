// Strings of the Sources page.
import { plural } from "../lib/format";

const posts = (n: number) => plural(n, "post");

// duration formats a number of seconds with one unit: 40 s, 5 min, 3 hr, 2 days.
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} hr`;
  return plural(Math.round(seconds / 86_400), "day");
}

// articles are the kinds of sources that need one, by their ids: "Add a feed".
const articles: Record<string, string> = { feed: "a feed", folder: "a folder", webhook: "a webhook" };

export const sources = {
  lead: "Collect posts from networks and feeds. New posts arrive within seconds.",
  uploadsLink: "Upload your own files instead",
  needsTeam: "Sources belong to teams.",
  readOnly: "You can view these sources. Adding and changing them requires the “Sources and uploads” permission.",
  add: "Add source",
  loading: "Loading sources…",
  loadFailed: (message: string) => `Not up to date: ${message}`,
  list: "Live sources",
  team: (name: string) => `Team ${name}`,
  noSources: "No sources yet",
  noSourcesHint: "Choose where posts should come from. You can add more later.",
  noSourcesReadOnly: "Ask a colleague with the “Sources and uploads” permission to add one.",

  // One source
  states: {
    starting: "Starting",
    live: "Live",
    catchingUp: "Catching up",
    backingOff: "Retrying",
    attention: "Needs attention",
    stopped: "Stopped",
  },
  behind: (seconds: number) => `Catching up, ${duration(seconds)} behind`,
  retryIn: (seconds: number) => `Retrying in ${duration(seconds)}`,
  onePost: "post",
  manyPosts: "posts",
  postsLabel: "Posts delivered",
  lastPost: "Last post",
  lastPostAgo: (ago: string) => `latest: ${ago}`,
  never: "None yet",
  noPostsYet: "No posts yet",
  keepLabel: "Store",
  keeps: { matched: "Matching posts", all: "All posts" },
  stores: { matched: "Stores matching posts", all: "Stores all posts" },
  keepHints: {
    matched: "Only posts that match a monitor when they arrive. Uses less disk space.",
    all: "Every post, so new monitors have history.",
  },
  activity: (name: string) => `Posts from ${name} in the last hour`,

  // Adding a source
  chooseLead: "Where should posts come from?",
  kindList: "Kinds of sources",
  addKind: (name: string, title: string) => `Add ${articles[name] ?? title}`,
  otherKind: "Choose a different type",
  unknownKind: "This version of Earshot does not support this kind of source.",
  adminOnly: "Administrators only",
  nameOfSecond: (name: string, n: number) => `${name} ${n}`,
  nameField: "Name",
  nameHint: "Shown in lists and on charts.",
  optional: (label: string) => `${label} (optional)`,
  advanced: "More settings",
  noOption: "None",
  retention: "Delete posts after (days)",
  retentionHint: "Leave empty to use the server's retention.",
  retentionInvalid: "Enter a number of days from 1 to 36,500, or leave the field empty.",
  missing: (label: string) => `${label}: enter a value.`,
  secretKept: "Stored. Leave empty to keep the current one.",
  secretHidden: "Stored encrypted and never shown again.",
  adding: "Adding…",
  added: (name: string) => `${name} added.`,
  nextStep: (name: string) => `${name} is connected. Next, choose which of its posts to follow.`,
  monitorFrom: "Create a monitor from these posts",

  // Testing
  test: "Test",
  testing: "Connecting…",
  testHint: "Connects and shows up to five posts. Nothing is stored.",
  testPosts: "Sample posts",
  testWorks: (n: number) => `It works: ${posts(n)} received. Nothing was stored.`,
  testEmpty: "Connected, but no posts arrived within a few seconds. You can add the source anyway.",
  testNotFor: "This kind of source receives posts, so you can test it only after adding it.",

  // Rules of a server
  rules: (server: string) => `Rules of ${server}`,
  theServer: "the server",
  rulesLead: "This server requires everyone who reads it to follow its rules:",
  rulesList: "Rules",
  rulesPage: "Read the rules on the server",
  rulesAccept: "I have read these rules, and we will use the posts accordingly.",
  rulesLoading: "Loading the server's rules…",
  rulesLater: "Fill in the fields above to see the server's rules.",
  rulesMissing: "Accept the server's rules to continue.",

  // Webhook
  endpoint: "Endpoint",
  copyEndpoint: "Copy endpoint",
  newSecret: "Secret",
  copySecret: "Copy secret",
  generate: "Generate",
  secretOnce: "Copy the secret now. It will not be shown again.",
  example: "Send a post",
  copyExample: "Copy example",
  exampleText: "Hello from my program",
  secretPlaceholder: "SECRET",

  // Details
  back: "All sources",
  pause: "Pause",
  resume: "Resume",
  paused: (name: string) => `Paused ${name}.`,
  resumed: (name: string) => `Resumed ${name}.`,
  remove: "Remove…",
  createMonitor: "Create a monitor",
  statusTitle: "Status",
  lastMinutes: (n: number) => (n >= 60 ? "Last hour" : `Last ${n} minutes`),
  perMinute: "Posts per minute",
  counters: { events: "Received", deletions: "Deletions", gapSeconds: "Downtime" },
  received: (size: string) => `${size} of data`,
  deletionsNote: "applied from the network",
  reconnects: (n: number) => plural(n, "reconnect"),
  none: "None",
  countersSince: (date: string) => `since ${date}`,
  skippedTitle: "Not stored",
  skippedNote: "Posts and events that were received but not stored, by reason",
  skippedNone: "Everything received was stored.",
  gapsTitle: "Gaps",
  gapsNote: "Periods for which posts may be missing. They are marked in the charts of monitors.",
  gapsNone: "No gaps.",
  gapsHead: ["From", "To", "Duration", "Reason"],
  gapsList: "List of gaps",
  gapOpen: "now",
  settingsTitle: "Settings",
  kind: "Kind",
  networks: "Networks",
  customContent: "Your own content",
  created: "Added",
  secretSet: "Set",
  retentionDays: (days: number) => (days ? plural(days, "day") : "Server default"),
  editTitle: (name: string) => `Edit ${name}`,

  // Removing
  removeTitle: (name: string) => `Remove ${name}?`,
  removeLead: "Earshot stops collecting from this source and deletes its settings and its position in the network. This cannot be undone.",
  removePosts: "Its posts",
  removeKeep: "Keep the posts",
  removeKeepHint: (n: number) => `Monitors keep showing ${n === 1 ? "the post" : `the ${posts(n)}`} it delivered. Later deletions on the network are no longer applied.`,
  removeDelete: "Delete the posts",
  removeDeleteHint: "Removes them from all monitors and their charts.",
  removeKeepAction: "Remove source",
  removeDeleteAction: "Remove source and posts",
  removed: (name: string) => `Removed ${name}.`,
  removedWithPosts: (name: string) => `Removed ${name}. Its posts are being deleted.`,

  // Feed lists
  opmlTitle: "Feed list (OPML)",
  opmlNote: "Move feeds to and from feed readers",
  opmlExport: "Export",
  opmlImport: "Import…",
  opmlFile: "OPML file",
  opmlImported: "Added the feeds in the file.",
};
