import { useState } from "preact/hooks";
import { post, remove } from "../lib/api";
import { Link } from "../lib/router";
import { useSession, useUser } from "../lib/session";
import { chooseTheme, chosenTheme, useDark, type Theme } from "../lib/theme";
import { Card, Notice, PageHeader, SegmentedControl, TextField } from "../components/basics";
import { Confirm } from "../components/dialog";
import { toast } from "../components/toast";

const permissionNames: Record<string, string> = { content: "Own content", streams: "Streams", admin: "Administrator" };

// AccountPage is about the user who is signed in.
export function AccountPage() {
  return (
    <>
      <PageHeader title="Account" />
      <div class="columns">
        <div class="c6 stack">
          <Profile />
          <Appearance />
        </div>
        <div class="c6 stack">
          <Password />
          <SignOutEverywhere />
        </div>
      </div>
    </>
  );
}

function Profile() {
  const user = useUser();
  const name = [user.firstName, user.lastName].filter(Boolean).join(" ");
  return (
    <Card title="You" note="An administrator can change this.">
      <dl class="facts">
        <dt>User name</dt>
        <dd>{user.username}</dd>
        <dt>Name</dt>
        <dd>{name || <span class="muted">Not given</span>}</dd>
        <dt>E-mail</dt>
        <dd>{user.email || <span class="muted">Not given</span>}</dd>
        <dt>Teams</dt>
        <dd>{user.teams.map((t) => t.name).join(", ") || <span class="muted">None</span>}</dd>
        <dt>Permissions</dt>
        <dd>{user.permissions.map((p) => permissionNames[p] ?? p).join(", ") || <span class="muted">Monitors of your teams</span>}</dd>
        <dt>Programs</dt>
        <dd>{user.apiAccess ? <Link href="/connect">API access</Link> : <span class="muted">No API access</span>}</dd>
      </dl>
    </Card>
  );
}

function Appearance() {
  const [, setVersion] = useState(0);
  useDark(); // the frame has a button for it, too
  return (
    <Card title="Appearance" note="In this browser.">
      <SegmentedControl<Theme>
        label="Appearance"
        value={chosenTheme()}
        options={[
          { value: "light", name: "Light" },
          { value: "dark", name: "Dark" },
          { value: "system", name: "As the system" },
        ]}
        onChange={(theme) => {
          chooseTheme(theme);
          setVersion((n) => n + 1);
        }}
      />
    </Card>
  );
}

// Password changes one's own password. Other sessions and all tokens end with it.
function Password() {
  const { refresh } = useSession();
  const user = useUser();
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const differs = again !== "" && again !== next;
  const change = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      await post("/manage/v1/session/password", { old, new: next });
      await refresh(); // this browser has another session now
      [setOld, setNext, setAgain].forEach((set) => set(""));
      toast("You have a new password.");
    } catch (err) {
      setError((err as Error).message);
    }
    setBusy(false);
  };
  return (
    <Card title="Password" note="A new one ends your tokens, and signs you out everywhere but here.">
      <form onSubmit={change}>
        <div class="stack">
          {error && <Notice kind="bad">{error}</Notice>}
          <input type="text" hidden autocomplete="username" value={user.username} readOnly />
          <TextField label="Old password" type="password" value={old} onInput={setOld} autocomplete="current-password" required />
          <TextField label="New password" type="password" value={next} onInput={setNext} autocomplete="new-password" hint="At least 4 characters; a long one is safer." required />
          <TextField label="New password again" type="password" value={again} onInput={setAgain} autocomplete="new-password" error={differs ? "The two are not the same." : undefined} required />
        </div>
        <footer>
          <button type="submit" class="button primary" disabled={busy || !old || next.length < 4 || next !== again}>
            {busy ? "Please wait…" : "Change the password"}
          </button>
        </footer>
      </form>
    </Card>
  );
}

function SignOutEverywhere() {
  const [confirming, setConfirming] = useState(false);
  const confirm = async () => {
    await remove("/manage/v1/tokens");
    window.location.assign("/signin");
  };
  return (
    <Card title="Sign out everywhere" note="If you lost a device, or a token went where it should not.">
      <button type="button" class="button danger" onClick={() => setConfirming(true)}>
        Sign out everywhere
      </button>
      {confirming && (
        <Confirm title="Sign out everywhere?" action="Sign out everywhere" onConfirm={confirm} onClose={() => setConfirming(false)}>
          All your sessions end, this one too, and all your tokens, also the permanent one. Programs that use them stop working.
        </Confirm>
      )}
    </Card>
  );
}
