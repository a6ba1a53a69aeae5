import { useState } from "preact/hooks";
import type { Monitor, SessionTeam, Stream } from "../../lib/types";
import { Notice, SelectField, TextField } from "../../components/basics";
import { Dialog } from "../../components/dialog";
import { Picker } from "../../components/picker";
import { updateStream, createStream } from "./data";

interface Props {
  stream?: Stream; // none: a new one
  monitors: Monitor[];
  teams: SessionTeam[];
  onClose: () => void;
  onSaved: (stream: Stream) => void;
}

// EditStream asks for the name of a stream and its monitors.
export function EditStream({ stream, monitors, teams, onClose, onSaved }: Props) {
  const [created, setCreated] = useState(stream); // also one that exists although its monitors could not be added
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
    <Dialog title={stream ? "Edit the stream" : "New stream"} onClose={onClose}>
      <form onSubmit={save}>
        <div class="stack" style={{ minHeight: "25rem" }}>
          {error && <Notice kind="bad">{error}</Notice>}
          <TextField label="Name" value={name} onInput={setName} required />
          {!created && teams.length > 1 && (
            <SelectField
              label="Team"
              value={String(team)}
              options={teams.map((t) => ({ value: String(t.id), name: t.name }))}
              onChange={(id) => {
                setTeam(Number(id));
                setChosen([]);
              }}
            />
          )}
          <Picker
            label="Monitors"
            hint="Their posts come from now on. A post that several of them find comes once for each."
            values={chosen.map((id) => ({ id: String(id), name: monitors.find((m) => m.id === id)?.name ?? String(id) }))}
            options={ofTeam.map((m) => ({ id: String(m.id), name: m.name }))}
            placeholder={ofTeam.length ? "Type a name" : "This team has no monitors"}
            onChange={(values) => setChosen(values.map((v) => Number(v.id)))}
          />
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy || !name.trim()}>
            {busy ? "Please wait…" : stream ? "Save" : "Create"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
