import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { get } from "../../lib/api";
import { number, shortDay } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { InstagramFollowers, Monitor, Overview, PageLikes, TwitterFollowers } from "../../lib/types";
import { Card, Failed, Waiting } from "../../parts/basics";
import { ChartCard } from "../../parts/chartcard";

// A Day has the counter of one network.
type Day = Pick<TwitterFollowers, "date"> & Partial<TwitterFollowers & PageLikes & InstagramFollowers>;

// Where the figures of an account are, for each network.
const figures: Record<string, { path: string; field: Exclude<keyof Day, "date">; name: string }> = {
  Twitter: { path: "/api/monitor/twittersocial/followers", field: "followers", name: "Followers" },
  Facebook: { path: "/api/monitor/facebook/pagelikes", field: "likes", name: "Page likes" },
  Instagram: { path: "/api/monitor/instagram/followers", field: "followerCount", name: "Followers" },
};

// Account shows how the followers or likes of a watched account went.
export function Account({ m, o, file }: { m: Monitor; o: Overview; file: string }) {
  const figure = figures[m.account?.network ?? ""];
  const { data, error, reload } = useLoad(figure ? `${figure.path} ${m.id} ${o.start} ${o.end}` : null, (signal) => get<{ dailyResults: Day[] }>(figure.path, { id: m.id, start: o.start, end: o.end }, signal));
  const days = (data?.dailyResults ?? []).map((d) => ({ date: d.date.slice(0, 10), value: figure ? Number(d[figure.field]) : 0 }));
  const key = days.map((d) => `${d.date} ${d.value}`).join();
  const option = useCallback((c: Colors) => timeChart({ labels: days.map((d) => shortDay(d.date).slice(4)), titles: days.map((d) => shortDay(d.date)), series: [{ name: figure.name, values: days.map((d) => d.value), color: c.accent }], kind: "lines" }, c), [key]);
  if (!figure) return null;
  const title = `${figure.name} of ${m.account?.handle ?? m.account?.pageId ?? "the account"}`;
  if (!data) {
    return <Card title={title}>{error ? <Failed error={error} retry={reload} /> : <Waiting height="12rem" />}</Card>;
  }
  const first = days[0]?.value ?? 0;
  const last = days[days.length - 1]?.value ?? 0;
  return (
    <ChartCard title={title} note={days.length ? `${number(last)}, ${last >= first ? "+" : "−"}${number(Math.abs(last - first))} in these days` : "None are known for these days"} file={`${file}-${figure.name.toLowerCase().replace(" ", "-")}`} table={{ head: ["Day", figure.name], rows: days.map((d) => [d.date, d.value]) }}>
      {days.length > 0 && <Chart height="12rem" label={`${title}: ${number(first)} to ${number(last)}`} option={option} />}
    </ChartCard>
  );
}
