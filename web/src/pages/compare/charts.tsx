import { categoryColor, seriesColor, shortCategory } from "../../lib/color";
import { ageNames, fileDates, genderNames, percentEstimate } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { ComparedRow, Estimate, Monitor, NameCount } from "../../lib/types";
import { Card, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { StackedBar } from "../../components/sparkline";
import type { Table } from "../../components/table";
import { Separating, Topics } from "./details";
import { Differences } from "./differences";
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
  const file = `compare-${fileDates(start, end)}`;
  const chart = { rows, file };
  return (
    <div class={`columns ${stale ? "stale" : ""}`} aria-busy={stale}>
      <Totals {...chart} earlier={earlier} monitors={monitors} />
      <Volumes {...chart} earlier={earlier} />
      <div class="c4 stack filled">
        <ShareOfVoice {...chart} />
        <Sentiment {...chart} />
      </div>
      <Matrix {...chart} id="emotions" title={common.words.emotions} of={(r) => r.emotions} labels={(r) => r.emotionLabels} />
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
  const table = rows.flatMap((r) => r.categories.filter((c) => !c.hidden).map((c) => [r.label, shortCategory(c.name), c.posts, ...percents(c)]));
  return (
    <ChartCard title={compare.categories} file={`${file}-categories`} table={{ head: [compare.totals.row, common.words.category, common.words.posts, common.words.percent, ...compare.bounds], rows: table }}>
      <div class="stack">
        <Differences rows={rows.map((r) => ({ label: r.label, list: r.categories.filter((c) => !c.hidden) }))} />
        {rows.map((r, i) => {
          const shares = r.categories.filter((c) => !c.hidden).map((c, n) => ({ name: shortCategory(c.name), share: c.share, interval: c.interval, color: categoryColor(c.name, n, dark) }));
          return (
            <div key={i} class="stack tight">
              <RowLabel label={r.label} position={i} />
              {r.needsTraining ? (
                <p class="small muted">{r.needsTraining}</p>
              ) : shares.every((p) => !p.share) ? (
                <p class="small muted">{compare.noData}</p>
              ) : (
                <>
                  <StackedBar label={r.label} shares={shares} />
                  <div class="legend">
                    {shares.map((p) => (
                      <span key={p.name}>
                        <i class="dot" style={{ background: p.color }} />
                        {p.name} {percentEstimate(p)}
                      </span>
                    ))}
                  </div>
                  {r.labels > 0 && <p class="small muted">{compare.calibrated(r.labels)}</p>}
                </>
              )}
            </div>
          );
        })}
      </div>
    </ChartCard>
  );
}

// percents returns a share and its bounds as percentages with one decimal. A counted share has no bounds.
function percents({ share, interval }: Estimate): (number | null)[] {
  const one = (x: number) => Math.round(x * 1000) / 10;
  return interval ? [one(share), one(interval.low), one(interval.high)] : [one(share), null, null];
}

// countKnown returns the number of posts in all rows of a list, that is, of posts for which the
// attribute is known.
const countKnown = (list: { posts: number }[]) => list.reduce((n, x) => n + x.posts, 0);

interface MatrixProps extends ChartProps {
  id: string;
  title: string;
  of: (r: ComparedRow) => (NameCount & Partial<Estimate>)[]; // shares are counted unless stated
  total?: (r: ComparedRow) => number; // posts that counted shares refer to, by default all of them
  labels?: (r: ComparedRow) => number; // labeled posts that calibrate estimated shares
}

type Value = Estimate & { posts: number };

// Matrix compares the most frequent values of an attribute.
function Matrix({ rows, file, id, title, of, total = (r) => r.posts, labels }: MatrixProps) {
  const dark = useDark();
  const all = new Map<string, Value[]>();
  rows.forEach((r, i) => {
    for (const { name, posts, share, interval } of of(r)) {
      if (!all.has(name)) all.set(name, rows.map(() => ({ posts: 0, share: 0, interval: null })));
      all.get(name)![i] = { posts, share: share ?? (total(r) ? posts / total(r) : 0), interval: interval ?? null };
    }
  });
  const weight = (list: Value[]) => list.reduce((n, v) => n + v.share, 0);
  const values = [...all].filter(([, list]) => list.some((v) => v.posts > 0)).sort((a, b) => weight(b[1]) - weight(a[1]));
  const estimated = values.some(([, list]) => list.some((v) => v.interval));
  if (values.length === 0) {
    return (
      <Card class="c6 fill" title={title}>
        <p class="muted">{compare.noData}</p>
      </Card>
    );
  }
  const largest = Math.max(...values.flatMap(([, list]) => list.map((v) => v.share)));
  return (
    <ChartCard class="c6" title={title} note={estimated ? [compare.estimateNote, ...rows.filter((r) => labels?.(r)).map((r) => `${r.label}: ${compare.calibrated(labels!(r))}`)].join(". ") : compare.matrixNote} file={`${file}-${id}`} table={matrixTable(title, rows, values, estimated)}>
      <div class="legend compare-legend">
        {rows.map((r, i) => (
          <RowLabel key={i} label={r.label} position={i} />
        ))}
      </div>
      <ul class="stack tight">
        {values.slice(0, 8).map(([name, list]) => (
          <li key={name} class={`versus ${estimated ? "estimated" : ""}`}>
            <span class="clip" title={name}>
              {name}
            </span>
            <span class="stack versus-bars">
              {list.map((v, i) => (
                <span key={i} class="versus-bar" title={compare.posts(rows[i].label, v.posts)}>
                  <i style={{ width: `${largest ? (v.share / largest) * 100 : 0}%`, background: seriesColor(i, dark) }} />
                  <span class="small muted num nowrap">{percentEstimate(v)}</span>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </ChartCard>
  );
}

// matrixTable has the posts of each row and, if they are estimated, the shares with their bounds.
function matrixTable(title: string, rows: ComparedRow[], values: [string, Value[]][], estimated: boolean): Table {
  const labels = rows.map((r) => r.label);
  if (!estimated) return { series: true, head: [title, ...labels], rows: values.map(([name, list]) => [name, ...list.map((v) => v.posts)]) };
  return { head: [title, ...labels, ...labels.flatMap(compare.shareColumns)], rows: values.map(([name, list]) => [name, ...list.map((v) => v.posts), ...list.flatMap(percents)]) };
}
