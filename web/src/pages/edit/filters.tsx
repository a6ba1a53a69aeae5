import { useState } from "preact/hooks";
import { patch, post, remove } from "../../lib/api";
import { Link } from "../../lib/router";
import type { Monitor, MonitorFilter } from "../../lib/types";
import { Card, Notice, TextField } from "../../components/basics";
import { Confirm, Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { QueryEditor } from "../../components/queryeditor";
import { toast } from "../../components/toast";
import { CriteriaFields } from "./criteria";
import { noCriteria, type Criteria } from "./draft";

// Filters lists the filters of a monitor, which narrow it further and have results of their own.
export function Filters({ monitor, onChanged }: { monitor: Monitor; onChanged: () => void }) {
  const [edited, setEdited] = useState<MonitorFilter | "new" | null>(null);
  const [dropped, setDropped] = useState<MonitorFilter | null>(null);
  return (
    <Card
      title="Saved filters"
      note="Each narrows the monitor further and has results and an id of its own."
      tools={
        <button type="button" class="button" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Add a filter
        </button>
      }
    >
      {monitor.filters.length === 0 && <p class="muted">There are none.</p>}
      <ul class="rows">
        {monitor.filters.map((f) => (
          <li key={f.id} class="spread">
            <span class="grow">
              <Link href={`/monitors/${monitor.id}?sub=${f.id}`}>{f.name}</Link>
              <span class="small muted break"> {f.keywords}</span>
            </span>
            <span class="row">
              <button type="button" class="button small" aria-label={`Edit ${f.name}`} onClick={() => setEdited(f)}>
                Edit
              </button>
              <button type="button" class="button small danger" aria-label={`Delete ${f.name}`} onClick={() => setDropped(f)}>
                Delete
              </button>
            </span>
          </li>
        ))}
      </ul>
      {edited && <FilterDialog monitor={monitor} filter={edited === "new" ? null : edited} onClose={() => setEdited(null)} onSaved={onChanged} />}
      {dropped && (
        <Confirm
          title={`Delete the filter ${dropped.name}?`}
          action="Delete"
          onClose={() => setDropped(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/filters/${dropped.id}`);
            toast(`${dropped.name} was deleted.`);
            onChanged();
          }}
        >
          Its results are gone then. The posts of {monitor.name} stay.
        </Confirm>
      )}
    </Card>
  );
}

// FilterDialog adds a filter, or edits one.
function FilterDialog({ monitor, filter, onClose, onSaved }: { monitor: Monitor; filter: MonitorFilter | null; onClose: () => void; onSaved: () => void }) {
  const [name, setName] = useState(filter?.name ?? "");
  const [criteria, setCriteria] = useState<Criteria>(filter ? criteriaOf(filter) : noCriteria());
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      const body = { name: name.trim(), ...criteria };
      if (filter) await patch(`/manage/v1/filters/${filter.id}`, body);
      else await post(`/manage/v1/monitors/${monitor.id}/filters`, body);
      toast(`${name.trim()} was saved.`);
      onSaved();
      onClose();
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  const change = (to: Partial<Criteria>) => setCriteria((c) => ({ ...c, ...to }));
  return (
    <Dialog title={filter ? `Edit ${filter.name}` : "New filter"} wide onClose={onClose}>
      <form onSubmit={submit}>
        <div class="stack">
          {error && <Notice kind="bad">{error}</Notice>}
          <TextField label="Name" value={name} onInput={setName} required />
          <QueryEditor label="Keywords" value={criteria.keywords} onChange={(keywords) => change({ keywords })} hint="Empty: all posts of the monitor." />
          <CriteriaFields value={criteria} onChange={change} team={monitor.team} />
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy || !name.trim()}>
            {busy ? "Saving…" : "Save filter"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const criteriaOf = ({ keywords, languages, geolocations, gender, sources }: MonitorFilter): Criteria => ({ keywords, languages, geolocations, gender, sources });
