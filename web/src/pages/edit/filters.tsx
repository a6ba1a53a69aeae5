import { useRef, useState } from "preact/hooks";
import { patch, post, remove } from "../../lib/api";
import type { PendingQuery } from "../../lib/queryform";
import { Link } from "../../lib/router";
import type { Monitor, MonitorFilter } from "../../lib/types";
import { Card, Notice, TextField } from "../../components/basics";
import { Confirm, Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { QueryEditor } from "../../components/queryeditor";
import { toast } from "../../components/toast";
import { CriteriaFields } from "./criteria";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { noCriteria, type Criteria } from "./draft";

// Filters lists the saved filters of a monitor, and adds, edits and deletes them.
export function Filters({ monitor, onChanged }: { monitor: Monitor; onChanged: () => void }) {
  const [edited, setEdited] = useState<MonitorFilter | "new" | null>(null);
  const [dropped, setDropped] = useState<MonitorFilter | null>(null);
  return (
    <Card
      title={edit.filtersTitle}
      note={edit.filtersNote}
      tools={
        <button type="button" class="button" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          {edit.addFilter}
        </button>
      }
    >
      {monitor.filters.length === 0 && <p class="muted">{edit.noFilters}</p>}
      <ul class="rows">
        {monitor.filters.map((f) => (
          <li key={f.id} class="spread">
            <span class="grow">
              <Link href={`/monitors/${monitor.id}?sub=${f.id}`}>{f.name}</Link>
              <span class="small muted break"> {f.keywords}</span>
            </span>
            <span class="row">
              <button type="button" class="button small" aria-label={common.editItem(f.name)} onClick={() => setEdited(f)}>
                {common.actions.edit}
              </button>
              <button type="button" class="button small danger" aria-label={common.deleteItem(f.name)} onClick={() => setDropped(f)}>
                {common.actions.delete}
              </button>
            </span>
          </li>
        ))}
      </ul>
      {edited && <FilterDialog monitor={monitor} filter={edited === "new" ? null : edited} onClose={() => setEdited(null)} onSaved={onChanged} />}
      {dropped && (
        <Confirm
          title={edit.deleteFilterTitle(dropped.name)}
          action={common.actions.delete}
          onClose={() => setDropped(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/filters/${dropped.id}`);
            toast(common.deleted(dropped.name));
            onChanged();
          }}
        >
          {edit.deleteFilterText(monitor.name)}
        </Confirm>
      )}
    </Card>
  );
}

// FilterDialog adds a filter, or edits the given one.
function FilterDialog({ monitor, filter, onClose, onSaved }: { monitor: Monitor; filter: MonitorFilter | null; onClose: () => void; onSaved: () => void }) {
  const [name, setName] = useState(filter?.name ?? "");
  const [criteria, setCriteria] = useState<Criteria>(filter ? criteriaOf(filter) : noCriteria());
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const pending: PendingQuery = useRef(null);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      const body = { name: name.trim(), ...criteria, keywords: (await pending.current) ?? criteria.keywords };
      if (filter) await patch(`/manage/v1/filters/${filter.id}`, body);
      else await post(`/manage/v1/monitors/${monitor.id}/filters`, body);
      toast(common.savedItem(name.trim()));
      onSaved();
      onClose();
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  const change = (to: Partial<Criteria>) => setCriteria((c) => ({ ...c, ...to }));
  return (
    <Dialog title={filter ? common.editItem(filter.name) : edit.newFilter} wide onClose={onClose}>
      <form onSubmit={submit}>
        <div class="stack">
          {error && <Notice kind="bad">{error}</Notice>}
          <TextField label={common.words.name} value={name} onInput={setName} required />
          <QueryEditor label={edit.keywords} value={criteria.keywords} onChange={(keywords) => change({ keywords })} hint={edit.filterKeywordsHint} pending={pending} suggestFor={{ team: monitor.team }} />
          <CriteriaFields value={criteria} onChange={change} team={monitor.team} />
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          <button type="submit" class="button primary" disabled={busy || !name.trim()}>
            {busy ? common.saving : edit.saveFilter}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const criteriaOf = ({ keywords, languages, geolocations, gender, sources }: MonitorFilter): Criteria => ({ keywords, languages, geolocations, gender, sources });
