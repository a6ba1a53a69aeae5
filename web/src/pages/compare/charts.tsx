import { useCallback, useMemo, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { categoryColor, seriesColor, shortCategory } from "../../lib/color";
import { ageNames, dateRange, genderNames, longDay, monthDay, number, percent } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { NameCount, Overview } from "../../lib/types";
import { Card, Delta, SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { StackedBar } from "../../components/sparkline";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

// A Side is a monitor in one period.
export interface Side {
  name: string;
  o: Overview;
}

interface Props {
  sides: Side[];
  file: string;
}

// CompareCharts shows the charts that compare the sides.
export function CompareCharts({ sides, file }: Props) {
  return (
    <div class="columns">
      <Totals sides={sides} file={file} />
      <Volumes sides={sides} file={file} />
      <Sentiment sides={sides} file={file} />
      <Matrix sides={sides} file={file} id="emotions" title={common.words.emotions} total={(o) => countKnown(o.emotions)} of={(o) => o.emotions} />
      <Matrix sides={sides} file={file} id="sources" title={common.words.sources} of={(o) => o.sources} />
      <Matrix sides={sides} file={file} id="countries" title={common.words.countries} total={(o) => o.places.located} of={(o) => o.places.countries} />
      <Matrix sides={sides} file={file} id="languages" title={common.words.languages} of={(o) => o.languages} />
      <Matrix sides={sides} file={file} id="hashtags" title={common.words.hashtags} of={(o) => o.hashtags.map((h) => ({ ...h, name: `#${h.name}` }))} />
      <Matrix sides={sides} file={file} id="gender" title={common.words.gender} total={(o) => countKnown(o.genders)} of={(o) => o.genders.map((g) => ({ name: genderNames[g.id] ?? g.id, posts: g.posts }))} />
      <Matrix sides={sides} file={file} id="age" title={common.words.age} total={(o) => countKnown(o.ages)} of={(o) => o.ages.map((a) => ({ name: ageNames[a.id] ?? a.id, posts: a.posts }))} />
    </div>
  );
}

function Totals({ sides, file }: Props) {
  const dark = useDark();
  const table = { head: compare.totals.csv, rows: sides.map((s) => [s.name, s.o.start, s.o.end, s.o.posts, s.o.authors.count, s.o.authors.impressions]) };
  return (
    <ChartCard title={compare.totals.title} note={sides.length > 1 && compare.totals.note} file={`${file}-totals`} table={table}>
      <div class="scroll" tabIndex={0} role="region" aria-label={common.chart.tableCaption(compare.totals.title)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{common.words.monitor}</th>
              <th scope="col" class="right">{common.words.posts}</th>
              <th scope="col" class="right">{common.words.authors}</th>
              <th scope="col" class="right">{common.words.reach}</th>
              <th scope="col">{compare.totals.dates}</th>
            </tr>
          </thead>
          <tbody>
            {sides.map((s, i) => (
              <tr key={i}>
                <th scope="row">
                  <i class="dot" style={{ background: seriesColor(i, dark) }} /> {s.name}
                </th>
                <td class="right">
                  {number(s.o.posts)} {i > 0 && <Delta now={s.o.posts} before={sides[0].o.posts} plain />}
                </td>
                <td class="right">{number(s.o.authors.count)}</td>
                <td class="right">{s.o.authors.impressions === null ? common.unknown : number(s.o.authors.impressions)}</td>
                <td class="nowrap">{s.o.start ? dateRange(s.o.start, s.o.end) : compare.totals.noResults}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </ChartCard>
  );
}

// Volumes draws the posts per day of all sides, aligned by their first day.
function Volumes({ sides, file }: Props) {
  const [measure, setMeasure] = useState<"posts" | "share">("posts");
  const longest = sides.reduce((a, b) => (b.o.days.length > a.o.days.length ? b : a));
  const sameDays = sides.every((s) => s.o.start === longest.o.start);
  const days = useMemo(() => longest.o.days.map((d, i) => (sameDays ? { label: monthDay(d.date), title: longDay(d.date), csv: d.date } : { label: compare.volume.day(i + 1), title: compare.volume.day(i + 1), csv: compare.volume.day(i + 1) })), [longest, sameDays]);
  const value = (s: Side, i: number) => {
    const d = s.o.days[i];
    if (!d) return null;
    return measure === "posts" ? d.posts : s.o.posts ? d.posts / s.o.posts : 0;
  };
  const option = useCallback(
    (c: Colors) => timeChart({ labels: days.map((d) => d.label), titles: days.map((d) => d.title), series: sides.map((s, i) => ({ name: s.name, values: days.map((_, d) => value(s, d)), color: seriesColor(i, c.dark) })), kind: "lines", shares: measure === "share", legend: true }, c),
    [sides, days, measure],
  );
  const table = { dates: sameDays, head: [common.words.day, ...sides.map((s) => s.name)], rows: days.map((day, d) => [day.csv, ...sides.map((s) => s.o.days[d]?.posts ?? null)]) };
  return (
    <ChartCard title={common.words.volume} note={sameDays ? undefined : compare.volume.aligned} file={`${file}-volume`} table={table} tools={<SegmentedControl small label={compare.volume.as} value={measure} onChange={setMeasure} options={[{ value: "posts", name: common.words.posts }, { value: "share", name: compare.volume.ownShare }]} />}>
      <Chart label={compare.volume.label(sides.map((s) => s.name))} option={option} />
    </ChartCard>
  );
}

// Sentiment shows the shares of sentiments or opinions of each side.
function Sentiment({ sides, file }: Props) {
  const dark = useDark();
  const rows = sides.flatMap((s) => s.o.categories.filter((c) => !c.hidden).map((c) => [s.name, shortCategory(c.name), c.posts, Math.round(c.share * 1000) / 10]));
  return (
    <ChartCard class="c6" title={compare.categories} file={`${file}-categories`} table={{ head: [common.words.monitor, common.words.category, common.words.posts, common.words.percent], rows }}>
      <div class="stack">
        {sides.map((s, i) => {
          const shares = s.o.categories.filter((c) => !c.hidden).map((c, n) => ({ name: shortCategory(c.name), share: c.share, color: categoryColor(c.name, n, dark) }));
          return (
            <div key={i} class="stack tight">
              <span>
                <i class="dot" style={{ background: seriesColor(i, dark) }} /> {s.name}
              </span>
              <StackedBar label={s.name} shares={shares} />
              <div class="legend">
                {shares.map((p) => (
                  <span key={p.name}>
                    <i class="dot" style={{ background: p.color }} />
                    {p.name} {percent(p.share)}
                  </span>
                ))}
              </div>
            </div>
          );
        })}
      </div>
    </ChartCard>
  );
}

// countKnown returns the number of posts in all rows of a list, that is, of posts for which the
// attribute is known.
const countKnown = (list: { posts: number }[]) => list.reduce((n, x) => n + x.posts, 0);

// Matrix compares the most frequent values of an attribute. total returns the posts that shares
// refer to, by default all of them.
function Matrix({ sides, file, id, title, of, total = (o) => o.posts }: Props & { id: string; title: string; of: (o: Overview) => NameCount[]; total?: (o: Overview) => number }) {
  const part = (posts: number, i: number) => (total(sides[i].o) ? posts / total(sides[i].o) : 0);
  const rows = useMemo(() => {
    const all = new Map<string, number[]>();
    sides.forEach((s, i) => {
      for (const c of of(s.o)) {
        if (!all.has(c.name)) all.set(c.name, sides.map(() => 0));
        all.get(c.name)![i] = c.posts;
      }
    });
    const weight = (posts: number[]) => posts.reduce((n, p, i) => n + part(p, i), 0);
    return [...all].sort((a, b) => weight(b[1]) - weight(a[1]));
  }, [sides]);
  const dark = useDark();
  if (rows.length === 0) return <Card class="c6 fill" title={title}><p class="muted">{compare.noData}</p></Card>;
  const largest = Math.max(...rows.flatMap(([, posts]) => posts.map(part)));
  return (
    <ChartCard class="c6" title={title} note={compare.matrixNote} file={`${file}-${id}`} table={{ head: [title, ...sides.map((s) => s.name)], rows: rows.map(([name, posts]) => [name, ...posts]) }}>
      <ul class="stack tight">
        {rows.slice(0, 8).map(([name, posts]) => (
          <li key={name} class="versus">
            <span class="clip">{name}</span>
            <span class="stack versus-bars">
              {posts.map((p, i) => {
                const share = part(p, i);
                return (
                  <span key={i} class="versus-bar" title={compare.posts(sides[i].name, p)}>
                    <i style={{ width: `${largest ? (share / largest) * 100 : 0}%`, background: seriesColor(i, dark) }} />
                    <span class="small muted num">{percent(share)}</span>
                  </span>
                );
              })}
            </span>
          </li>
        ))}
      </ul>
    </ChartCard>
  );
}
