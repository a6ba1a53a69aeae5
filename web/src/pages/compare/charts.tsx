import { categoryColor, seriesColor, shortCategory } from "../../lib/color";
import { ageNames, genderNames, percent } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { ComparedRow, Monitor, NameCount } from "../../lib/types";
import { Card, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { StackedBar } from "../../components/sparkline";
import { Separating, Topics } from "./details";
import { RowLabel, type ChartProps } from "./label";
import type { Earlier } from "./rows";
import { ShareOfVoice, Totals } from "./totals";
import { Volumes } from "./volume";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

interface Props {
  rows: ComparedRow[];
  details?: ComparedRow[]; // topics and what separates the rows, which come later
  failed: boolean; // there will be no details
  earlier: Earlier;
  monitors: Monitor[];
  stale: boolean;
  staleDetails: boolean;
}

// CompareCharts shows the charts that compare the rows. Those below the details wait for them, so that
// they do not move.
export function CompareCharts({ rows, details, failed, earlier, monitors, stale, staleDetails }: Props) {
  const { start, end } = rows[0].requested;
  const file = `compare-${start}-${end}`;
  const chart = { rows, file };
  return (
    <div class={`columns ${stale ? "stale" : ""}`} aria-busy={stale}>
      <Totals {...chart} earlier={earlier} monitors={monitors} />
      <Volumes {...chart} earlier={earlier} />
      <div class="c4 stack filled">
        <ShareOfVoice {...chart} />
        <Sentiment {...chart} />
      </div>
      <Matrix {...chart} id="emotions" title={common.words.emotions} total={(r) => countKnown(r.emotions)} of={(r) => r.emotions} />
      <div class="c6 stack filled">
        <Matrix {...chart} id="gender" title={common.words.gender} total={(r) => countKnown(r.genders)} of={(r) => r.genders.map((g) => ({ name: genderNames[g.id] ?? g.id, posts: g.posts }))} />
        <Matrix {...chart} id="age" title={common.words.age} total={(r) => countKnown(r.ages)} of={(r) => r.ages.map((a) => ({ name: ageNames[a.id] ?? a.id, posts: a.posts }))} />
      </div>
      {!details && !failed && <Skeleton height="60rem" />}
      {details && (
        <>
          <Topics rows={details} file={file} monitors={monitors} stale={staleDetails} />
          <Separating rows={details} file={file} monitors={monitors} stale={staleDetails} />
        </>
      )}
      {(details || failed) && (
        <>
          <Matrix {...chart} id="sources" title={common.words.sources} of={(r) => r.sources} />
          <Matrix {...chart} id="languages" title={common.words.languages} of={(r) => r.languages} />
          <Matrix {...chart} id="countries" title={common.words.countries} total={(r) => r.located} of={(r) => r.countries} />
          <Matrix {...chart} id="hashtags" title={common.words.hashtags} of={(r) => r.hashtags.map((h) => ({ ...h, name: `#${h.name}` }))} />
        </>
      )}
    </div>
  );
}

// Sentiment shows the shares of sentiments or opinions of each row.
function Sentiment({ rows, file }: ChartProps) {
  const dark = useDark();
  const table = rows.flatMap((r) => r.categories.filter((c) => !c.hidden).map((c) => [r.label, shortCategory(c.name), c.posts, Math.round(c.share * 1000) / 10]));
  return (
    <ChartCard title={compare.categories} file={`${file}-categories`} table={{ head: [compare.totals.row, common.words.category, common.words.posts, common.words.percent], rows: table }}>
      <div class="stack">
        {rows.map((r, i) => {
          const shares = r.categories.filter((c) => !c.hidden).map((c, n) => ({ name: shortCategory(c.name), share: c.share, color: categoryColor(c.name, n, dark) }));
          return (
            <div key={i} class="stack tight">
              <RowLabel label={r.label} position={i} />
              {r.untaught ? (
                <p class="small muted">{r.untaught}</p>
              ) : shares.every((p) => !p.share) ? (
                <p class="small muted">{compare.noData}</p>
              ) : (
                <>
                  <StackedBar label={r.label} shares={shares} />
                  <div class="legend">
                    {shares.map((p) => (
                      <span key={p.name}>
                        <i class="dot" style={{ background: p.color }} />
                        {p.name} {percent(p.share)}
                      </span>
                    ))}
                  </div>
                </>
              )}
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
function Matrix({ rows, file, id, title, of, total = (r) => r.posts }: ChartProps & { id: string; title: string; of: (r: ComparedRow) => NameCount[]; total?: (r: ComparedRow) => number }) {
  const dark = useDark();
  const part = (posts: number, i: number) => (total(rows[i]) ? posts / total(rows[i]) : 0);
  const all = new Map<string, number[]>();
  rows.forEach((r, i) => {
    for (const c of of(r)) {
      if (!all.has(c.name)) all.set(c.name, rows.map(() => 0));
      all.get(c.name)![i] = c.posts;
    }
  });
  const weight = (posts: number[]) => posts.reduce((n, p, i) => n + part(p, i), 0);
  const values = [...all].filter(([, posts]) => posts.some((p) => p > 0)).sort((a, b) => weight(b[1]) - weight(a[1]));
  if (values.length === 0) {
    return (
      <Card class="c6 fill" title={title}>
        <p class="muted">{compare.noData}</p>
      </Card>
    );
  }
  const largest = Math.max(...values.flatMap(([, posts]) => posts.map(part)));
  return (
    <ChartCard class="c6" title={title} note={compare.matrixNote} file={`${file}-${id}`} table={{ series: true, head: [title, ...rows.map((r) => r.label)], rows: values.map(([name, posts]) => [name, ...posts]) }}>
      <div class="legend compare-legend">
        {rows.map((r, i) => (
          <RowLabel key={i} label={r.label} position={i} />
        ))}
      </div>
      <ul class="stack tight">
        {values.slice(0, 8).map(([name, posts]) => (
          <li key={name} class="versus">
            <span class="clip" title={name}>
              {name}
            </span>
            <span class="stack versus-bars">
              {posts.map((p, i) => {
                const share = part(p, i);
                return (
                  <span key={i} class="versus-bar" title={compare.posts(rows[i].label, p)}>
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
