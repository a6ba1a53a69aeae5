import type { Incidents } from "../../lib/types";
import { ChartCard } from "../chartcard";
import { useFrame } from "../frame";
import { IncidentList } from "../incidents";
import { incidents as text } from "../../strings/incidents";

// IncidentsCard lists the incidents of a monitor, with links to their explanations.
export function IncidentsCard({ data, linked, file }: { data: Incidents; linked: boolean; file: string }) {
  const rows = useFrame()?.rows;
  const list = data.incidents;
  return (
    <ChartCard title={text.title} note={text.lead} file={`${file}-incidents`} table={{ dates: true, head: [text.from, text.to, text.incident, text.posts, text.expected], rows: list.map((i) => [i.from.slice(0, 16), i.to.slice(0, 16), i.title, i.posts, Math.round(i.expected.posts)]) }}>
      {list.length === 0 && <p class="muted">{data.learning ? text.learning : text.none}</p>}
      <IncidentList list={list} limit={rows} linked={linked} />
    </ChartCard>
  );
}
