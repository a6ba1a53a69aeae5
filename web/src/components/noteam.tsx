import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { clearChoices } from "../lib/choices";
import { useSession, useUser } from "../lib/session";
import { EmptyState, Notice, TextField } from "./basics";
import { common } from "../strings/common";

// NoTeam is what a user without a team sees. Administrators name the first team, and go on with what
// they were about to do; other users have to ask them.
export function NoTeam({ children }: { children: ComponentChildren }) {
  const { admin } = useUser();
  if (!admin) return <EmptyState title={common.noTeam.notMember}>{children} {common.noTeam.askAdmin}</EmptyState>;
  return <FirstTeam>{children}</FirstTeam>;
}

function FirstTeam({ children }: { children: ComponentChildren }) {
  const { refresh } = useSession();
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const create = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    try {
      await post("/manage/v1/teams", { name: name.trim() });
      clearChoices();
      await refresh();
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <form class="card stack narrow" onSubmit={create}>
      <h2>{common.noTeam.nameTeam}</h2>
      <p class="muted">
        {children} {common.noTeam.teamHint}
      </p>
      {error && <Notice kind="bad">{error}</Notice>}
      <TextField label={common.noTeam.teamName} value={name} onInput={setName} placeholder={common.noTeam.teamExample} required />
      <div>
        <button type="submit" class="button primary" disabled={busy || !name.trim()}>
          {busy ? common.pleaseWait : common.actions.continue}
        </button>
      </div>
    </form>
  );
}
