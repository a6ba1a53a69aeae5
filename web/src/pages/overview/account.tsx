import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { get } from "../../lib/api";
import { longDay, monthDay } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { AccountResponse, Monitor, Overview } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { overview } from "../../strings/overview";

const text = overview.account;

// AccountCounter shows the followers or page likes of a monitored account over time, with a link to
// all of its metrics.
export function AccountCounter({ m, o, file }: { m: Monitor; o: Overview; file: string }) {
  const path = `/manage/v1/monitors/${m.id}/account`;
  const { data, error, reload } = useLoad(`${path} ${o.start} ${o.end}`, (signal) => get<AccountResponse>(path, { start: o.start, end: o.end, limit: "1" }, signal));
  const page = m.account?.network === "Facebook";
  const counter = page ? "pageLikes" : "followers";
  const name = page ? text.pageLikes : text.followers;
  const days = (data?.days ?? []).flatMap((d) => (d[counter] === null ? [] : [{ date: d.date, value: d[counter] }]));
  const option = useCallback((c: Colors) => timeChart({ labels: days.map((d) => monthDay(d.date)), titles: days.map((d) => longDay(d.date)), series: [{ name, values: days.map((d) => d.value), color: c.accent }], kind: "lines", cropped: true }, c), [data]);
  const title = text.title(name, m.account?.handle ?? m.account?.pageId ?? text.account);
  if (!data) {
    return <Card title={title}>{error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton height="12rem" />}</Card>;
  }
  const first = days[0]?.value ?? 0;
  const last = days[days.length - 1]?.value ?? 0;
  return (
    <ChartCard
      title={title}
      note={
        <>
          {days.length ? text.note(last, last - first) : text.none} · <Link href={`/monitors/${m.id}/account?start=${o.start}&end=${o.end}`}>{text.all}</Link>
        </>
      }
      file={`${file}-${page ? "page-likes" : "followers"}`}
      table={{ dates: true, head: [overview.timeColumn("day"), name], rows: days.map((d) => [d.date, d.value]) }}
    >
      {days.length > 0 && <Chart height="12rem" label={text.label(title, first, last)} option={option} />}
    </ChartCard>
  );
}
