import { useState } from "preact/hooks";
import { patch } from "../lib/api";
import { useLoad } from "../lib/load";
import { membersOf } from "../lib/members";
import { useUser } from "../lib/session";
import type { Severity, SignalInfo, SignalPage } from "../lib/types";
import { Skeleton } from "./basics";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { showError } from "./toast";
import { signals as text } from "../strings/signals";

const badgeOf: Record<Severity, string> = { info: "accent", warning: "warn", critical: "bad" };

// SeverityBadge names the severity of a signal, in its color.
export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <span class={`badge severity ${badgeOf[severity]}`}>
      <i class={`signal-dot ${severity}`} aria-hidden="true" />
      {text.severities[severity]}
    </span>
  );
}

// StateBadge says whether a signal is ongoing.
export function StateBadge({ s }: { s: SignalInfo }) {
  return <span class={`badge ${s.state === "firing" ? "accent" : ""}`}>{text.states[s.state]}</span>;
}

// Expectation draws what was observed next to what was expected.
export function Expectation({ s }: { s: SignalInfo }) {
  if (s.low === null || s.high === null) return <span class="small muted num">{text.observed(s.metric, s.observed)}</span>;
  const top = Math.max(s.peak, s.observed, s.high) || 1;
  const share = (v: number) => `${Math.max(0, Math.min(100, (v / top) * 100)).toFixed(1)}%`;
  return (
    <span class="expectation">
      <span class="expectation-scale" role="img" aria-label={text.expectation(s.metric, s.peak, s.low, s.high)}>
        <i class="range" style={{ left: share(s.low), width: `calc(${share(s.high)} - ${share(s.low)})` }} />
        <i class={`dot ${s.severity}`} style={{ left: share(s.peak) }} />
      </span>
      <span class="small muted num">{text.compared(s.metric, s.peak, s.low, s.high)}</span>
    </span>
  );
}

// useSignalActions returns a function that changes a signal on the server, and whether that is in
// progress.
export function useSignalActions(s: SignalInfo, onChanged: (changed: SignalPage) => void): { busy: boolean; change: (body: object) => Promise<void> } {
  const [busy, setBusy] = useState(false);
  const change = async (body: object) => {
    setBusy(true);
    try {
      onChanged(await patch<SignalPage>(`/manage/v1/signals/${s.id}`, body));
    } catch (err) {
      showError(err);
    }
    setBusy(false);
  };
  return { busy, change };
}

type ActionProps = { s: SignalInfo; busy: boolean; change: (body: object) => Promise<void>; small?: boolean };

// AcknowledgeButton says that someone has seen a signal, or takes that back.
export function AcknowledgeButton({ s, busy, change, small }: ActionProps) {
  const size = small ? "small" : "";
  if (s.acknowledged) {
    return (
      <span class="row acknowledged">
        <span class="small muted">
          <Icon name="check" />
          {text.acknowledgedBy(s.acknowledged.by)}
        </span>
        {!small && (
          <button type="button" class="linklike small" disabled={busy} aria-label={text.actions.of(text.actions.unacknowledge, text.acknowledgedBy(s.acknowledged.by))} onClick={() => change({ acknowledged: false })}>
            {text.actions.unacknowledge}
          </button>
        )}
      </span>
    );
  }
  return (
    <button type="button" class={`button ${size}`} disabled={busy} title={text.actions.acknowledgeHint} aria-label={small ? text.actions.of(text.actions.acknowledge, s.title) : undefined} onClick={() => change({ acknowledged: true })}>
      <Icon name="check" />
      {text.actions.acknowledge}
    </button>
  );
}

// AssignMenu assigns a signal to a member of the team.
export function AssignMenu({ s, change, small }: ActionProps) {
  const name = s.assignee ? text.assignedTo(s.assignee.name) : text.actions.assign;
  return (
    <Popover
      class={`button ${small ? "small" : ""}`}
      right
      label={text.actions.of(name, s.title)}
      button={
        <>
          <Icon name="person" />
          <span class="clip">{s.assignee ? s.assignee.name : text.actions.assign}</span>
        </>
      }
    >
      {(close) => (
        <Members
          s={s}
          onPick={(id) => {
            close();
            void change({ assignee: id });
          }}
        />
      )}
    </Popover>
  );
}

function Members({ s, onPick }: { s: SignalInfo; onPick: (id: number) => void }) {
  const user = useUser();
  const { data } = useLoad(`members of ${s.team}`, () => membersOf(s.team));
  if (!data) return <Skeleton height="4rem" label={text.actions.loading} />;
  const mine = data.filter((m) => m.id === user.id);
  return (
    <div class="options">
      {[...mine, ...data.filter((m) => m.id !== user.id)].map((m) => (
        <button key={m.id} type="button" aria-pressed={s.assignee?.id === m.id} onClick={() => onPick(m.id)}>
          {m.id === user.id ? text.actions.me(m.name) : m.name}
        </button>
      ))}
      {s.assignee && (
        <button type="button" onClick={() => onPick(0)}>
          {text.actions.nobody}
        </button>
      )}
    </div>
  );
}
