import { useState } from "preact/hooks";
import { patch, put, remove } from "../../lib/api";
import { dateTime, timeAgo } from "../../lib/format";
import { Link, navigate } from "../../lib/router";
import type { RuleInfo } from "../../lib/types";
import { Confirm } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";
import { showError, toast } from "../../components/toast";
import { ruleSentence } from "./draft";
import { common } from "../../strings/common";
import { rules as text } from "../../strings/signals";

// RuleRow is a rule that people made.
export function RuleRow({ r, onChanged }: { r: RuleInfo; onChanged: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const change = useChange(`/manage/v1/rules/${r.id}`, onChanged);
  return (
    <li class="rule-row">
      <div>
        <Link href={`/signals/rules/${r.id}`} class="break">
          <strong>{r.name}</strong>
        </Link>
        <p class="small muted break">{ruleSentence(r)}</p>
      </div>
      <Status r={r} />
      <span class="small muted">{text.channels(r.channels.length)}</span>
      <Last r={r} />
      <div class="row">
        <OnSwitch name={r.name} on={r.enabled} onChange={(enabled) => change({ enabled })} />
        <RuleMenu r={r} change={change} onDelete={() => setDeleting(true)} />
      </div>
      {deleting && (
        <Confirm
          title={common.confirmDelete(r.name)}
          action={common.actions.delete}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await remove(`/manage/v1/rules/${r.id}`);
            toast(common.deleted(r.name));
            onChanged();
          }}
        >
          {text.deleteText}
        </Confirm>
      )}
    </li>
  );
}

// MonitorRow says how a monitor is watched for unusual activity. Without a rule, the standard
// settings apply.
export function MonitorRow({ id, name, rule, onChanged }: { id: number; name: string; rule?: RuleInfo; onChanged: () => void }) {
  const change = useChange(`/manage/v1/monitors/${id}/detection`, onChanged);
  const rate = rule?.unusual?.falseAlarms ?? 12;
  const href = rule ? `/signals/rules/${rule.id}` : `/signals/rules/new?kind=unusual&monitor=${id}`;
  const reset = async () => {
    try {
      await remove(`/manage/v1/monitors/${id}/detection`);
      toast(text.wasReset);
      onChanged();
    } catch (err) {
      showError(err);
    }
  };
  return (
    <li class="rule-row">
      <div>
        <Link href={href} class="break">
          <strong>{name}</strong>
        </Link>
        <p class="small muted">{text.rate(rate)}</p>
      </div>
      {rule ? <Status r={rule} /> : <span class="small muted">{text.standard}</span>}
      <span class="small muted">{text.channels(rule?.channels.length ?? 0)}</span>
      {rule ? <Last r={rule} /> : <span />}
      <div class="row">
        <OnSwitch name={name} on={rule?.enabled ?? true} onChange={(enabled) => change({ enabled })} />
        <RuleMenu r={rule} monitor={id} name={name} change={change} onReset={rule && reset} />
      </div>
    </li>
  );
}

// useChange returns a function that changes a rule on the server. Detection settings are put, because
// there may be no rule yet.
function useChange(path: string, onChanged: () => void) {
  return async (body: object, done?: string) => {
    try {
      await (path.endsWith("/detection") ? put(path, body) : patch(path, body));
      if (done) toast(done);
      onChanged();
    } catch (err) {
      showError(err);
    }
  };
}

function Status({ r }: { r: RuleInfo }) {
  return (
    <span class="small muted">
      {!r.enabled && <span class="badge">{text.off}</span>}
      {r.mutedUntil && <span class="badge warn">{text.muted(dateTime(r.mutedUntil))}</span>}
      {r.enabled && !r.mutedUntil && r.feedback.useful + r.feedback.notUseful > 0 && text.useful(r.feedback.useful, r.feedback.notUseful)}
    </span>
  );
}

function Last({ r }: { r: RuleInfo }) {
  if (!r.lastSignal) return <span class="small muted">{text.never}</span>;
  return (
    <Link class="small clip" href={`/signals/${r.lastSignal.id}`} title={r.lastSignal.title}>
      {timeAgo(r.lastSignal.raised)}
    </Link>
  );
}

function OnSwitch({ name, on, onChange }: { name: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <button type="button" class="switch" role="switch" aria-checked={on} aria-label={text.toggle(name)} onClick={() => onChange(!on)}>
      <span class="track" />
    </button>
  );
}

interface MenuProps {
  r?: RuleInfo;
  monitor?: number;
  name?: string;
  change: (body: object, done?: string) => Promise<void>;
  onDelete?: () => void;
  onReset?: () => void;
}

function RuleMenu({ r, monitor, name = r?.name ?? "", change, onDelete, onReset }: MenuProps) {
  return (
    <Popover class="button quiet small" right label={text.actions(name)} button={<Icon name="more" />}>
      {(close) => {
        const item = (label: string, act: () => void) => (
          <button
            key={label}
            type="button"
            onClick={() => {
              close();
              act();
            }}
          >
            {label}
          </button>
        );
        return (
          <div class="options">
            <div class="menu-group" role="group" aria-label={text.mute}>
              <span class="small muted correct-note">{text.mute}</span>
              {Object.entries(text.muteFor).map(([hours, label]) => item(label, () => void change({ mutedUntil: new Date(Date.now() + Number(hours) * 3_600_000).toISOString() }, text.wasMuted(name))))}
              {r?.mutedUntil && item(text.unmute, () => void change({ mutedUntil: null }, text.wasUnmuted(name)))}
            </div>
            {item(text.showSignals, () => navigate(monitor ? `/signals?monitor=${monitor}` : `/signals?rule=${r!.id}`))}
            {onReset && item(text.reset, onReset)}
            {onDelete && item(`${common.actions.delete}…`, onDelete)}
          </div>
        );
      }}
    </Popover>
  );
}
