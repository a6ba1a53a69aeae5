// Strings of signals and rules, and the tabs of their pages.

import { number, percent, plural } from "../lib/format";
import type { Metric, RuleKind, Severity, SignalKind } from "../lib/types";

const shares: Metric[] = ["negative", "positive", "category", "country", "language"];

// isShare reports whether a metric is a share from 0 to 1.
export const isShare = (m: Metric) => shares.includes(m);

const whole = (n: number) => number(Math.round(n));

// amount formats a value of a metric: "42 posts", "34%".
function amount(m: Metric, n: number): string {
  if (isShare(m)) return `${percent(n)} of posts`;
  if (m === "posts") return plural(Math.round(n), "post");
  if (m === "authors") return plural(Math.round(n), "author");
  if (m === "engagement") return plural(Math.round(n), "interaction");
  return `reach ${whole(n)}`;
}

const bare = (m: Metric, n: number) => (isShare(m) ? percent(n) : whole(n));

// range formats an interval: "8–21", "12–20%".
const range = (m: Metric, low: number, high: number) => `${bare(m, low).replace("%", "")}–${bare(m, high)}`;

export const signals = {
  title: "Signals",
  lead: "What is unusual about your monitors, and what your rules found.",
  tabs: { label: "Pages about signals", signals: "Signals", rules: "Rules", channels: "Channels", reports: "Reports" },
  loading: "Loading signals…",
  none: "No signals yet",
  noneHint: "Earshot watches every monitor. When something unusual happens, it appears here. Rules watch for what you choose.",
  noMatch: "No signals match",
  noMatchHint: "Try other filters or a longer period.",
  makeRule: "Create a rule",
  showMore: "Show more",

  filters: {
    label: "Filter signals",
    monitor: "Monitor",
    allMonitors: "All monitors",
    state: "State",
    states: { "": "Any state", open: "Open", firing: "Ongoing", resolved: "Over" } as Record<string, string>,
    severity: "Severity",
    anySeverity: "Any severity",
    kind: "About",
    anyKind: "Anything",
    period: "Period",
    days: (n: number) => `Last ${n} days`,
    mine: "Assigned to me",
  },
  kinds: {
    volume: "Number of posts",
    negative: "Negative posts",
    category: "Categories",
    country: "Countries",
    language: "Languages",
    hashtag: "New hashtags",
    link: "New links",
    author: "New authors",
    topic: "New topics",
    threshold: "Limits",
    post: "Posts",
  } as Record<SignalKind, string>,
  severities: { info: "Info", warning: "Warning", critical: "Critical" } as Record<Severity, string>,
  states: { firing: "Ongoing", resolved: "Over" },

  timeline: {
    title: "Timeline",
    note: (n: number, days: number) => `${plural(n, "signal")} in the last ${days} days`,
    capped: (n: number) => `The newest ${number(n)} are shown.`,
    by: "Group by",
    monitor: "Monitor",
    severity: "Severity",
    only: (name: string) => `Show only ${name}`,
    more: (n: number) => `and ${n} more`,
    today: "now",
    bar: (title: string, when: string) => `${title} (${when})`,
  },

  total: (n: number, more: boolean) => (more ? `${number(n)}+ signals` : plural(n, "signal")),
  since: (when: string) => `since ${when}`,
  lasted: (when: string, length: string) => `${when}, ${length}`,
  minutes: (n: number) => `${n} min`,
  hours: (n: number) => `${n} hr`,
  days: (n: number) => plural(n, "day"),
  comments: (n: number) => plural(n, "comment"),
  acknowledgedBy: (name: string) => `Seen by ${name}`,
  assignedTo: (name: string) => `Assigned to ${name}`,

  // numbers compares what was observed with what was expected.
  observed: (m: Metric, n: number) => amount(m, n),
  compared: (m: Metric, n: number, low: number, high: number) => `${amount(m, n)}; ${range(m, low, high)} expected`,
  expectation: (m: Metric, n: number, low: number, high: number) => `Observed ${amount(m, n)}, expected ${bare(m, low)} to ${bare(m, high)}`,

  actions: {
    acknowledge: "Acknowledge",
    acknowledgeHint: "Tell your team that you have seen it",
    unacknowledge: "Undo",
    assign: "Assign",
    nobody: "Nobody",
    me: (name: string) => `${name} (me)`,
    resolve: "Mark as over",
    useful: "Useful",
    notUseful: "Not useful",
    feedback: "Was this signal useful?",
    annotate: "Annotate the charts",
    of: (action: string, title: string) => `${action}: ${title}`,
    loading: "Loading members…",
  },

  detail: {
    back: "All signals",
    observed: "Observed",
    expected: "Expected",
    peak: "Peak",
    window: "Counted over",
    windowHours: (n: number) => (n === 1 ? "1 hour" : `${n} hours`),
    when: "When",
    rule: "Rule",
    defaults: "Unusual activity, standard settings",
    settings: "Settings",
    chart: "Hour by hour",
    chartNote: "The highlighted hours are those of the signal. The lines show what was expected, and the most that chance explains in 99% of hours.",
    chartNotePlain: "The shaded hours are those of the signal.",
    chartLabel: (n: number) => `Posts by hour around the signal: ${plural(n, "post")}`,
    hour: "Hour",
    low: "Expected, from",
    high: "Expected at most",
    posts: "Posts",
    why: "What it is about",
    noWhy: "Not explained yet",
    noWhyHint: "Explanations take a few minutes.",
    story: (posts: number, share: number) => `${plural(posts, "post")}, ${percent(share)} of the increase`,
    words: "Words that stand out",
    link: "Link",
    newcomers: "Also new",
    newcomer: (label: string, posts: number) => `${label} (${plural(posts, "post")})`,
    examples: "Posts",
    matches: "Posts that match the rule",
    moreMatches: (n: number) => `Show ${plural(n, "more post", "more posts")}`,
    viewPosts: "View posts",
    viewStory: (name: string) => `View posts about ${name}`,
    viewWhy: "Why it changed",
    history: "History",
    events: {
      raised: "Raised",
      updated: "Grew",
      resolved: "Over",
      acknowledged: "Acknowledged",
      assigned: "Assigned",
    } as Record<string, string>,
    assignedTo: (name: string) => (name ? `Assigned to ${name}` : "Assignment removed"),
    by: (name: string) => `by ${name}`,
    comment: "Comment",
    commentHint: "Visible to your team",
    addComment: "Add comment",
    deleteComment: "Delete this comment?",
    feedbackCounts: (useful: number, not: number) => `${number(useful)} useful, ${number(not)} not`,
  },

  home: (n: number) => plural(n, "signal"),
  homeTitle: (name: string, n: number) => `${name}: ${plural(n, "signal")}, ongoing`,
  marks: {
    chip: (day: string, title: string) => `${day}: ${title}`,
    lead: "Signals:",
    note: (title: string) => `● ${title}`,
    several: (n: number, day: string) => `${plural(n, "signal")}, ${day}`,
    andMore: (n: number) => `and ${n} more`,
  },
  monitorSettings: "Signal settings",
  monitorSettingsText: "How Earshot watches this monitor for unusual activity, and who hears about it.",
  monitorFiring: (n: number) => plural(n, "ongoing signal"),
};

const perYear: Record<number, string> = { 1: "about one false alarm per year", 12: "about one false alarm per month", 52: "about one false alarm per week" };

const windowName = (hours: number) => (hours === 1 ? "hour" : hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`);

const metricNames: Record<Metric, string> = {
  posts: "the number of posts",
  authors: "the number of authors",
  engagement: "engagement",
  reach: "reach",
  negative: "the share of negative posts",
  positive: "the share of positive posts",
  category: "the share of a category",
  country: "the share of a country",
  language: "the share of a language",
};

export const rules = {
  title: "Rules",
  lead: "What becomes a signal, and who hears about it.",
  new: "New rule",
  edit: "Edit rule",
  loading: "Loading rules…",
  unusualTitle: "Unusual activity",
  unusualNote: "Earshot watches every monitor and learns what is usual for each hour of the week.",
  ownTitle: "Your rules",
  none: "No rules of your own yet",
  noneHint: "Rules tell you when a number passes a limit, or when a certain post appears.",
  find: "Find a monitor or rule",
  columns: { monitor: "Monitor", sensitivity: "Sensitivity", notify: "Notifies", last: "Last signal", rule: "Rule", on: "On" },
  standard: "Standard",
  channels: (n: number) => (n === 0 ? "Only this page" : plural(n, "channel")),
  never: "Never",
  muted: (until: string) => `Muted until ${until}`,
  off: "Off",
  useful: (useful: number, not: number) => `${useful} useful, ${not} not`,
  actions: (name: string) => `Actions for ${name}`,
  toggle: (name: string) => `${name} on`,
  mute: "Mute for",
  muteFor: { "4": "4 hours", "24": "1 day", "72": "3 days", "168": "1 week" } as Record<string, string>,
  unmute: "Unmute",
  showSignals: "Show its signals",
  deleteText: "Its signals stay. Ongoing ones are marked as over.",
  resetText: "The monitor is then watched with the standard settings.",
  reset: "Use standard settings",
  wasMuted: (name: string) => `Muted ${name}.`,
  wasUnmuted: (name: string) => `Unmuted ${name}.`,
  wasReset: "Standard settings restored.",
  more: (n: number) => `Show ${plural(n, "more monitor", "more monitors")}`,

  // Plain sentences of rules.
  rate: (n: number) => perYear[n] ?? `about ${n} false alarms per year`,
  sentence: {
    unusual: (monitor: string, rate: number) => `Tell me when something unusual happens in ${monitor}: ${perYear[rate] ?? ""}.`,
    threshold: (monitor: string, what: string, below: boolean, value: string, hours: number) => `Tell me when ${what} in ${monitor} is ${below ? "below" : "above"} ${value} in the last ${windowName(hours)}.`,
    post: (monitor: string, filtered: boolean) => (filtered ? `Tell me about every post in ${monitor} that matches the filter.` : `Tell me about every post in ${monitor}.`),
  },
  metricOf: (m: Metric, of: string) => (of && (m === "category" || m === "country" || m === "language") ? (m === "country" ? `the share of posts from ${of}` : `the share of posts in ${of}`) : metricNames[m]),
  value: (m: Metric, v: number) => (isShare(m) ? percent(v) : number(v)),

  editor: {
    kind: "Tell me when …",
    kinds: { unusual: "something unusual happens", threshold: "a number passes a limit", post: "a certain post appears" } as Record<RuleKind, string>,
    kindHints: {
      unusual: "Earshot knows what is usual for each hour of the week. You choose how many false alarms are acceptable.",
      threshold: "You choose the number and the limit.",
      post: "Within seconds, for example when someone with many followers mentions you.",
    } as Record<RuleKind, string>,
    monitor: "Monitor",
    savedFilter: (monitor: string, filter: string) => `${monitor}: ${filter}`,
    noMonitors: "Create a monitor first.",
    sensitivity: "Sensitivity",
    sensitivities: {
      1: { name: "Only what is certain", note: "About one false alarm per year" },
      12: { name: "Standard", note: "About one false alarm per month" },
      52: { name: "Sensitive", note: "About one false alarm per week" },
    } as Record<number, { name: string; note: string }>,
    sensitivityHint: "A false alarm is a signal that chance alone explains. The more you accept, the smaller and earlier are the changes that Earshot finds.",
    watch: "What to watch",
    minPosts: "Ignore fewer posts than",
    minPostsHint: "In the hour or day that is examined",
    metric: "What",
    metrics: {
      posts: "Number of posts",
      authors: "Number of authors",
      engagement: "Engagement",
      reach: "Reach (sum of followers)",
      negative: "Share of negative posts",
      positive: "Share of positive posts",
      category: "Share of a category",
      country: "Share of a country",
      language: "Share of a language",
    } as Record<Metric, string>,
    of: { category: "Category", country: "Country", language: "Language" } as Record<string, string>,
    side: "Is",
    above: "above",
    below: "below",
    limit: "Limit",
    percent: "Limit in percent",
    window: "In the last",
    windows: { 1: "1 hour", 3: "3 hours", 6: "6 hours", 12: "12 hours", 24: "24 hours", 72: "3 days", 168: "7 days" } as Record<number, string>,
    posts: "Only posts that match",
    postsOf: "Posts",
    anyPost: "Every post of the monitor. Add a filter to narrow it down.",
    preview: "Preview",
    previewLoading: "Checking the last 30 days…",
    previewTimes: (n: number, more: boolean) =>
      n === 0 ? "This rule would not have raised a signal in the last 30 days." : `This rule would have raised ${more ? "more than " : ""}${plural(n, "signal")} in the last 30 days.`,
    previewEntry: (when: string, m: Metric, observed: number) => `${when}: ${amount(m, observed)}`,
    previewMore: (n: number) => `and ${n} more`,
    name: "Name",
    nameHint: "Shown in notifications",
    severity: "Severity",
    severityHint: "Critical signals do not wait for the end of quiet hours.",
    notify: "Notify",
    noChannels: "There are no channels yet. Signals appear on this page.",
    addChannel: "Add a channel",
    when: "Schedule",
    active: "Watch",
    always: "Always",
    certain: "At certain hours",
    quiet: "Quiet hours",
    noQuiet: "None",
    someQuiet: "Notifications wait",
    from: "From",
    to: "To",
    daysOf: "Days",
    zoneNote: (zone: string) => `In the time zone of the monitor, ${zone}.`,
    coolDown: "Wait before raising it again",
    coolDowns: { 0: "No wait", 60: "1 hour", 360: "6 hours", 1440: "1 day", 4320: "3 days", 10080: "7 days" } as Record<number, string>,
    minutes: (n: number) => `${n} minutes`,
    conflict: "Reload",
    saved: (name: string) => `Saved ${name}.`,
    learning: (until: string) => `Earshot is still learning what is usual for this monitor, until about ${until}. Until then there are no such signals.`,
    now: (posts: string, low: string, high: string, hours: string) => `Now: ${posts} posts in the last ${hours}; ${low}–${high} expected.`,
    nowHours: (n: number) => (n === 1 ? "hour" : `${n} hours`),
  },
};
