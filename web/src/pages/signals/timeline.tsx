import { dateTime, monthDay } from "../../lib/format";
import { severities } from "../../lib/signals";
import { Link, useQuery } from "../../lib/router";
import type { SignalInfo } from "../../lib/types";
import { Card, SegmentedControl } from "../../components/basics";
import { signals } from "../../strings/signals";

const text = signals.timeline;
const maxLanes = 8;

type By = "monitor" | "severity";

interface Lane {
  key: string; // value of the filter that shows only this lane
  name: string;
  list: SignalInfo[];
}

// lanesOf groups signals by monitor, the one with the most signals first, or by severity.
function lanesOf(list: SignalInfo[], by: By): Lane[] {
  if (by === "severity") return severities.map((s) => ({ key: s, name: signals.severities[s], list: list.filter((x) => x.severity === s) })).filter((l) => l.list.length > 0);
  const lanes = new Map<number, Lane>();
  for (const s of list) {
    const lane = lanes.get(s.monitor.id) ?? { key: String(s.monitor.id), name: s.monitor.name, list: [] };
    lane.list.push(s);
    lanes.set(s.monitor.id, lane);
  }
  return [...lanes.values()].sort((a, b) => b.list.length - a.list.length || a.name.localeCompare(b.name));
}

// Timeline draws signals as bars over the last days, a lane for each monitor or severity. A click on
// a bar opens the signal, one on the name of a lane shows only that lane.
export function Timeline({ list, days, capped }: { list: SignalInfo[]; days: number; capped: boolean }) {
  const [query, change] = useQuery();
  const by: By = query.get("by") === "severity" ? "severity" : "monitor";
  const end = Date.now();
  const start = end - days * 86_400_000;
  const lanes = lanesOf(list, by);
  const share = (time: number) => Math.max(0, Math.min(100, ((time - start) / (end - start)) * 100));
  const ticks = [0, 0.25, 0.5, 0.75].map((at) => ({ at: at * 100, name: monthDay(new Date(start + at * (end - start)).toISOString().slice(0, 10)) }));
  return (
    <Card
      title={text.title}
      note={[text.note(list.length, days), capped && text.capped(list.length)].filter(Boolean).join(". ")}
      tools={
        <SegmentedControl
          small
          label={text.by}
          value={by}
          onChange={(b) => change({ by: b === "monitor" ? null : b })}
          options={[
            { value: "monitor", name: text.monitor },
            { value: "severity", name: text.severity },
          ]}
        />
      }
    >
      <div class="timeline">
        {lanes.slice(0, maxLanes).map((lane) => (
          <div key={lane.key} class="lane">
            <button type="button" class="lane-name clip" title={text.only(lane.name)} aria-label={text.only(lane.name)} onClick={() => change({ [by]: lane.key })}>
              {lane.name}
            </button>
            <div class="lane-track">
              {lane.list.map((s) => {
                const left = share(Date.parse(s.raised));
                const width = share(s.resolved ? Date.parse(s.resolved) : end) - left;
                const title = text.bar(s.title, dateTime(s.raised, s.timezone));
                return <Link key={s.id} href={`/signals/${s.id}`} tabIndex={-1} class={`lane-bar ${s.severity} ${s.state}`} style={{ left: `min(${left.toFixed(2)}%, calc(100% - 0.6rem))`, width: `${width.toFixed(2)}%` }} title={title} aria-label={title} />;
              })}
            </div>
          </div>
        ))}
        {lanes.length > maxLanes && <p class="small muted lane-more">{text.more(lanes.length - maxLanes)}</p>}
        <div class="lane lane-axis small muted" aria-hidden="true">
          <span />
          <div class="lane-track">
            {ticks.map((t) => (
              <span key={t.at} class="tick num" style={{ left: `${t.at}%` }}>
                {t.name}
              </span>
            ))}
            <span class="tick last">{text.today}</span>
          </div>
        </div>
      </div>
    </Card>
  );
}
