import { useState } from "preact/hooks";
import { listAll, patch, remove } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { useSession, useUser } from "../../lib/session";
import type { Invitation, InvitationLink, Team, User } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { Icon } from "../../components/icon";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";
import { Invitations, Invite, NewInvitation } from "./invitations";
import { newPassword, PasswordField } from "./password";
import { EditUser } from "./userform";
import { permissions } from "./permissions";

type Open = { is: "invite" } | { is: "edit"; user?: User } | { is: "password" | "delete"; user: User } | null;

const maxShown = 200;

// matches reports whether every word of a search occurs in the names or the email of a user.
function matches(u: User, search: string): boolean {
  const text = [u.username, u.firstName, u.lastName, u.email].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

// UsersTab lists the users and invitations, and creates, edits and deletes them.
export function UsersTab() {
  const { refresh } = useSession();
  const me = useUser();
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<Open>(null);
  const [invited, setInvited] = useState<InvitationLink>();
  const { data, error, reload } = useLoad("users", async () => {
    const [users, teams, invitations] = await Promise.all([listAll<User>("/manage/v1/users"), listAll<Team>("/manage/v1/teams"), listAll<Invitation>("/manage/v1/invitations")]);
    return { users, teams, invitations };
  });
  const changed = (id?: number) => {
    reload();
    if (id === me.id) refresh();
  };
  const close = () => setOpen(null);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="14rem" label={admin.loadingUsers} />;
  const matching = data.users.filter((u) => matches(u, search.trim()));
  return (
    <>
      <Card
        title={admin.tabs.users}
        note={admin.userCount(matching.length, data.users.length)}
        tools={
          <>
            <button type="button" class="button" onClick={() => setOpen({ is: "edit" })}>
              {admin.newUser}
            </button>
            {data.teams.length > 0 && (
              <button type="button" class="button primary" onClick={() => setOpen({ is: "invite" })}>
                <Icon name="plus" />
                {admin.invitations.invite}
              </button>
            )}
          </>
        }
      >
        <input type="search" aria-label={admin.findUser} placeholder={admin.findUser} class="find" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        {matching.length === 0 ? (
          <p class="muted">{admin.noMatch}</p>
        ) : (
          <Rows stacked label={admin.userList} head={[common.words.username, common.words.name, common.words.teams, common.words.permissions, <span class="sr">{admin.actions}</span>]}>
            {matching.slice(0, maxShown).map((u) => (
              <UserRow key={u.id} user={u} me={u.id === me.id} teams={data.teams} onOpen={(is) => setOpen({ is, user: u })} />
            ))}
          </Rows>
        )}
        {matching.length > maxShown && <p class="muted small">{admin.firstUsers(maxShown)}</p>}
      </Card>
      <Invitations invitations={data.invitations} teams={data.teams} onChanged={reload} />
      {open?.is === "invite" && (
        <Invite
          teams={data.teams}
          onInvited={(link) => {
            setInvited(link);
            reload();
          }}
          onClose={close}
        />
      )}
      {invited && <NewInvitation invitation={invited} onClose={() => setInvited(undefined)} />}
      {open?.is === "edit" && <EditUser user={open.user} me={open.user?.id === me.id} teams={data.teams} onSaved={() => changed(open.user?.id)} onClose={close} />}
      {open?.is === "password" && <SetPassword user={open.user} onClose={close} />}
      {open?.is === "delete" && <DeleteUser user={open.user} onDeleted={changed} onClose={close} />}
    </>
  );
}

function UserRow({ user, me, teams, onOpen }: { user: User; me: boolean; teams: Team[]; onOpen: (is: "edit" | "password" | "delete") => void }) {
  return (
    <tr>
      <td class="break">
        {user.username} {me && <span class="badge accent">{admin.you}</span>}
      </td>
      <td class="break">
        {[user.firstName, user.lastName].filter(Boolean).join(" ")}
        {user.email && <div class="muted small">{user.email}</div>}
      </td>
      <td class="break">{user.teams.map((id) => teams.find((t) => t.id === id)?.name ?? id).join(", ") || <span class="muted">{common.none}</span>}</td>
      <td>
        <span class="row">
          {permissions
            .filter((p) => user.permissions.includes(p.id))
            .map((p) => (
              <span key={p.id} class={`badge ${p.id === "admin" ? "accent" : ""}`}>
                {p.name}
              </span>
            ))}
          {user.apiAccess && <span class="badge">{admin.api}</span>}
        </span>
      </td>
      <td class="right nowrap">
        <button type="button" class="button quiet small" aria-label={common.editItem(user.username)} onClick={() => onOpen("edit")}>
          {common.actions.edit}
        </button>
        {!me && (
          <>
            <button type="button" class="button quiet small" aria-label={admin.passwordFor(user.username)} onClick={() => onOpen("password")}>
              {common.words.password}
            </button>
            <button type="button" class="button quiet small" aria-label={common.deleteItem(user.username)} onClick={() => onOpen("delete")}>
              {common.actions.delete}
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

function SetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const [set, setSet] = useState(newPassword);
  const save = async () => {
    await patch(`/manage/v1/users/${user.id}`, { password: set.password, temporaryPassword: set.temporary });
    toast(admin.passwordSet(user.username));
  };
  return (
    <FormDialog title={admin.passwordFor(user.username)} action={admin.setPassword} ready={set.password.length >= 10} onSubmit={save} onClose={onClose}>
      <PasswordField value={set} onChange={setSet} />
      <p class="muted">{admin.passwordText(user.username)}</p>
    </FormDialog>
  );
}

function DeleteUser({ user, onDeleted, onClose }: { user: User; onDeleted: () => void; onClose: () => void }) {
  const confirm = async () => {
    await remove(`/manage/v1/users/${user.id}`);
    toast(common.deleted(user.username));
    onDeleted();
  };
  return (
    <Confirm title={common.confirmDelete(user.username)} action={admin.deleteUser} onConfirm={confirm} onClose={onClose}>
      {admin.deleteUserText(user.username)}
    </Confirm>
  );
}
