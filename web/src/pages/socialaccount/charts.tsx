import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart, type TimeOptions } from "../../charts/time";
import { seriesColor } from "../../lib/color";
import { longDay, monthDay } from "../../lib/format";
import type { AccountMetrics, AccountResponse } from "../../lib/types";
import { ChartCard } from "../../components/chartcard";
import { common } from "../../strings/common";
import { socialAccount } from "../../strings/socialaccount";

// A MetricChart is a chart of one or more metrics by day.
interface MetricChart {
  id: keyof typeof socialAccount.charts; // also part of the names of CSV files
  metrics: (keyof AccountMetrics)[];
  kind: TimeOptions["kind"];
  note: (a: AccountResponse) => string;
  main?: string; // network for which it is shown even if nothing is known
}

const { notes } = socialAccount;

const charts: MetricChart[] = [
  { id: "followers", metrics: ["followers"], kind: "lines", note: (a) => counterNote(a, "followers") },
  { id: "pageLikes", metrics: ["pageLikes"], kind: "lines", note: (a) => counterNote(a, "pageLikes") },
  { id: "posts", metrics: ["posts"], kind: "bars", note: (a) => notes.posts(a.total.posts, a.days.length) },
  { id: "impressions", metrics: ["impressions"], kind: "bars", note: () => notes.impressions },
  { id: "engagement", metrics: ["mentions", "replies", "retweets"], kind: "bars", note: () => notes.engagement },
  { id: "reactions", metrics: ["postLikes", "postComments", "postShares"], kind: "bars", note: () => notes.reactions },
  { id: "visitors", metrics: ["userPosts", "userLikes", "userComments", "userShares"], kind: "bars", note: () => notes.visitors },
];

// counterNote returns the number at the end of the period, and how it changed since its start.
function counterNote(a: AccountResponse, counter: "followers" | "pageLikes"): string {
  const last = a.total[counter];
  if (last === null) return notes.none;
  const first = a.previous?.total[counter] ?? a.days.find((d) => d[counter] !== null)?.[counter] ?? last;
  return notes.change(last, last - first);
}

// AccountCharts shows the metrics that the network of the account has. The number of followers, or
// of likes of a page, is shown even if it is unknown.
export function AccountCharts({ a, file }: { a: AccountResponse; file: string }) {
  const main = a.account.network === "Facebook" ? "pageLikes" : "followers";
  const shown = charts.filter((c) => c.id === main || c.metrics.some((name) => a.total[name] !== null));
  return (
    <>
      {shown.map((c, i) => (
        <MetricCard key={c.id} chart={c} a={a} file={file} wide={i === shown.length - 1 && i % 2 === 0} />
      ))}
    </>
  );
}

// MetricCard shows one chart. wide is set for a chart that is alone in its row.
function MetricCard({ chart, a, file, wide }: { chart: MetricChart; a: AccountResponse; file: string; wide: boolean }) {
  const metrics = chart.metrics.filter((name) => a.total[name] !== null);
  const title = socialAccount.charts[chart.id];
  const names = metrics.map((name) => socialAccount.metrics[name]);
  const option = useCallback(
    (c: Colors) =>
      timeChart(
        {
          labels: a.days.map((d) => monthDay(d.date)),
          titles: a.days.map((d) => longDay(d.date)),
          series: metrics.map((name, i) => ({ name: names[i], values: a.days.map((d) => d[name]), color: metrics.length > 1 ? seriesColor(i, c.dark) : c.accent })),
          kind: chart.kind,
          stacked: metrics.length > 1,
          legend: metrics.length > 1,
          cropped: chart.kind === "lines",
        },
        c,
      ),
    [a],
  );
  return (
    <ChartCard class={wide ? "" : "c6"} title={title} note={chart.note(a)} file={`${file}-${chart.id.toLowerCase()}`} table={{ dates: true, head: [common.words.day, ...names], rows: a.days.map((d) => [d.date, ...metrics.map((name) => d[name])]) }}>
      {metrics.length > 0 ? <Chart height="14rem" label={socialAccount.label(title, metrics.map((name, i) => socialAccount.total(names[i], a.total[name]!)).join(", "))} option={option} /> : <p class="muted">{common.chart.noData}</p>}
    </ChartCard>
  );
}
