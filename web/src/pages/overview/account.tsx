import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { get } from "../../lib/api";
import { monthDay, number, shortDay } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { InstagramFollowers, Monitor, Overview, PageLikes, TwitterFollowers } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";

// A Day has the counter of one network.
type Day = Pick<TwitterFollowers, "date"> & Partial<TwitterFollowers & PageLikes & InstagramFollowers>;

// Where the figures of an account are, for each network.
const counters: Record<string, { path: string; field: Exclude<keyof Day, "date">; name: string }> = {
  Twitter: { path: "/api/monitor/twittersocial/followers", field: "followers", name: "Followers" },
  Facebook: { path: "/api/monitor/facebook/pagelikes", field: "likes", name: "Page likes" },
  Instagram: { path: "/api/monitor/instagram/followers", field: "followerCount", name: "Followers" },
};

// AccountCounter shows how the followers or likes of a watched account went.
export function AccountCounter({ m, o, file }: { m: Monitor; o: Overview; file: string }) {
  const counter = counters[m.account?.network ?? ""];
  const { data, error, reload } = useLoad(counter ? `${counter.path} ${m.id} ${o.start} ${o.end}` : null, (signal) => get<{ dailyResults: Day[] }>(counter.path, { id: m.id, start: o.start, end: o.end }, signal));
  const days = (data?.dailyResults ?? []).map((d) => ({ date: d.date.slice(0, 10), value: counter ? Number(d[counter.field]) : 0 }));
  const key = days.map((d) => `${d.date} ${d.value}`).join();
  const option = useCallback((c: Colors) => timeChart({ labels: days.map((d) => monthDay(d.date)), titles: days.map((d) => shortDay(d.date)), series: [{ name: counter.name, values: days.map((d) => d.value), color: c.accent }], kind: "lines" }, c), [key]);
  if (!counter) return null;
  const title = `${counter.name} of ${m.account?.handle ?? m.account?.pageId ?? "the account"}`;
  if (!data) {
    return <Card title={title}>{error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton height="12rem" />}</Card>;
  }
  const first = days[0]?.value ?? 0;
  const last = days[days.length - 1]?.value ?? 0;
  return (
    <ChartCard title={title} note={days.length ? `${number(last)}, ${last >= first ? "+" : "−"}${number(Math.abs(last - first))} in these days` : "None are known for these days"} file={`${file}-${counter.name.toLowerCase().replace(" ", "-")}`} table={{ head: ["Day", counter.name], rows: days.map((d) => [d.date, d.value]) }}>
      {days.length > 0 && <Chart height="12rem" label={`${title}: ${number(first)} to ${number(last)}`} option={option} />}
    </ChartCard>
  );
}
