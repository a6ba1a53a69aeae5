import { useState } from "preact/hooks";
import { post, remove } from "../../lib/api";
import { Link, navigate } from "../../lib/router";
import type { Monitor } from "../../lib/types";
import { Card, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { PauseDialog } from "../../components/monitormenu";
import { toast } from "../../components/toast";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { signals } from "../../strings/signals";

type ActionName = "pause" | "rematch" | "delete" | null;

// MonitorActions lists the actions on the monitor as a whole: pause or resume, rematch, signal settings, and delete.
export function MonitorActions({ monitor, onChanged }: { monitor: Monitor; onChanged: () => void }) {
  const [open, setOpen] = useState<ActionName>(null);
  const path = `/manage/v1/monitors/${monitor.id}`;
  const close = () => setOpen(null);
  const rematch = async (from: string) => {
    await post(`${path}/reset`, { from });
    toast(edit.rematchStarted);
    onChanged();
  };
  return (
    <div class="stack">
      <Card title={edit.actionsTitle}>
        <ul class="rows">
          <ActionRow
            title={monitor.enabled ? common.monitorMenu.pause : common.monitorMenu.resume}
            text={monitor.enabled ? edit.pauseText : edit.resumeText}
            onClick={() => setOpen("pause")}
          />
          <ActionRow title={edit.rematch} text={edit.rematchText} onClick={() => setOpen("rematch")} />
        </ul>
      </Card>
      <Card title={common.pages.signals}>
        <div class="spread">
          <span class="grow muted">{signals.monitorSettingsText}</span>
          <Link class="button" href={`/signals/rules/new?kind=unusual&monitor=${monitor.id}`}>
            {signals.monitorSettings}
          </Link>
        </div>
      </Card>
      <Card title={edit.dangerTitle} class="danger-zone">
        <ul class="rows">
          <ActionRow title={common.actions.delete} text={edit.deleteText} danger onClick={() => setOpen("delete")} />
        </ul>
      </Card>
        {open === "pause" && <PauseDialog m={monitor} onClose={close} onChanged={onChanged} />}
        {open === "rematch" && <RematchDialog monitor={monitor} onClose={close} onConfirm={rematch} />}
        {open === "delete" && (
          <DeleteDialog
            monitor={monitor}
            onClose={close}
            onConfirm={async () => {
              await remove(path);
              toast(common.deleted(monitor.name));
              navigate("/");
            }}
          />
        )}
    </div>
  );
}

function ActionRow({ title, text, danger, onClick }: { title: string; text: string; danger?: boolean; onClick: () => void }) {
  return (
    <li class="spread">
      <span class="grow muted">{text}</span>
      <button type="button" class={`button ${danger ? "danger" : ""}`} onClick={onClick}>
        {title}…
      </button>
    </li>
  );
}

function RematchDialog({ monitor, onClose, onConfirm }: { monitor: Monitor; onClose: () => void; onConfirm: (from: string) => Promise<void> }) {
  const [from, setFrom] = useState(monitor.start);
  return (
    <Confirm title={edit.rematchTitle} action={edit.rematch} danger={false} disabled={!from} onClose={onClose} onConfirm={() => onConfirm(from)}>
      <div class="stack">
        <p>{edit.rematchNote}</p>
        <TextField label={edit.rematchFrom} type="date" value={from} onInput={setFrom} hint={edit.rematchFromHint(monitor.timezone)} />
      </div>
    </Confirm>
  );
}

function DeleteDialog({ monitor, onClose, onConfirm }: { monitor: Monitor; onClose: () => void; onConfirm: () => Promise<void> }) {
  const [typed, setTyped] = useState("");
  return (
    <Confirm title={edit.deleteTitle(monitor.name)} action={edit.deletePermanently} disabled={typed.trim() !== monitor.name} onClose={onClose} onConfirm={onConfirm}>
      <div class="stack">
        <p>{edit.deleteNote(monitor.id)}</p>
        <TextField label={edit.deleteConfirm(monitor.name)} value={typed} onInput={setTyped} autocomplete="off" />
      </div>
    </Confirm>
  );
}
