import { useState } from "preact/hooks";
import { patch, post } from "../../lib/api";
import type { Team, User } from "../../lib/types";
import { Checkbox, Notice, TextField } from "../../components/basics";
import { FormDialog } from "../../components/form";
import { Picker } from "../../components/picker";
import { toast } from "../../components/toast";
import { PasswordField } from "./password";
import { permissions } from "./permissions";

interface Props {
  user?: User; // none: a new one
  me: boolean;
  teams: Team[];
  onSaved: () => void;
  onClose: () => void;
}

const emptyUser: Omit<User, "id"> = { username: "", firstName: "", lastName: "", email: "", teams: [], apiAccess: false, permissions: [] };

// EditUser asks who a user is and what the user may do. Administrators are warned before they take from themselves what
// they need to come back.
export function EditUser({ user, me, teams, onSaved, onClose }: Props) {
  const [now, setNow] = useState<Omit<User, "id">>({ ...emptyUser, ...user });
  const [password, setPassword] = useState("");
  const set = (changes: Partial<User>) => setNow((before) => ({ ...before, ...changes }));
  const save = async () => {
    const { username, firstName, lastName, email, teams, apiAccess, permissions } = now;
    const body = { username: username.trim(), firstName, lastName, email, teams, apiAccess, permissions };
    if (user) await patch(`/manage/v1/users/${user.id}`, body);
    else await post("/manage/v1/users", { ...body, password });
    toast(user ? "Saved." : `${username.trim()} is created.`);
    onSaved();
  };
  const givesUp = me && user!.permissions.includes("admin") && !now.permissions.includes("admin");
  return (
    <FormDialog title={user ? `Edit ${user.username}` : "New user"} action={user ? "Save" : "Create"} ready={now.username.trim() !== "" && (!!user || password.length >= 4)} onSubmit={save} onClose={onClose}>
      <TextField label="User name" value={now.username} onInput={(username) => set({ username })} autocomplete="off" required />
      {!user && <PasswordField value={password} onInput={setPassword} />}
      <div class="pair">
        <TextField label="First name" value={now.firstName ?? ""} onInput={(firstName) => set({ firstName })} autocomplete="off" />
        <TextField label="Last name" value={now.lastName ?? ""} onInput={(lastName) => set({ lastName })} autocomplete="off" />
      </div>
      <TextField label="E-mail" type="email" value={now.email ?? ""} onInput={(email) => set({ email })} autocomplete="off" />
      <Picker
        label="Teams"
        hint="Members see and change what belongs to the team."
        values={now.teams.map((id) => ({ id: String(id), name: teams.find((t) => t.id === id)?.name ?? String(id) }))}
        options={teams.map((t) => ({ id: String(t.id), name: t.name }))}
        placeholder="Type a name"
        onChange={(values) => set({ teams: values.map((v) => Number(v.id)) })}
      />
      <fieldset class="stack tight">
        <legend class="label">May</legend>
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
              API <span class="muted">have tokens for programs</span>
            </>
          }
          checked={now.apiAccess}
          onChange={(apiAccess) => set({ apiAccess })}
        />
      </fieldset>
      {givesUp && <Notice kind="warn">You will no longer be an administrator, and cannot take that back yourself.</Notice>}
      {user?.apiAccess && !now.apiAccess && <Notice kind="warn">{me ? "You are signed out everywhere" : `${user.username} is signed out everywhere`}, and all tokens end.</Notice>}
    </FormDialog>
  );
}
