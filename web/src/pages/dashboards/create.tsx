import { useState } from "preact/hooks";
import { listAll, post } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { navigate } from "../../lib/router";
import { useUser } from "../../lib/session";
import type { DashboardInfo, DashboardPage, Monitor } from "../../lib/types";
import type { View } from "../../lib/view";
import { SelectField, TextField } from "../../components/basics";
import { FormDialog } from "../../components/form";
import { showError, toast } from "../../components/toast";
import { monitorCards } from "./template";
import { common } from "../../strings/common";
import { dashboards } from "../../strings/dashboards";

const text = dashboards.create;

// NewDashboard creates a dashboard, empty or with the charts of a monitor, and opens it.
export function NewDashboard({ onClose }: { onClose: () => void }) {
  const { teams } = useUser();
  const [name, setName] = useState("");
  const [team, setTeam] = useState(String(teams[0].id));
  const [start, setStart] = useState("");
  const { data: monitors } = useLoad(`monitors of ${team}`, () => listAll<Monitor>("/manage/v1/monitors", { team }));
  const m = monitors?.find((m) => String(m.id) === start);
  return (
    <FormDialog
      title={text.title}
      action={common.actions.create}
      ready={Boolean(name.trim() || m)}
      onClose={onClose}
      onSubmit={async () => {
        const d = await post<DashboardPage>("/manage/v1/dashboards", { team: Number(team), name: name.trim() || text.weekly(m!.name), cards: m ? monitorCards(m) : [] });
        toast(text.created(d.name));
        navigate(`/dashboards/${d.id}?edit=1`);
      }}
    >
      <TextField label={text.name} value={name} onInput={setName} placeholder={m ? text.weekly(m.name) : text.namePlaceholder} />
      {teams.length > 1 && (
        <SelectField
          label={common.words.team}
          value={team}
          options={teams.map((t) => ({ value: String(t.id), name: t.name }))}
          onChange={(t) => {
            setTeam(t);
            setStart("");
          }}
        />
      )}
      <SelectField label={text.start} value={start} onChange={setStart} hint={text.startHint} options={[{ value: "", name: text.blank }, ...(monitors ?? []).map((m) => ({ value: String(m.id), name: text.of(m.name) }))]} />
    </FormDialog>
  );
}

// createFrom creates a dashboard about a monitor and opens it. It shows the dates being looked at if they
// move with the calendar.
export async function createFrom(m: Monitor, { range }: Pick<View, "range">) {
  const d = await post<DashboardPage>("/manage/v1/dashboards", { team: m.team, name: text.weekly(m.name), cards: monitorCards(m), ...(range && { range }) });
  toast(text.created(d.name));
  navigate(`/dashboards/${d.id}`);
}

// duplicate creates a copy of a dashboard and opens it.
export async function duplicate(d: Pick<DashboardInfo, "id" | "name">) {
  try {
    const copy = await post<DashboardPage>("/manage/v1/dashboards", { copyOf: d.id, name: dashboards.copyOf(d.name).slice(0, 200) });
    toast(text.created(copy.name));
    navigate(`/dashboards/${copy.id}?edit=1`);
  } catch (err) {
    showError(err);
  }
}
