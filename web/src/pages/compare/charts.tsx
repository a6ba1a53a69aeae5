import { useCallback, useMemo, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { categoryColor, seriesColor, shortCategory } from "../../lib/color";
import { ageNames, genderNames, number, percent, dateRange } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { NameCount, Overview } from "../../lib/types";
import { Card, Delta, SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { StackedBar } from "../../components/sparkline";

// A Side is one of the things that are compared.
export interface Side {
  name: string;
  o: Overview;
}

interface Props {
  sides: Side[];
  file: string;
}

// CompareCharts holds what was counted of each side against the others.
export function CompareCharts({ sides, file }: Props) {
  return (
    <div class="columns">
      <Totals sides={sides} file={file} />
      <Volumes sides={sides} file={file} />
      <Sentiment sides={sides} file={file} />
      <Matrix sides={sides} file={file} title="Emotions" total={(o) => countKnown(o.emotions)} of={(o) => o.emotions} />
      <Matrix sides={sides} file={file} title="Sources" of={(o) => o.sources} />
      <Matrix sides={sides} file={file} title="Countries" total={(o) => o.places.located} of={(o) => o.places.countries} />
      <Matrix sides={sides} file={file} title="Languages" of={(o) => o.languages} />
      <Matrix sides={sides} file={file} title="Hashtags" of={(o) => o.hashtags.map((h) => ({ ...h, name: `#${h.name}` }))} />
      <Matrix sides={sides} file={file} title="Gender" total={(o) => countKnown(o.genders)} of={(o) => o.genders.map((g) => ({ name: genderNames[g.id] ?? g.id, posts: g.posts }))} />
      <Matrix sides={sides} file={file} title="Age" total={(o) => countKnown(o.ages)} of={(o) => o.ages.map((a) => ({ name: ageNames[a.id] ?? a.id, posts: a.posts }))} />
    </div>
  );
}

function Totals({ sides, file }: Props) {
  const dark = useDark();
  const table = { head: ["Monitor", "From", "To", "Posts", "Authors", "Reach"], rows: sides.map((s) => [s.name, s.o.start, s.o.end, s.o.posts, s.o.authors.count, s.o.authors.impressions]) };
  return (
    <ChartCard title="In all" file={`${file}-totals`} table={table}>
      <div class="scroll" tabIndex={0} role="region" aria-label="Totals">
        <table>
          <thead>
            <tr>
              <th scope="col">Monitor</th>
              <th scope="col" class="right">Posts</th>
              <th scope="col" class="right">Authors</th>
              <th scope="col" class="right">Reach</th>
              <th scope="col">Days</th>
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
                <td class="right">{number(s.o.authors.impressions)}</td>
                <td class="nowrap">{s.o.start ? dateRange(s.o.start, s.o.end) : "no results"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </ChartCard>
  );
}

// Volumes draws the days of all sides over each other: the first with the first.
function Volumes({ sides, file }: Props) {
  const [measure, setMeasure] = useState<"posts" | "share">("posts");
  const longest = sides.reduce((a, b) => (b.o.days.length > a.o.days.length ? b : a));
  const sameDays = sides.every((s) => s.o.start === longest.o.start);
  const labels = useMemo(() => longest.o.days.map((d, i) => (sameDays ? d.date : `Day ${i + 1}`)), [longest, sameDays]);
  const value = (s: Side, i: number) => {
    const d = s.o.days[i];
    if (!d) return null;
    return measure === "posts" ? d.posts : s.o.posts ? d.posts / s.o.posts : 0;
  };
  const option = useCallback(
    (c: Colors) => timeChart({ labels, series: sides.map((s, i) => ({ name: s.name, values: labels.map((_, d) => value(s, d)), color: seriesColor(i, c.dark) })), kind: "lines", shares: measure === "share", legend: true }, c),
    [sides, labels, measure],
  );
  const table = { head: [sameDays ? "Day" : "Step", ...sides.map((s) => s.name)], rows: labels.map((l, d) => [l, ...sides.map((s) => s.o.days[d]?.posts ?? null)]) };
  return (
    <ChartCard title="Volume" note={sameDays ? undefined : "Days of different times lie over each other, the first on the first"} file={`${file}-volume`} table={table} tools={<SegmentedControl small label="Volume as" value={measure} onChange={setMeasure} options={[{ value: "posts", name: "Posts" }, { value: "share", name: "% of its own" }]} />}>
      <Chart label={`Posts by day of ${sides.map((s) => s.name).join(" and ")}`} option={option} />
    </ChartCard>
  );
}

// Sentiment shows how sentiment or opinions are divided on each side.
function Sentiment({ sides, file }: Props) {
  const dark = useDark();
  const rows = sides.flatMap((s) => s.o.categories.filter((c) => !c.hidden).map((c) => [s.name, shortCategory(c.name), c.posts, Math.round(c.share * 1000) / 10]));
  return (
    <ChartCard class="c6" title="Sentiment and opinions" file={`${file}-categories`} table={{ head: ["Monitor", "Category", "Posts", "Percent"], rows }}>
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

// countKnown is how many posts something is known of.
const countKnown = (list: { posts: number }[]) => list.reduce((n, x) => n + x.posts, 0);

// Matrix is a table of what the sides have most of, with the share of each side's posts, or of those of which it is known.
function Matrix({ sides, file, title, of, total = (o) => o.posts }: Props & { title: string; of: (o: Overview) => NameCount[]; total?: (o: Overview) => number }) {
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
  if (rows.length === 0) return <Card class="c6 fill" title={title}><p class="muted">None in these days.</p></Card>;
  const largest = Math.max(...rows.flatMap(([, posts]) => posts.map(part)));
  return (
    <ChartCard class="c6" title={title} note="Share of the posts of each, as far as known" file={`${file}-${title.toLowerCase()}`} table={{ head: [title, ...sides.map((s) => s.name)], rows: rows.map(([name, posts]) => [name, ...posts]) }}>
      <ul class="stack tight">
        {rows.slice(0, 8).map(([name, posts]) => (
          <li key={name} class="versus">
            <span class="clip">{name}</span>
            <span class="stack versus-bars">
              {posts.map((p, i) => {
                const share = part(p, i);
                return (
                  <span key={i} class="versus-bar" title={`${sides[i].name}: ${number(p)} posts`}>
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
