import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { localDateTime } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { AuditEntry, AuditResponse, Monitor } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { Rows } from "../../components/table";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";

const initialRows = 10;

// eventName names an entry. The server writes ENABLED both when a monitor is created and when it
// is resumed; the creation is the oldest entry.
function eventName(entry: AuditEntry, oldest: boolean): string {
  if (entry.event === "ENABLED" && oldest) return edit.auditCreated;
  return edit.auditEvents[entry.event] ?? entry.event;
}

// Audit lists who changed a monitor and when, newest first. It loads the log again when version
// changes, or when the monitor is paused or resumed.
export function Audit({ monitor, version }: { monitor: Monitor; version: number }) {
  const [showAll, setShowAll] = useState(false);
  const { data, error, reload } = useLoad(`audit ${monitor.id} ${version} ${monitor.enabled}`, (signal) => get<AuditResponse>("/api/monitor/audit", { id: monitor.id }, signal));
  const entries = data?.auditInfo ?? [];
  return (
    <Card title={edit.auditTitle} note={common.timesIn(monitor.timezone)}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && (
        <Rows head={edit.auditHead} label={edit.auditLabel}>
          {entries.slice(0, showAll ? undefined : initialRows).map((e, i) => (
            <tr key={i}>
              <td>{eventName(e, i === entries.length - 1)}</td>
              <td class="break">{e.user}</td>
              <td class="nowrap">{localDateTime(e.eventDate)}</td>
            </tr>
          ))}
        </Rows>
      )}
      {entries.length > initialRows && !showAll && (
        <button type="button" class="button quiet small" onClick={() => setShowAll(true)}>
          {edit.auditShowAll(entries.length)}
        </button>
      )}
    </Card>
  );
}
