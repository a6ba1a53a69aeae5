import { useState } from "preact/hooks";
import { patch, post } from "../../lib/api";
import type { Team, User } from "../../lib/types";
import { Checkbox, Notice, TextField } from "../../components/basics";
import { FormDialog } from "../../components/form";
import { Picker } from "../../components/picker";
import { toast } from "../../components/toast";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";
import { newPassword, PasswordField } from "./password";
import { permissions } from "./permissions";

interface Props {
  user?: User; // undefined to create one
  me: boolean; // whether it is the signed-in user
  teams: Team[];
  onSaved: () => void;
  onClose: () => void;
}

const emptyUser: Omit<User, "id"> = { username: "", firstName: "", lastName: "", email: "", teams: [], apiAccess: false, permissions: [] };

// EditUser is the dialog that creates or edits a user. It warns administrators before they remove
// their own permission or sign themselves out.
export function EditUser({ user, me, teams, onSaved, onClose }: Props) {
  const [now, setNow] = useState<Omit<User, "id">>({ ...emptyUser, ...user });
  const [first, setFirst] = useState(newPassword); // of a new user
  const set = (changes: Partial<User>) => setNow((before) => ({ ...before, ...changes }));
  const save = async () => {
    const { username, firstName, lastName, email, teams, apiAccess, permissions } = now;
    const body = { username: username.trim(), firstName, lastName, email, teams, apiAccess, permissions };
    if (user) await patch(`/manage/v1/users/${user.id}`, body);
    else await post("/manage/v1/users", { ...body, password: first.password, temporaryPassword: first.temporary });
    toast(user ? common.saved : admin.created(username.trim()));
    onSaved();
  };
  const givesUp = me && user!.permissions.includes("admin") && !now.permissions.includes("admin");
  return (
    <FormDialog title={user ? common.editItem(user.username) : admin.newUser} action={user ? common.actions.save : common.actions.create} ready={now.username.trim() !== "" && (!!user || first.password.length >= 10)} onSubmit={save} onClose={onClose}>
      <TextField label={common.words.username} value={now.username} onInput={(username) => set({ username })} autocomplete="off" required />
      {!user && <PasswordField value={first} onChange={setFirst} />}
      <div class="field-pair">
        <TextField label={admin.firstName} value={now.firstName ?? ""} onInput={(firstName) => set({ firstName })} autocomplete="off" />
        <TextField label={admin.lastName} value={now.lastName ?? ""} onInput={(lastName) => set({ lastName })} autocomplete="off" />
      </div>
      <TextField label={common.words.email} type="email" value={now.email ?? ""} onInput={(email) => set({ email })} autocomplete="off" />
      <Picker
        label={common.words.teams}
        hint={admin.teamsHint}
        values={now.teams.map((id) => ({ id: String(id), name: teams.find((t) => t.id === id)?.name ?? String(id) }))}
        options={teams.map((t) => ({ id: String(t.id), name: t.name }))}
        placeholder={admin.teamsPlaceholder}
        onChange={(values) => set({ teams: values.map((v) => Number(v.id)) })}
      />
      <fieldset class="stack tight">
        <legend class="label">{common.words.permissions}</legend>
        {permissions.map((p) => (
          <Checkbox
            key={p.id}
            label={
              <>
                {p.name} <span class="muted">{p.hint}</span>
              </>
            }
            checked={now.permissions.includes(p.id)}
            onChange={(on) => set({ permissions: on ? [...now.permissions, p.id] : now.permissions.filter((x) => x !== p.id) })}
          />
        ))}
        <Checkbox
          label={
            <>
              {admin.api} <span class="muted">{admin.permissionHints.api}</span>
            </>
          }
          checked={now.apiAccess}
          onChange={(apiAccess) => set({ apiAccess })}
        />
      </fieldset>
      {givesUp && <Notice kind="warn">{admin.losesAdmin}</Notice>}
      {user?.apiAccess && !now.apiAccess && <Notice kind="warn">{admin.losesApi(user.username, me)}</Notice>}
    </FormDialog>
  );
}
