import { useState } from "preact/hooks";
import type { Monitor, SessionTeam, Stream } from "../../lib/types";
import { Notice, SelectField, TextField } from "../../components/basics";
import { Dialog } from "../../components/dialog";
import { Picker } from "../../components/picker";
import { common } from "../../strings/common";
import { streams } from "../../strings/streams";
import { updateStream, createStream } from "./data";

interface Props {
  stream?: Stream; // undefined to create one
  monitors: Monitor[];
  teams: SessionTeam[];
  onClose: () => void;
  onSaved: (stream: Stream) => void;
}

// EditStream is the dialog that creates or edits a stream.
export function EditStream({ stream, monitors, teams, onClose, onSaved }: Props) {
  const [created, setCreated] = useState(stream); // also set if the stream was created but adding its monitors failed
  const [name, setName] = useState(stream?.name ?? "");
  const [team, setTeam] = useState(stream?.team ?? teams[0]?.id ?? 0);
  const [chosen, setChosen] = useState<number[]>(stream?.monitors ?? []);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const ofTeam = monitors.filter((m) => m.team === team);
  const save = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      const draft = { name: name.trim(), team, monitors: chosen };
      const now = created ?? (await createStream(draft));
      setCreated(now);
      await updateStream(now, draft);
      onSaved(now);
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={stream ? streams.editStream : streams.newStream} onClose={onClose}>
      <form onSubmit={save}>
        <div class="stack" style={{ minHeight: "25rem" }}>
          {error && <Notice kind="bad">{error}</Notice>}
          <TextField label={common.words.name} value={name} onInput={setName} required />
          {!created && teams.length > 1 && (
            <SelectField
              label={common.words.team}
              value={String(team)}
              options={teams.map((t) => ({ value: String(t.id), name: t.name }))}
              onChange={(id) => {
                setTeam(Number(id));
                setChosen([]);
              }}
            />
          )}
          <Picker
            label={common.words.monitors}
            hint={streams.monitorsHint}
            values={chosen.map((id) => ({ id: String(id), name: monitors.find((m) => m.id === id)?.name ?? String(id) }))}
            options={ofTeam.map((m) => ({ id: String(m.id), name: m.name }))}
            placeholder={ofTeam.length ? streams.monitorsPlaceholder : streams.teamWithoutMonitors}
            onChange={(values) => setChosen(values.map((v) => Number(v.id)))}
          />
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          <button type="submit" class="button primary" disabled={busy || !name.trim()}>
            {busy ? common.pleaseWait : stream ? common.actions.save : common.actions.create}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
