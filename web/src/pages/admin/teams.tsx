import { useState } from "preact/hooks";
import { listAll, patch, post, remove } from "../../lib/api";
import { clearChoices } from "../../lib/choices";
import { number, plural } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { useSession } from "../../lib/session";
import type { Team, User } from "../../lib/types";
import { Card, EmptyState, ErrorNotice, TextField, Skeleton } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { Icon } from "../../components/icon";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";

type Open = { is: "edit"; team?: Team } | { is: "delete"; team: Team } | null;

// TeamsTab lists the teams.
export function TeamsTab() {
  const { refresh } = useSession();
  const [open, setOpen] = useState<Open>(null);
  const { data, error, reload } = useLoad("teams", async () => ({ teams: await listAll<Team>("/manage/v1/teams"), users: await listAll<User>("/manage/v1/users") }));
  const changed = () => {
    clearChoices();
    reload();
    refresh();
  };
  const close = () => setOpen(null);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="14rem" label="Loading the teams" />;
  const add = (
    <button type="button" class="button primary" onClick={() => setOpen({ is: "edit" })}>
      <Icon name="plus" />
      New team
    </button>
  );
  return (
    <>
      <Card title="Teams" note="Monitors, streams and content sources belong to a team; its members see them." tools={data.teams.length > 0 && add}>
        {data.teams.length === 0 && (
          <EmptyState title="There are no teams yet" actions={add}>
            Monitors need one.
          </EmptyState>
        )}
        {data.teams.length > 0 && (
          <Rows label="List of teams" head={["Name", "Members", "Monitors allowed", <span class="sr">Actions</span>]}>
            {data.teams.map((t) => (
              <tr key={t.id}>
                <td class="break">{t.name}</td>
                <td>{number(data.users.filter((u) => u.teams.includes(t.id)).length)}</td>
                <td>{t.monitorLimit ? number(t.monitorLimit) : "Any number"}</td>
                <td class="right nowrap">
                  <button type="button" class="button quiet small" aria-label={`Edit ${t.name}`} onClick={() => setOpen({ is: "edit", team: t })}>
                    Edit
                  </button>
                  <button type="button" class="button quiet small" aria-label={`Delete ${t.name}`} onClick={() => setOpen({ is: "delete", team: t })}>
                    Delete
                  </button>
                </td>
              </tr>
            ))}
          </Rows>
        )}
      </Card>
      {open?.is === "edit" && <EditTeam team={open.team} onSaved={changed} onClose={close} />}
      {open?.is === "delete" && <DeleteTeam team={open.team} members={data.users.filter((u) => u.teams.includes(open.team.id)).length} onDeleted={changed} onClose={close} />}
    </>
  );
}

function EditTeam({ team, onSaved, onClose }: { team?: Team; onSaved: () => void; onClose: () => void }) {
  const [name, setName] = useState(team?.name ?? "");
  const [limit, setLimit] = useState(String(team?.monitorLimit ?? 0));
  const save = async () => {
    const body = { name: name.trim(), monitorLimit: Number(limit) };
    if (team) await patch(`/manage/v1/teams/${team.id}`, body);
    else await post("/manage/v1/teams", body);
    toast(team ? "Saved." : `${name.trim()} is created, and you belong to it.`);
    onSaved();
  };
  return (
    <FormDialog title={team ? `Edit ${team.name}` : "New team"} action={team ? "Save" : "Create"} ready={name.trim() !== "" && /^\d+$/.test(limit)} onSubmit={save} onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} required />
      <TextField label="Monitors allowed" type="number" min={0} value={limit} onInput={setLimit} hint="0 is any number. Monitors that are there already stay." />
    </FormDialog>
  );
}

function DeleteTeam({ team, members, onDeleted, onClose }: { team: Team; members: number; onDeleted: () => void; onClose: () => void }) {
  const confirm = async () => {
    await remove(`/manage/v1/teams/${team.id}`);
    toast(`${team.name} is deleted.`);
    onDeleted();
  };
  return (
    <Confirm title={`Delete ${team.name}?`} action="Delete the team" onConfirm={confirm} onClose={onClose}>
      {members > 0 ? `Its ${plural(members, "member")} stay users. ` : ""}A team that still has monitors, streams or content sources cannot be deleted.
    </Confirm>
  );
}
