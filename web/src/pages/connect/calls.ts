import { urlOf } from "../../lib/api";
import { browserZone } from "../../lib/author";
import { addDays } from "../../lib/format";
import { parseFilter, formatFilter, type FilterField } from "../../lib/filter";
import { match } from "../../lib/router";
import { isDate, isRolling, lastDays, rollingDays } from "../../lib/view";
import { maxRows, parseEarlier, parseRows, requestOf, sharedDates } from "../compare/rows";
import { api } from "../../strings/api";

const titles = api.calls;

// A Call is an API request.
export interface Call {
  title: string;
  path: string;
  query?: Record<string, string | undefined>;
  body?: string; // JSON; makes it a POST
  open?: boolean; // needs no token
  file?: string; // where curl saves the response
}

// curl returns a call as a curl command. Values in the URL are encoded, so the shell does not
// interpret them.
export function curl(call: Call, base: string): string {
  const parts = ["curl"];
  if (call.file) parts.push(`-o ${call.file}`);
  if (!call.open) parts.push('-H "Authorization: Bearer $TOKEN"');
  parts.push(`'${base}${urlOf(call.path, call.query)}'`);
  if (call.body) parts.push(`\\\n  -d '${call.body.replaceAll("'", `'\\''`)}'`);
  return parts.join(" ");
}

// firstCalls returns the calls to start with.
export const firstCalls = (monitor: { id: number; timezone: string } | undefined, username: string): Call[] => {
  const id = String(monitor?.id ?? "MONITOR");
  const { start, end } = lastDays(7, monitor?.timezone ?? "UTC");
  return [
    { title: titles.token, path: "/manage/v1/tokens", open: true, body: JSON.stringify({ username, password: "…" }) },
    { title: titles.yourMonitors, path: "/api/monitor/list" },
    { title: titles.weekVolume, path: "/api/monitor/volume", query: { id, start, end } },
    { title: titles.weekResults, path: "/api/monitor/results", query: { id, start, end } },
    { title: titles.weekPosts, path: "/api/monitor/posts", query: { id, start, end } },
  ];
};

const publicFields: FilterField[] = ["site", "keywords", "geolocation", "category", "language", "source", "gender", "author"];

// publicFilter returns the fields of a filter that the public API supports, and whether these are
// all of its fields.
function publicFilter(text: string): { text: string; complete: boolean } {
  const filter = parseFilter(text);
  const supported = Object.fromEntries(Object.entries(filter).filter(([field]) => publicFields.includes(field as FilterField)));
  return { text: formatFilter(supported), complete: Object.keys(supported).length === Object.keys(filter).length };
}

// A View is the data that a page of a monitor shows.
interface View {
  id: string; // of the monitor, or of one of its filters
  start: string;
  end: string;
  days: Record<string, string>; // the same days for the management API, which takes rolling ranges
  filter: string;
  sort: string; // order of posts, or ""
  group: string; // "true" if similar posts are grouped, or ""
}

function viewOf(id: string, query: URLSearchParams, zone: string, first = ""): View {
  const [range, start, end] = [query.get("range"), query.get("start"), query.get("end")];
  const given = !isRolling(range) && isDate(start) && isDate(end);
  const days = given ? { start, end } : rollingDays(isRolling(range) ? range : "last30", zone);
  if (!given && days.start < first && first < days.end) days.start = first; // there are no results before the monitor's start
  return { id: query.get("sub") || id, ...days, days: isRolling(range) ? { range } : days, filter: query.get("filter") ?? "", sort: query.get("sort") ?? "", group: query.get("group") === "1" ? "true" : "" };
}

// monitorIdOf returns the id of the monitor that a page belongs to, or null.
export const monitorIdOf = (page: string): string | null => {
  const id = /^\/monitors\/(\d+)/.exec(page)?.[1];
  return id ?? null;
};

// callsFor returns the calls behind a page, given by its path and parameters. zone and first are
// the time zone and start date of its monitor.
export function callsFor(page: string, zone: string, first?: string): Call[] {
  const url = new URL(page, "http://earshot.invalid");
  const { pathname: path, searchParams: query } = url;
  const id = monitorIdOf(path);
  if (id && path.endsWith("/posts")) return postCalls(viewOf(id, query, zone, first));
  if (id && path.endsWith("/account")) return accountCalls(viewOf(id, query, zone, first));
  if (id && path.endsWith("/topics")) return topicCalls(viewOf(id, query, zone, first));
  if (id && path.endsWith("/why")) return whyCalls(viewOf(id, query, zone, first), query);
  if (id && path.endsWith("/train")) return trainCalls(id);
  if (id && path.endsWith("/edit")) return settingCalls(id);
  if (id) return overviewCalls(viewOf(id, query, zone, first));
  if (path === "/author") return authorCalls(query);
  if (path === "/compare") return compareCalls(query);
  const stream = match("/streams/:id", path)?.id;
  if (stream) return streamCalls(stream);
  const result = match("/analysis/:id", path)?.id;
  if (result) return [{ title: titles.result, path: `/api/results/${encodeURIComponent(result)}` }];
  return others[path] ?? [];
}

const others: Record<string, Call[]> = {
  "/": [
    { title: titles.summary, path: "/manage/v1/summary", query: { days: "30" } },
    { title: titles.monitors, path: "/api/monitor/list" },
  ],
  "/streams": [{ title: titles.streams, path: "/manage/v1/streams" }],
  "/analysis": [
    { title: titles.analyses, path: "/manage/v1/analyses" },
    { title: titles.newAnalysis, path: "/api/results", body: analysis() },
  ],
  "/uploads": [
    { title: titles.teams, path: "/api/team/list" },
    { title: titles.contentSources, path: "/api/content/sources/list", query: { team: "TEAM" } },
    { title: titles.upload, path: "/api/content/upload", query: { documentType: "SOURCE" }, body: JSON.stringify({ items: [{ guid: "answer-17", date: "2026-03-01T08:30:00Z", contents: api.exampleDocument }] }) },
  ],
  "/admin": [
    { title: titles.users, path: "/manage/v1/users" },
    { title: titles.allTeams, path: "/manage/v1/teams" },
    { title: titles.contract, path: "/manage/v1/contract" },
    { title: titles.status, path: "/manage/v1/status" },
  ],
};

function analysis(): string {
  const { start } = lastDays(2, "UTC"); // an analysis covers at most 24 hours
  const end = addDays(start, 1);
  return JSON.stringify({ analysis: ["volume", "sentiment"], keywords: "coffee", sources: ["NEWS", "FORUMS"], startDate: `${start}T00:00:00`, endDate: `${end}T00:00:00`, timezone: "UTC" });
}

function overviewCalls(v: View): Call[] {
  const days = { id: v.id, start: v.start, end: v.end };
  const supported = publicFilter(v.filter);
  const everything: Call = { title: v.filter ? titles.everythingFiltered : titles.everything, path: `/manage/v1/monitors/${v.id}/overview`, query: { ...v.days, filter: v.filter } };
  const filteredTitle = (title: string) => (supported.complete ? title : titles.partlyFiltered(title));
  const filtered: Call[] = [
    { title: filteredTitle(titles.words), path: "/api/monitor/wordcloud", query: { ...days, filter: supported.text } },
    { title: filteredTitle(titles.posts), path: "/api/monitor/posts", query: { ...days, filter: supported.text } },
  ];
  if (v.filter) return [everything, ...filtered];
  return [
    everything,
    { title: titles.volume, path: "/api/monitor/volume", query: days },
    { title: titles.results, path: "/api/monitor/results", query: days },
    ...filtered,
    { title: titles.sources, path: "/api/monitor/sources", query: days },
    { title: titles.authors, path: "/api/monitor/authors", query: days },
    { title: titles.countries, path: "/api/monitor/geography/countries", query: days },
    { title: titles.gender, path: "/api/monitor/demographics/gender", query: days },
    { title: titles.age, path: "/api/monitor/demographics/age", query: days },
    { title: titles.timeOfDay, path: "/api/monitor/dayandtime", query: { ...days, uselocaltime: "true" } },
    { title: titles.images, path: "/api/monitor/imageresults", query: days },
  ];
}

function postCalls(v: View): Call[] {
  const supported = publicFilter(v.filter);
  return [
    { title: supported.complete ? titles.newestPosts : titles.partlyFiltered(titles.newestPosts), path: "/api/monitor/posts", query: { id: v.id, start: v.start, end: v.end, filter: supported.text } },
    { title: titles.pagePosts, path: `/manage/v1/monitors/${v.id}/posts`, query: { ...v.days, filter: v.filter, sort: v.sort || "newest", group: v.group, limit: "50" } },
    { title: titles.exportCSV, path: `/manage/v1/monitors/${v.id}/export`, query: { ...v.days, filter: v.filter, format: "csv" }, file: "posts.csv" },
    { title: titles.exportJSON, path: `/manage/v1/monitors/${v.id}/export`, query: { ...v.days, filter: v.filter, format: "ndjson" }, file: "posts.ndjson" },
  ];
}

function authorCalls(query: URLSearchParams): Call[] {
  const given = Object.fromEntries(["name", "source", "range", "start", "end"].map((name) => [name, query.get(name) ?? undefined]));
  const author = { ...given, timezone: query.get("timezone") || browserZone() };
  return [
    { title: titles.author, path: "/manage/v1/author", query: author },
    { title: titles.authorPosts, path: "/manage/v1/author/posts", query: { ...author, sort: query.get("sort") ?? undefined, limit: "20" } },
  ];
}

const accountCalls = (v: View): Call[] => [{ title: titles.account, path: `/manage/v1/monitors/${v.id}/account`, query: v.days }];

const topicCalls = (v: View): Call[] => [
  { title: titles.topics, path: `/manage/v1/monitors/${v.id}/topics`, query: { ...v.days, filter: v.filter } },
  { title: titles.changes, path: `/manage/v1/monitors/${v.id}/changes`, query: { ...v.days, filter: v.filter } },
];

// whyCalls returns the calls of an explanation. Hours in the URL take the place of days.
function whyCalls(v: View, query: URLSearchParams): Call[] {
  const [from, to] = [query.get("from"), query.get("to")];
  const period = from && to ? { start: from, end: to } : v.days;
  return [
    { title: titles.explanation, path: `/manage/v1/monitors/${v.id}/explanation`, query: { ...period, filter: v.filter } },
    { title: titles.voices, path: `/manage/v1/monitors/${v.id}/voices`, query: { ...period, filter: v.filter } },
    { title: titles.unusual, path: `/manage/v1/monitors/${v.id}/overview`, query: { ...v.days, filter: v.filter, parts: "unusual" } },
  ];
}

const settingCalls = (id: string): Call[] => [
  { title: titles.monitor, path: `/manage/v1/monitors/${id}` },
  { title: titles.monitorDetail, path: "/api/monitor/detail", query: { id } },
  { title: titles.audit, path: "/api/monitor/audit", query: { id } },
];

const trainCalls = (id: string): Call[] => [
  { title: titles.trainingPosts, path: "/api/monitor/trainingposts", query: { id } },
  { title: titles.suggestions, path: `/manage/v1/monitors/${id}/training/suggestions` },
  { title: titles.model, path: `/manage/v1/monitors/${id}/model` },
];

const streamCalls = (id: string): Call[] => [
  { title: titles.streamEvents, path: `/manage/v1/streams/${id}/events` },
  { title: titles.streamQueue, path: `/api/stream/${id}/posts` },
];

function compareCalls(query: URLSearchParams): Call[] {
  const rows = parseRows(query).slice(0, maxRows);
  if (rows.length === 0) return [];
  const body = requestOf(rows, sharedDates(query), parseEarlier(query));
  return [
    { title: titles.compared, path: "/manage/v1/compare", body: JSON.stringify(body) },
    { title: titles.comparedCounts, path: "/manage/v1/compare", body: JSON.stringify({ ...body, parts: ["counts"] }) },
  ];
}
