import { type ComponentChildren } from "preact";
import { number } from "../../lib/format";
import { Link } from "../../lib/router";
import { shortCategory } from "../../lib/color";
import type { ComparedRow, Driver, Monitor } from "../../lib/types";
import { ChartCard } from "../../components/chartcard";
import { RowLabel, type ChartProps } from "./label";
import { postsHref } from "./rows";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

interface Props extends ChartProps {
  monitors: Monitor[];
  stale: boolean;
}

const text = compare.separating;
const kinds = Object.keys(text.kinds) as (keyof typeof text.kinds)[];
const shownWords = 10;
const shownOthers = 5;

// SideBySide shows something of each row, in columns.
function SideBySide({ rows, stale, children }: { rows: ComparedRow[]; stale: boolean; children: (r: ComparedRow) => ComponentChildren }) {
  return (
    <div class={`compare-columns ${stale ? "stale" : ""}`}>
      {rows.map((r, i) => (
        <div key={i} class="stack tight" role="group" aria-label={r.label}>
          <h3>
            <RowLabel label={r.label} position={i} />
          </h3>
          {children(r)}
        </div>
      ))}
    </div>
  );
}

// Topics lists the largest topics of each row, with links to their posts.
export function Topics({ rows, file, monitors, stale }: Props) {
  const table = { head: compare.topics.csv, rows: rows.flatMap((r) => r.topics.map((t) => [r.label, t.name, t.posts])) };
  return (
    <ChartCard title={common.pages.topics} note={compare.topics.note} file={`${file}-topics`} table={table}>
      <SideBySide rows={rows} stale={stale}>
        {(r) =>
          r.topics.length === 0 ? (
            <p class="small muted">{compare.topics.none}</p>
          ) : (
            <ol class="stack tight">
              {r.topics.map((t) => (
                <li key={t.name} class="spread nowrap-row">
                  <Link class="break" href={postsHref(r, monitors, t.filter)}>
                    {t.name}
                  </Link>
                  <span class="muted num">{number(t.posts)}</span>
                </li>
              ))}
            </ol>
          )
        }
      </SideBySide>
    </ChartCard>
  );
}

// Separating lists the words and attributes that set each row apart from the others, with links to
// the posts.
export function Separating({ rows, file, monitors, stale }: Props) {
  const table = { head: text.csv, rows: rows.flatMap((r) => kinds.flatMap((kind) => r.separating[kind].map((d) => [r.label, text.kinds[kind], shortCategory(d.name), d.posts, d.expected, d.score]))) };
  return (
    <ChartCard title={text.title} note={rows.some((r) => r.estimated) ? `${text.note}. ${text.estimated}` : text.note} file={`${file}-separating`} table={table}>
      {rows.length < 2 ? (
        <p class="muted">{text.needsRows}</p>
      ) : (
        <SideBySide rows={rows} stale={stale}>
          {(r) => {
            const others = kinds.slice(1).filter((kind) => r.separating[kind].length > 0);
            if (r.separating.words.length === 0 && others.length === 0) return <p class="small muted">{text.none}</p>;
            return (
              <>
                <ol class="stack tight">
                  {r.separating.words.slice(0, shownWords).map((d) => (
                    <li key={d.name} class="spread nowrap-row">
                      <DriverLink r={r} d={d} monitors={monitors} />
                      <span class="small muted num nowrap" title={text.liftTitle(d.posts, number(d.expected))}>
                        {number(d.posts)} · {liftOf(d)}
                      </span>
                    </li>
                  ))}
                </ol>
                {others.map((kind) => (
                  <p key={kind} class="small break">
                    <span class="muted">{text.kinds[kind]}:</span>{" "}
                    {r.separating[kind].slice(0, shownOthers).map((d, i) => (
                      <>
                        {i > 0 && ", "}
                        <DriverLink key={d.name} r={r} d={d} monitors={monitors} prefix={kind === "hashtags" ? "#" : ""} />
                      </>
                    ))}
                  </p>
                ))}
              </>
            );
          }}
        </SideBySide>
      )}
    </ChartCard>
  );
}

// liftOf says how many times as many posts there are as expected.
function liftOf(d: Driver): string {
  if (d.expected < 0.05) return text.only;
  const times = d.posts / d.expected;
  return text.lift(times < 10 ? times.toFixed(1) : number(times));
}

function DriverLink({ r, d, monitors, prefix = "" }: { r: ComparedRow; d: Driver; monitors: Monitor[]; prefix?: string }) {
  const name = prefix + shortCategory(d.name);
  return d.filter ? <Link class="break" href={postsHref(r, monitors, d.filter)}>{name}</Link> : <span class="break">{name}</span>;
}
