// Strings of the Streams page and the page of a single stream.
import { day, number, plural } from "../lib/format";
import { Link } from "../lib/router";

export const streams = {
  lead: "Deliver new posts from selected monitors within seconds, via the API or a live view.",
  noPermission: "Reading streams requires the “Streams” permission. Ask an administrator for it.",
  newStream: "New stream",
  emptyTitle: "No streams yet",
  emptyText: "Create one and choose the monitors it delivers posts from.",
  created: "Stream created.",
  deleteStream: "Delete stream",
  deleteText: "This also deletes the posts in its queue. API clients that read the stream will get an error. Its monitors and their posts are not affected.",
  since: (team: string | undefined, date: string) => `${team ? `${team} · ` : ""}created ${day(date)}`,
  waiting: "in queue",
  queue: (posts: number) => plural(posts, "post"),
  noMonitors: "No monitors yet, so no posts arrive. Edit the stream to choose some.",
  watchLive: "Live view",
  watchLiveOf: (stream: string) => `Live view: ${stream}`,

  // The dialog that creates or edits a stream
  editStream: "Edit stream",
  monitorsHint: "Delivers posts matched from now on. The API delivers a post that several monitors match once for each; the live view shows it once.",
  monitorsPlaceholder: "Enter a name",
  teamWithoutMonitors: "This team has no monitors",

  // The live view
  newPostsFrom: (monitors: string[]) => `New posts from ${monitors.join(", ")}`,
  leadWithoutMonitors: "This stream has no monitors.",
  allStreams: "All streams",
  addMonitors: () => (
    <>
      No posts arrive because the stream has no monitors. Add some on the <Link href="/streams">Streams</Link> page.
    </>
  ),
  startWith: "Start with",
  includeBacklog: "Include backlog",
  newOnly: "New only",
  pause: "Pause",
  resume: (missed: number) => `Resume (${plural(missed, "new post")})`,
  states: { connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", ended: "Ended" },
  connection: (state: string) => `Connection: ${state}`,
  unreachable: "Cannot reach the server.",
  counters: "Posts received",
  lastMinute: "new in the last minute",
  sinceOpened: "new since you opened this page",
  fromBacklog: "already in the queue",
  skippedBacklog: "already in the queue, counted once per monitor",
  waitingTitle: "Waiting for posts",
  pausedTitle: "Paused",
  waitingText: "Posts appear here within two seconds. Viewing them does not remove them from the queue.",
  newestFirst: "Posts, newest first",
  monitor: (id: number) => `Monitor ${id}`,
  timeIn: (timezone: string | undefined) => (timezone ? `Time in ${timezone}` : "Time in the monitor's time zone"),
  truncated: (posts: number) => `Showing the newest ${number(posts)}.`,

  // Calls for API clients
  apiCalls: "Use this stream with the API",
  pushIntro: () => (
    <>
      Posts as they arrive. Get a token for <code>$TOKEN</code> on the <Link href="/connect">API</Link> page.
    </>
  ),
  pushCommand: "Command for posts as they arrive",
  copyPushCommand: "Copy the command for posts as they arrive",
  pullIntro: "Up to 100 posts from the queue. Reading removes them.",
  pullCommand: "Command for the queue",
  copyPullCommand: "Copy the command for the queue",
};
