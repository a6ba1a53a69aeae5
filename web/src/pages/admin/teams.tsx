import { useState } from "preact/hooks";
import { listAll, patch, post, remove } from "../../lib/api";
import { clearChoices } from "../../lib/choices";
import { number } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { useSession } from "../../lib/session";
import type { Team, User } from "../../lib/types";
import { Card, EmptyState, ErrorNotice, TextField, Skeleton } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { Icon } from "../../components/icon";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";

type Open = { is: "edit"; team?: Team } | { is: "delete"; team: Team } | null;

// TeamsTab lists the teams, and creates, edits and deletes them.
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
  if (!data) return <Skeleton height="14rem" label={admin.loadingTeams} />;
  const add = (
    <button type="button" class="button primary" onClick={() => setOpen({ is: "edit" })}>
      <Icon name="plus" />
      {admin.newTeam}
    </button>
  );
  return (
    <>
      <Card title={admin.tabs.teams} note={admin.teamsNote} tools={data.teams.length > 0 && add}>
        {data.teams.length === 0 && (
          <EmptyState title={admin.noTeamsTitle} actions={add}>
            {admin.noTeamsText}
          </EmptyState>
        )}
        {data.teams.length > 0 && (
          <Rows stacked label={admin.teamList} head={[common.words.name, admin.members, admin.monitorLimit, <span class="sr">{admin.actions}</span>]}>
            {data.teams.map((t) => (
              <tr key={t.id}>
                <td class="break">{t.name}</td>
                <td>{number(data.users.filter((u) => u.teams.includes(t.id)).length)}</td>
                <td>{t.monitorLimit ? number(t.monitorLimit) : common.unlimited}</td>
                <td class="right nowrap">
                  <button type="button" class="button quiet small" aria-label={common.editItem(t.name)} onClick={() => setOpen({ is: "edit", team: t })}>
                    {common.actions.edit}
                  </button>
                  <button type="button" class="button quiet small" aria-label={common.deleteItem(t.name)} onClick={() => setOpen({ is: "delete", team: t })}>
                    {common.actions.delete}
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
    toast(team ? common.saved : admin.teamCreated(name.trim()));
    onSaved();
  };
  return (
    <FormDialog title={team ? common.editItem(team.name) : admin.newTeam} action={team ? common.actions.save : common.actions.create} ready={name.trim() !== "" && /^\d+$/.test(limit)} onSubmit={save} onClose={onClose}>
      <TextField label={common.words.name} value={name} onInput={setName} required />
      <TextField label={admin.monitorLimit} type="number" min={0} value={limit} onInput={setLimit} hint={admin.monitorLimitHint} />
    </FormDialog>
  );
}

function DeleteTeam({ team, members, onDeleted, onClose }: { team: Team; members: number; onDeleted: () => void; onClose: () => void }) {
  const confirm = async () => {
    await remove(`/manage/v1/teams/${team.id}`);
    toast(common.deleted(team.name));
    onDeleted();
  };
  return (
    <Confirm title={common.confirmDelete(team.name)} action={admin.deleteTeam} onConfirm={confirm} onClose={onClose}>
      {admin.deleteTeamText(members)}
    </Confirm>
  );
}
