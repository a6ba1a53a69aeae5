import { useState } from "preact/hooks";
import { post, remove } from "../../lib/api";
import { navigate } from "../../lib/router";
import type { Monitor } from "../../lib/types";
import { Card, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { toast } from "../../components/toast";

type ActionName = "pause" | "again" | "delete" | null;

// MonitorActions is what can be done with a monitor as a whole: pause it, match stored posts again, delete it.
export function MonitorActions({ monitor, onChanged }: { monitor: Monitor; onChanged: () => void }) {
  const [open, setOpen] = useState<ActionName>(null);
  const path = `/manage/v1/monitors/${monitor.id}`;
  const close = () => setOpen(null);
  const act = async (what: string, body: object, done: string) => {
    await post(`${path}/${what}`, body);
    toast(done);
    onChanged();
  };
  return (
    <Card title="Pause, match again, delete">
      <ul class="rows">
        <ActionRow
          title={monitor.enabled ? "Pause" : "Resume"}
          text={monitor.enabled ? "It takes no new posts until it is resumed. What it has stays." : "It takes new posts again, and those that came meanwhile."}
          onClick={() => setOpen("pause")}
        />
        <ActionRow title="Match again" text="Stored posts are compared with the monitor anew, from a day that you choose." onClick={() => setOpen("again")} />
        <ActionRow title="Delete" text="The monitor, its filters and its training posts are gone for good." danger onClick={() => setOpen("delete")} />
      </ul>
      {open === "pause" && (
        <Confirm
          title={monitor.enabled ? `Pause ${monitor.name}?` : `Resume ${monitor.name}?`}
          action={monitor.enabled ? "Pause" : "Resume"}
          danger={false}
          onClose={close}
          onConfirm={() => (monitor.enabled ? act("disable", {}, "The monitor is paused.") : act("enable", {}, "The monitor goes on."))}
        >
          {monitor.enabled ? "Its results end today. It can be resumed at any time." : "Posts that came while it was paused are filled in."}
        </Confirm>
      )}
      {open === "again" && <RematchDialog monitor={monitor} onClose={close} onConfirm={(from) => act("reset", { from }, "Stored posts are matched again.")} />}
      {open === "delete" && (
        <DeleteDialog
          monitor={monitor}
          onClose={close}
          onConfirm={async () => {
            await remove(path);
            toast(`${monitor.name} was deleted.`);
            navigate("/");
          }}
        />
      )}
    </Card>
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
    <Confirm title="Match stored posts again" action="Match again" danger={false} disabled={!from} onClose={onClose} onConfirm={() => onConfirm(from)}>
      <div class="stack">
        <p>Until it is done, the monitor shows the posts that it has now.</p>
        <TextField label="From" type="date" value={from} onInput={setFrom} hint={`A day of ${monitor.timezone}`} />
      </div>
    </Confirm>
  );
}

function DeleteDialog({ monitor, onClose, onConfirm }: { monitor: Monitor; onClose: () => void; onConfirm: () => Promise<void> }) {
  const [typed, setTyped] = useState("");
  return (
    <Confirm title={`Delete ${monitor.name}?`} action="Delete for good" disabled={typed.trim() !== monitor.name} onClose={onClose} onConfirm={onConfirm}>
      <div class="stack">
        <p>This cannot be undone. Programs that ask for monitor {monitor.id} get an error then.</p>
        <TextField label={`Type ${monitor.name} to confirm`} value={typed} onInput={setTyped} autocomplete="off" />
      </div>
    </Confirm>
  );
}
