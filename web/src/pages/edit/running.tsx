import { useState } from "preact/hooks";
import { post, remove } from "../../lib/api";
import { navigate } from "../../lib/router";
import type { Monitor } from "../../lib/types";
import { Card, TextField } from "../../parts/basics";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toast";

type Asked = "pause" | "again" | "delete" | null;

// Running is what can be done with a monitor as a whole: pause it, match stored posts again, delete it.
export function Running({ monitor, onChanged }: { monitor: Monitor; onChanged: () => void }) {
  const [asked, setAsked] = useState<Asked>(null);
  const path = `/manage/v1/monitors/${monitor.id}`;
  const close = () => setAsked(null);
  const act = async (what: string, body: object, done: string) => {
    await post(`${path}/${what}`, body);
    toast(done);
    onChanged();
  };
  return (
    <Card title="Pause, match again, delete">
      <ul class="rows">
        <Entry
          title={monitor.enabled ? "Pause" : "Resume"}
          text={monitor.enabled ? "It takes no new posts until it is resumed. What it has stays." : "It takes new posts again, and those that came meanwhile."}
          onClick={() => setAsked("pause")}
        />
        <Entry title="Match again" text="Stored posts are compared with the monitor anew, from a day that you choose." onClick={() => setAsked("again")} />
        <Entry title="Delete" text="The monitor, its filters and its training posts are gone for good." danger onClick={() => setAsked("delete")} />
      </ul>
      {asked === "pause" && (
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
      {asked === "again" && <MatchAgain monitor={monitor} onClose={close} onConfirm={(from) => act("reset", { from }, "Stored posts are matched again.")} />}
      {asked === "delete" && (
        <Delete
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

function Entry({ title, text, danger, onClick }: { title: string; text: string; danger?: boolean; onClick: () => void }) {
  return (
    <li class="spread">
      <span class="grow muted">{text}</span>
      <button type="button" class={`button ${danger ? "danger" : ""}`} onClick={onClick}>
        {title}…
      </button>
    </li>
  );
}

function MatchAgain({ monitor, onClose, onConfirm }: { monitor: Monitor; onClose: () => void; onConfirm: (from: string) => Promise<void> }) {
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

function Delete({ monitor, onClose, onConfirm }: { monitor: Monitor; onClose: () => void; onConfirm: () => Promise<void> }) {
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
