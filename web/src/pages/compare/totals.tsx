import { seriesColor } from "../../lib/color";
import { capitalize, dateRange, daysBetween, number, percent } from "../../lib/format";
import { Link } from "../../lib/router";
import { useDark } from "../../lib/theme";
import type { ComparedRow, Monitor } from "../../lib/types";
import { Delta } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { StackedBar } from "../../components/sparkline";
import { RowLabel, type ChartProps } from "./label";
import { postsHref, type Earlier } from "./rows";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

const text = compare.totals;
const lengthOf = (d: { start: string; end: string }) => (d.start ? daysBetween(d.start, d.end) : 0);
const round1 = (share: number) => Math.round(share * 1000) / 10;

// hasShare reports whether other rows have the same dates, so that there is a share of voice.
export const hasShare = (r: ComparedRow, rows: ComparedRow[]) => rows.filter((x) => sameDates(x, r)).length > 1;
const sameDates = (a: ComparedRow, b: ComparedRow) => a.requested.start === b.requested.start && a.requested.end === b.requested.end;

// Totals lists the numbers of each row, and its change from its own earlier period.
export function Totals({ rows, file, earlier, monitors }: ChartProps & { earlier: Earlier; monitors: Monitor[] }) {
  const isCompared = earlier !== "none";
  const partly = rows.some((r) => r.coverage < 1 || (r.earlier && r.earlier.coverage < 1));
  const table = {
    head: text.csv,
    rows: rows.map((r) => [
      ...[r.label, r.start, r.end, lengthOf(r), lengthOf(r.requested), r.posts],
      ...[hasShare(r, rows) ? round1(r.share) : null, r.authors, r.impressions, r.engagement],
      ...(r.earlier ? [r.earlier.start, r.earlier.end, lengthOf(r.earlier), r.earlier.posts, r.earlier.change === null ? null : round1(r.earlier.change)] : [null, null, null, null, null]),
    ]),
  };
  return (
    <ChartCard title={text.title} note={partly && text.partial} file={`${file}-totals`} table={table}>
      <div class="scroll" tabIndex={0} role="region" aria-label={common.chart.tableCaption(text.title)}>
        <table class="compare-totals stacked">
          <thead>
            <tr>
              <th scope="col">{text.row}</th>
              <th scope="col" class="right">{common.words.posts}</th>
              {isCompared && <th scope="col" class="right">{text.change}</th>}
              <th scope="col" class="right">{text.share}</th>
              <th scope="col" class="right">{common.words.authors}</th>
              <th scope="col" class="right">{common.words.reach}</th>
              <th scope="col" class="right" title={capitalize(common.engagementNote)}>{common.words.engagement}</th>
              <th scope="col">{text.dates}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r, i) => (
              <tr key={i}>
                <th scope="row">
                  <RowLabel label={r.label} position={i} />
                </th>
                <td class="right" data-column={common.words.posts}>{r.start && r.posts > 0 ? <Link href={postsHref(r, monitors)}>{number(r.posts)}</Link> : number(r.posts)}</td>
                {isCompared && (
                  <td class="right" data-column={text.change}>
                    <Change r={r} />
                  </td>
                )}
                <td class="right" data-column={text.share}>{hasShare(r, rows) ? percent(r.share) : "–"}</td>
                <td class="right" data-column={common.words.authors}>{number(r.authors)}</td>
                <td class="right" data-column={common.words.reach}>{r.impressions === null ? "–" : number(r.impressions)}</td>
                <td class="right" data-column={common.words.engagement}>{number(r.engagement)}</td>
                <td data-column={text.dates}>
                  <span class="nowrap">{r.start ? dateRange(r.start, r.end) : text.noResults}</span> <Coverage covered={r} requested={r.requested} ongoing={r.ongoing} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </ChartCard>
  );
}

// Change shows the change from the earlier period, per day if the periods have different numbers of
// days with results. A short one leaves out what the earlier period was.
export function Change({ r, short }: { r: ComparedRow; short?: boolean }) {
  if (!r.earlier) return <span class="muted">{text.noEarlier}</span>;
  const [now, before] = [lengthOf(r), lengthOf(r.earlier)];
  return (
    <>
      {now > 0 && <Delta now={r.posts / now} before={r.earlier.posts / before} />} {now !== before && <span class="small muted">{text.perDay}</span>}
      {!short && (
        <>
          <div class="small muted nowrap">{text.was(r.earlier.posts, dateRange(r.earlier.start, r.earlier.end))}</div>
          <Coverage covered={r.earlier} requested={r.requested} />
        </>
      )}
    </>
  );
}

// Coverage says how many of the requested days have results, unless all of them do.
function Coverage({ covered, requested, ongoing }: { covered: { start: string; end: string; coverage: number }; requested: { start: string; end: string }; ongoing?: boolean }) {
  if (covered.coverage < 1) return <span class="badge warn">{text.covered(lengthOf(covered), lengthOf(requested))}</span>;
  return ongoing ? <span class="small muted nowrap">{text.today}</span> : null;
}

// ShareOfVoice shows how the posts of rows with the same dates are split among them.
export function ShareOfVoice({ rows, file }: ChartProps) {
  const dark = useDark();
  const shown = rows.map((r, i) => ({ r, color: seriesColor(i, dark) })).filter(({ r }) => hasShare(r, rows));
  const groups = shown.filter(({ r }, i) => shown.findIndex((x) => sameDates(x.r, r)) === i).map(({ r }) => shown.filter((x) => sameDates(x.r, r)));
  if (groups.length === 0) return null;
  const title = text.share;
  return (
    <ChartCard title={title} note={compare.share.note} file={`${file}-share`} table={{ head: compare.share.csv, rows: shown.map(({ r }) => [r.label, r.posts, round1(r.share)]) }}>
      <div class="stack">
        {groups.map((group, i) => {
          const dates = dateRange(group[0].r.requested.start, group[0].r.requested.end);
          return (
            <div key={i} class="stack tight">
              {groups.length > 1 && <h3>{dates}</h3>}
              <StackedBar label={groups.length > 1 ? `${title}, ${dates}` : title} shares={group.map(({ r, color }) => ({ name: r.label, share: r.share, color }))} />
              <ul class="stack tight">
                {group.map(({ r, color }) => (
                  <li key={r.label} class="spread nowrap-row">
                    <span class="compare-label">
                      <i class="dot" style={{ background: color }} /> {r.label}
                    </span>
                    <span class="num">{percent(r.share)}</span>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
    </ChartCard>
  );
}
