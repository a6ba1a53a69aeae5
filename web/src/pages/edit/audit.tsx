import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { clock, plural } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { AuditEntry, AuditResponse, Monitor } from "../../lib/types";
import { Card, Failed, Waiting } from "../../parts/basics";
import { Rows } from "../../parts/table";

const names: Record<AuditEntry["event"], string> = {
  ENABLED: "Created or resumed",
  DISABLED: "Paused",
  RESET: "Matched again from the start",
  PARTIAL_RESET: "Matched again from a day",
  REMOVED: "Deleted",
  EDITED: "Edited",
  TRAINED: "Taught",
  UI_TWITTER_EXPORT: "Exported microblog posts",
};

const few = 10;

// Audit lists who changed a monitor and when, newest first.
export function Audit({ monitor, turn }: { monitor: Monitor; turn: number }) {
  const [whole, setWhole] = useState(false);
  const { data, error, reload } = useLoad(`audit ${monitor.id} ${turn}`, (signal) => get<AuditResponse>("/api/monitor/audit", { id: monitor.id }, signal));
  const entries = data?.auditInfo ?? [];
  return (
    <Card title="Audit log" note={`Times are those of ${monitor.timezone}.`}>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Waiting />}
      {data && (
        <Rows head={["What", "Who", "When"]} label="Entries of the audit log">
          {entries.slice(0, whole ? undefined : few).map((e, i) => (
            <tr key={i}>
              <td>{names[e.event] ?? e.event}</td>
              <td class="break">{e.user}</td>
              <td class="nowrap">{clock(e.eventDate)}</td>
            </tr>
          ))}
        </Rows>
      )}
      {entries.length > few && !whole && (
        <button type="button" class="button quiet small" onClick={() => setWhole(true)}>
          Show all {plural(entries.length, "entry", "entries")}
        </button>
      )}
    </Card>
  );
}
