import { useEffect, useRef, useState } from "preact/hooks";
import { signIn, type ActiveSession } from "../lib/session";
import { Notice, TextField } from "../components/basics";
import { Logo } from "../components/icon";

// SignIn is the page of those who are not signed in. The one that was asked for is shown afterwards.
export function SignIn({ onSignedIn }: { onSignedIn: (s: ActiveSession) => void }) {
  useEffect(() => {
    document.title = "Sign in · Earshot";
  }, []);
  return (
    <main class="signin">
      <SignInForm onSignedIn={onSignedIn} note="The first start of Earshot creates the user admin and prints its password. An administrator can add others." />
    </main>
  );
}

// SignInAgain is shown above a page when the session has ended, so that what was typed there is not lost.
export function SignInAgain({ user, onSignedIn }: { user: string; onSignedIn: (s: ActiveSession) => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} class="signin-again" aria-labelledby="signin-title" onCancel={(e) => e.preventDefault()}>
      <SignInForm user={user} onSignedIn={onSignedIn} note="Your session has ended. Sign in to go on where you were." />
    </dialog>
  );
}

function SignInForm({ user = "", note, onSignedIn }: { user?: string; note: string; onSignedIn: (s: ActiveSession) => void }) {
  const [username, setUsername] = useState(user);
  const [password, setPassword] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelectorAll("input")[user ? 1 : 0]?.focus();
  }, []);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      onSignedIn(await signIn(username, password));
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
      setPassword("");
    }
  };
  return (
    <form ref={form} class="card stack" onSubmit={submit} aria-labelledby="signin-title">
      <div class="brand" style={{ padding: 0 }}>
        <Logo />
        Earshot
      </div>
      <h1 id="signin-title">Sign in</h1>
      {error && <Notice kind="bad">{error}</Notice>}
      <TextField label="User name" value={username} onInput={setUsername} autocomplete="username" required />
      <TextField label="Password" type="password" value={password} onInput={setPassword} autocomplete="current-password" required />
      <button type="submit" class="button primary" disabled={busy || !username || !password}>
        {busy ? "Signing in…" : "Sign in"}
      </button>
      <p class="small muted">{note}</p>
    </form>
  );
}
