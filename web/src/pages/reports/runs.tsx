import { useState } from "preact/hooks";
import { get, post } from "../../lib/api";
import { dateRange, dateTime, timeAgo } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Page, ReportRun, ScheduledReport, SendState } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { Rows } from "../../components/table";
import { showError, toast } from "../../components/toast";
import { sentence } from "../channels/state";
import { reports as text } from "../../strings/reports";

const refresh = 3000; // milliseconds

const tones: Record<SendState, string> = { queued: "accent", sent: "good", failed: "bad" };

const loadRuns = (id: number) => get<Page<ReportRun>>(`/manage/v1/reports/${id}/runs`);

// LastRun says whether a report arrived when it was last sent.
export function LastRun({ report: r }: { report: ScheduledReport }) {
  const run = r.lastRun;
  if (!run) return <span class="muted">{text.never}</span>;
  return (
    <>
      <SendBadge state={run.state} />
      <p class="small muted">{timeAgo(run.sends[0]?.time ?? run.time)}</p>
    </>
  );
}

const SendBadge = ({ state }: { state: SendState }) => <span class={`badge ${tones[state]}`}>{text.states[state]}</span>;

// Runs lists when a report was sent, and whether it arrived. A new version loads the list again.
export function Runs({ report: r, version }: { report: ScheduledReport; version: number }) {
  const { data, error, reload } = useLoad(`runs ${r.id} ${version}`, () => loadRuns(r.id));
  const [busy, setBusy] = useState("");
  useInterval(refresh, reload);
  const again = async (run: ReportRun) => {
    setBusy(run.period);
    try {
      await post(`/manage/v1/reports/${r.id}/send`, { period: run.period });
      toast(text.sending);
      reload();
    } catch (err) {
      showError(err);
    }
    setBusy("");
  };
  const columns = text.runColumns;
  return (
    <Card title={text.runs} note={text.runsNote}>
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="4rem" />}
      {data && data.items.length === 0 && <p class="muted">{text.runsEmpty}</p>}
      {data && data.items.length > 0 && (
        <Rows head={[columns.dates, columns.state, <span class="sr">{columns.actions}</span>]} label={text.runs} stacked>
          {data.items.map((run) => (
            <tr key={run.period}>
              <td>
                {dateRange(run.start, run.end)}
                <SentAt run={run} />
              </td>
              <td>
                <Outcome run={run} />
              </td>
              <td class="right">
                <button type="button" class="button small" aria-label={text.againOf(dateRange(run.start, run.end))} disabled={busy === run.period || r.channels.length === 0} onClick={() => again(run)}>
                  {text.again}
                </button>
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </Card>
  );
}

// SentAt says when a run was last sent, and by whom.
function SentAt({ run }: { run: ReportRun }) {
  const send = run.sends[0];
  return (
    <p class="small muted">
      {dateTime(send?.time ?? run.time)}
      {send?.by && ` · ${text.by(send.by)}`}
      {run.late && ` · ${text.late}`}
    </p>
  );
}

// Outcome says what happened to a run at each channel.
function Outcome({ run }: { run: ReportRun }) {
  if (run.sends.length === 0) return <p class="small bad break">{sentence(run.error || text.notSent)}</p>;
  return (
    <ul class="stack tight">
      {run.sends[0].channels.map((c) => (
        <li key={c.id}>
          <SendBadge state={c.state} /> <span class="small">{c.name || text.removedPart}</span>
          {c.error && c.state !== "sent" && <p class="small bad break">{sentence(c.error)}</p>}
        </li>
      ))}
    </ul>
  );
}
