import { urlOf } from "../../lib/api";
import { addDays, daysBetween } from "../../lib/format";
import { parseFilter, formatFilter, type FilterField } from "../../lib/filter";
import { match } from "../../lib/router";
import { isDate, lastDays } from "../../lib/view";

// A Call is a request that a program can make, and what it answers.
export interface Call {
  title: string;
  path: string;
  query?: Record<string, string | undefined>;
  body?: string; // JSON, which makes it a POST
  open?: boolean; // needs no token
  file?: string; // where the answer goes
}

// curl writes a call as a command. Values in the address are encoded, so that nothing in it means something to a shell.
export function curl(call: Call, base: string): string {
  const parts = ["curl"];
  if (call.file) parts.push(`-o ${call.file}`);
  if (!call.open) parts.push('-H "Authorization: Bearer $TOKEN"');
  parts.push(`'${base}${urlOf(call.path, call.query)}'`);
  if (call.body) parts.push(`\\\n  -d '${call.body.replaceAll("'", `'\\''`)}'`);
  return parts.join(" ");
}

// firstCalls are those to begin with.
export const firstCalls = (monitor: { id: number; timezone: string } | undefined, username: string): Call[] => {
  const id = String(monitor?.id ?? "MONITOR");
  const { start, end } = lastDays(7, monitor?.timezone ?? "UTC");
  return [
    { title: "A token, by user name and password", path: "/manage/v1/tokens", open: true, body: JSON.stringify({ username, password: "…" }) },
    { title: "Your monitors", path: "/api/monitor/list" },
    { title: "Posts of a monitor by day, the last week", path: "/api/monitor/volume", query: { id, start, end } },
    { title: "How people felt in these days", path: "/api/monitor/results", query: { id, start, end } },
    { title: "The newest posts", path: "/api/monitor/posts", query: { id, start, end } },
  ];
};

const publicFields: FilterField[] = ["site", "keywords", "geolocation", "category", "language", "source", "gender", "author"];

// publicFilter is the part of a filter that the public interface takes, and whether that is all of it.
function publicFilter(text: string): { text: string; complete: boolean } {
  const filter = parseFilter(text);
  const supported = Object.fromEntries(Object.entries(filter).filter(([field]) => publicFields.includes(field as FilterField)));
  return { text: formatFilter(supported), complete: Object.keys(supported).length === Object.keys(filter).length };
}

// A View is what a page of a monitor shows.
interface View {
  id: string; // of the monitor, or of one of its filters
  start: string;
  end: string;
  filter: string;
}

function viewOf(id: string, query: URLSearchParams, zone: string, first = ""): View {
  const [start, end] = [query.get("start"), query.get("end")];
  const given = isDate(start) && isDate(end);
  const days = given ? { start, end } : lastDays(30, zone);
  if (!given && days.start < first) days.start = first; // of days before there are no results
  return { id: query.get("sub") || id, ...days, filter: query.get("filter") ?? "" };
}

// monitorIdOf returns the id of the monitor whose page an address is.
export const monitorIdOf = (page: string): string | null => {
  const id = /^\/monitors\/(\d+)/.exec(page)?.[1];
  return id ?? null;
};

// callsFor returns the calls that give what a page shows. The address is that of the page, with its parameters; zone and first
// day are those of its monitor.
export function callsFor(page: string, zone: string, first?: string): Call[] {
  const url = new URL(page, "http://earshot.invalid");
  const { pathname: path, searchParams: query } = url;
  const id = monitorIdOf(path);
  if (id && path.endsWith("/posts")) return postCalls(viewOf(id, query, zone, first));
  if (id && path.endsWith("/train")) return trainCalls(id);
  if (id && path.endsWith("/edit")) return settingCalls(id);
  if (id) return overviewCalls(viewOf(id, query, zone, first));
  if (path === "/compare") return compareCalls(query, zone);
  const stream = match("/streams/:id", path)?.id;
  if (stream) return streamCalls(stream);
  const result = match("/analysis/:id", path)?.id;
  if (result) return [{ title: "The result of the analysis", path: `/api/results/${encodeURIComponent(result)}` }];
  return others[path] ?? [];
}

const others: Record<string, Call[]> = {
  "/": [
    { title: "The monitors with their numbers", path: "/manage/v1/summary", query: { days: "30" } },
    { title: "The monitors and their settings", path: "/api/monitor/list" },
  ],
  "/streams": [{ title: "The streams", path: "/manage/v1/streams" }],
  "/analysis": [
    { title: "Your analyses of the last 30 days", path: "/manage/v1/analyses" },
    { title: "A new analysis", path: "/api/results", body: analysis() },
  ],
  "/uploads": [
    { title: "Your teams", path: "/api/team/list" },
    { title: "Content sources of a team", path: "/api/content/sources/list", query: { team: "TEAM" } },
    { title: "Upload documents, up to 1,000 at once", path: "/api/content/upload", query: { documentType: "SOURCE" }, body: '{"items":[{"guid":"answer-17","date":"2026-03-01T08:30:00Z","contents":"The new coffee is lovely"}]}' },
  ],
  "/admin": [
    { title: "Users", path: "/manage/v1/users" },
    { title: "Teams", path: "/manage/v1/teams" },
    { title: "The contract", path: "/manage/v1/contract" },
    { title: "Status", path: "/manage/v1/status" },
  ],
};

function analysis(): string {
  const { start } = lastDays(2, "UTC"); // 24 hours is the most that an analysis looks at
  const end = addDays(start, 1);
  return JSON.stringify({ analysis: ["volume", "sentiment"], keywords: "coffee", sources: ["NEWS", "FORUMS"], startDate: `${start}T00:00:00`, endDate: `${end}T00:00:00`, timezone: "UTC" });
}

function overviewCalls(v: View): Call[] {
  const days = { id: v.id, start: v.start, end: v.end };
  const supported = publicFilter(v.filter);
  const everything: Call = { title: v.filter ? "Everything on the page, with its filter" : "Everything on the page at once", path: `/manage/v1/monitors/${v.id}/overview`, query: { start: v.start, end: v.end, filter: v.filter } };
  const filtered: Call[] = [
    { title: supported.complete ? "Words" : "Words, with what of the filter this call knows", path: "/api/monitor/wordcloud", query: { ...days, filter: supported.text } },
    { title: supported.complete ? "Posts" : "Posts, with what of the filter this call knows", path: "/api/monitor/posts", query: { ...days, filter: supported.text } },
  ];
  if (v.filter) return [everything, ...filtered];
  return [
    everything,
    { title: "Posts by day", path: "/api/monitor/volume", query: days },
    { title: "Sentiment or opinions, and emotions", path: "/api/monitor/results", query: days },
    ...filtered,
    { title: "Sources and sites", path: "/api/monitor/sources", query: days },
    { title: "Authors", path: "/api/monitor/authors", query: days },
    { title: "Countries", path: "/api/monitor/geography/countries", query: days },
    { title: "Gender", path: "/api/monitor/demographics/gender", query: days },
    { title: "Age", path: "/api/monitor/demographics/age", query: days },
    { title: "Time of day", path: "/api/monitor/dayandtime", query: { ...days, uselocaltime: "true" } },
    { title: "Pictures", path: "/api/monitor/imageresults", query: days },
  ];
}

function postCalls(v: View): Call[] {
  const supported = publicFilter(v.filter);
  const range = { start: v.start, end: v.end };
  return [
    { title: supported.complete ? "The newest 500 posts" : "The newest 500 posts, with what of the filter this call knows", path: "/api/monitor/posts", query: { id: v.id, ...range, filter: supported.text } },
    { title: "The posts as the page shows them, with marks", path: `/manage/v1/monitors/${v.id}/posts`, query: { ...range, filter: v.filter, limit: "50" } },
    { title: "All posts as CSV", path: `/manage/v1/monitors/${v.id}/export`, query: { ...range, filter: v.filter, format: "csv" }, file: "posts.csv" },
    { title: "All posts as JSON lines", path: `/manage/v1/monitors/${v.id}/export`, query: { ...range, filter: v.filter, format: "ndjson" }, file: "posts.ndjson" },
  ];
}

const settingCalls = (id: string): Call[] => [
  { title: "The monitor", path: `/manage/v1/monitors/${id}` },
  { title: "The monitor as the public interface tells it", path: "/api/monitor/detail", query: { id } },
  { title: "Who changed what", path: "/api/monitor/audit", query: { id } },
];

const trainCalls = (id: string): Call[] => [
  { title: "Training posts", path: "/api/monitor/trainingposts", query: { id } },
  { title: "Posts to teach with", path: `/manage/v1/monitors/${id}/training/suggestions` },
  { title: "How good the model is", path: `/manage/v1/monitors/${id}/model` },
];

const streamCalls = (id: string): Call[] => [
  { title: "Posts as they come", path: `/manage/v1/streams/${id}/events` },
  { title: "Up to 100 of those that wait, which takes them out of the queue", path: `/api/stream/${id}/posts` },
];

function compareCalls(query: URLSearchParams, zone: string): Call[] {
  const ids = (query.get("m") ?? "").split(",").filter((x) => /^\d+$/.test(x));
  const before = query.get("before");
  return ids.flatMap((id) => {
    const { start, end } = viewOf(id, query, zone);
    const call = { title: `Monitor ${id}`, path: `/manage/v1/monitors/${id}/overview`, query: { start, end } };
    if (!isDate(before)) return [call];
    const other = { start: before, end: addDays(before, daysBetween(start, end)) };
    return [call, { ...call, title: `Monitor ${id}, the days it is held against`, query: other }];
  });
}
