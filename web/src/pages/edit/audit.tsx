import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { localDateTime, plural } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { AuditEntry, AuditResponse, Monitor } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { Rows } from "../../components/table";

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

const initialRows = 10;

// Audit lists who changed a monitor and when, newest first.
export function Audit({ monitor, version }: { monitor: Monitor; version: number }) {
  const [showAll, setShowAll] = useState(false);
  const { data, error, reload } = useLoad(`audit ${monitor.id} ${version}`, (signal) => get<AuditResponse>("/api/monitor/audit", { id: monitor.id }, signal));
  const entries = data?.auditInfo ?? [];
  return (
    <Card title="Audit log" note={`Times are those of ${monitor.timezone}.`}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && (
        <Rows head={["What", "Who", "When"]} label="Entries of the audit log">
          {entries.slice(0, showAll ? undefined : initialRows).map((e, i) => (
            <tr key={i}>
              <td>{names[e.event] ?? e.event}</td>
              <td class="break">{e.user}</td>
              <td class="nowrap">{localDateTime(e.eventDate)}</td>
            </tr>
          ))}
        </Rows>
      )}
      {entries.length > initialRows && !showAll && (
        <button type="button" class="button quiet small" onClick={() => setShowAll(true)}>
          Show all {plural(entries.length, "entry", "entries")}
        </button>
      )}
    </Card>
  );
}
