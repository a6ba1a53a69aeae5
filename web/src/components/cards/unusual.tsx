import { whyHref } from "../../lib/drill";
import { addDays, longDay } from "../../lib/format";
import type { Overview } from "../../lib/types";
import type { LinkProps } from "../../pages/overview/volume";
import { Bars } from "../bars";
import { ChartCard } from "../chartcard";
import { useFrame } from "../frame";
import { cards as text } from "../../strings/cards";
import { common } from "../../strings/common";
import { why } from "../../strings/why";

// UnusualCard lists the most unusual days, with links to their explanations.
export function UnusualCard({ o, links: { view, id }, file }: { o: Overview; links: LinkProps; file: string }) {
  const rows = useFrame()?.rows;
  return (
    <ChartCard title={why.unusualDays} note={text.unusualNote} file={`${file}-unusual`} table={{ dates: true, head: [common.words.day, common.words.posts, why.expected], rows: o.unusual.map((d) => [d.date, d.posts, Math.round(d.expected.posts)]) }}>
      <Bars
        empty={text.noUnusual}
        bars={o.unusual.slice(0, rows).map((d) => ({
          id: d.date,
          name: longDay(d.date),
          value: d.posts,
          note: why.shortRatio(d.posts, d.expected.posts),
          title: why.compared(d.posts, d.expected.posts),
          href: view && id ? whyHref(id, view, { start: d.date, end: addDays(d.date, 1) }) : undefined,
        }))}
      />
    </ChartCard>
  );
}
