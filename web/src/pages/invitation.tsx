import { useContext, useState } from "preact/hooks";
import { post } from "../lib/api";
import { useLoad } from "../lib/load";
import { useLocation } from "../lib/router";
import { SessionContext, signOut } from "../lib/session";
import type { OpenInvitation } from "../lib/types";
import { Notice, Skeleton, TextField } from "../components/basics";
import { Logo } from "../components/icon";
import { showError } from "../components/toast";
import { common, passwordRule } from "../strings/common";
import { signin } from "../strings/signin";

const text = signin.invitation;

// InvitationPage lets someone with an invitation choose a username and password. The token is in the
// fragment of the URL, which browsers do not send.
export function InvitationPage() {
  const { hash } = useLocation();
  const token = new URLSearchParams(hash).get("token") ?? "";
  const session = useContext(SessionContext)?.session;
  const { data, error } = useLoad(session ? null : `invitation ${token}`, () => post<OpenInvitation>("/manage/v1/invitations/open", { token }));
  return (
    <main class="signin" id="main" tabIndex={-1}>
      <section class="card stack" aria-labelledby="invitation-title">
        <div class="brand" style={{ padding: 0 }}>
          <Logo />
          {common.appName}
        </div>
        <h1 id="invitation-title">{data ? text.join(data.team) : text.title}</h1>
        {session && <SignedIn username={session.user.username} />}
        {error && <Notice kind="bad">{error.message}</Notice>}
        {error && <a href="/">{text.home}</a>}
        {data && <Accept token={token} invitation={data} />}
        {!data && !error && !session && <Skeleton height="12rem" />}
      </section>
    </main>
  );
}

// SignedIn explains that an invitation is for someone without an account.
function SignedIn({ username }: { username: string }) {
  const leave = () => signOut().then(() => window.location.reload(), showError);
  return (
    <>
      <p>{text.signedIn(username)}</p>
      <div class="row">
        <button type="button" class="button primary" onClick={leave}>
          {common.actions.signOut}
        </button>
        <a class="button" href="/">
          {text.stay}
        </a>
      </div>
    </>
  );
}

function Accept({ token, invitation }: { token: string; invitation: OpenInvitation }) {
  const [username, setUsername] = useState(invitation.username);
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const accept = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      await post("/manage/v1/invitations/accept", { token, username, password });
      window.location.replace("/"); // so that the back button does not lead here
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <form class="stack" onSubmit={accept} aria-labelledby="invitation-title">
      <p>{text.lead(invitation.invitedBy)}</p>
      {error && <Notice kind="bad">{error}</Notice>}
      <TextField label={common.words.username} value={username} onInput={setUsername} autocomplete="username" required />
      <TextField label={common.words.password} type="password" value={password} onInput={setPassword} autocomplete="new-password" hint={passwordRule} required />
      <TextField label={text.confirm} type="password" value={again} onInput={setAgain} autocomplete="new-password" error={again !== "" && again !== password ? common.passwordForm.mismatch : undefined} required />
      <button type="submit" class="button primary" disabled={busy || !username.trim() || password.length < 10 || password !== again}>
        {busy ? common.pleaseWait : text.accept}
      </button>
    </form>
  );
}
