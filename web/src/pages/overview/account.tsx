import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { get } from "../../lib/api";
import { longDay, monthDay } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { InstagramFollowers, Monitor, Overview, PageLikes, TwitterFollowers } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { overview } from "../../strings/overview";

// A Day has the date and the counter of one network.
type Day = Pick<TwitterFollowers, "date"> & Partial<TwitterFollowers & PageLikes & InstagramFollowers>;

// counters has the endpoint and the field of the account counter of each network. id is part of the
// names of CSV files.
const counters: Record<string, { path: string; field: Exclude<keyof Day, "date">; id: string; name: string }> = {
  Twitter: { path: "/api/monitor/twittersocial/followers", field: "followers", id: "followers", name: overview.account.followers },
  Facebook: { path: "/api/monitor/facebook/pagelikes", field: "likes", id: "page-likes", name: overview.account.pageLikes },
  Instagram: { path: "/api/monitor/instagram/followers", field: "followerCount", id: "followers", name: overview.account.followers },
};

// AccountCounter shows the followers or page likes of a monitored account over time.
export function AccountCounter({ m, o, file }: { m: Monitor; o: Overview; file: string }) {
  const counter = counters[m.account?.network ?? ""];
  const { data, error, reload } = useLoad(counter ? `${counter.path} ${m.id} ${o.start} ${o.end}` : null, (signal) => get<{ dailyResults: Day[] }>(counter.path, { id: m.id, start: o.start, end: o.end }, signal));
  const days = (data?.dailyResults ?? []).map((d) => ({ date: d.date.slice(0, 10), value: counter ? Number(d[counter.field]) : 0 }));
  const key = days.map((d) => `${d.date} ${d.value}`).join();
  const option = useCallback((c: Colors) => timeChart({ labels: days.map((d) => monthDay(d.date)), titles: days.map((d) => longDay(d.date)), series: [{ name: counter.name, values: days.map((d) => d.value), color: c.accent }], kind: "lines" }, c), [key]);
  if (!counter) return null;
  const title = overview.account.title(counter.name, m.account?.handle ?? m.account?.pageId ?? overview.account.account);
  if (!data) {
    return <Card title={title}>{error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton height="12rem" />}</Card>;
  }
  const first = days[0]?.value ?? 0;
  const last = days[days.length - 1]?.value ?? 0;
  return (
    <ChartCard title={title} note={days.length ? overview.account.note(last, last - first) : overview.account.none} file={`${file}-${counter.id}`} table={{ dates: true, head: [overview.timeColumn("day"), counter.name], rows: days.map((d) => [d.date, d.value]) }}>
      {days.length > 0 && <Chart height="12rem" label={overview.account.label(title, first, last)} option={option} />}
    </ChartCard>
  );
}
