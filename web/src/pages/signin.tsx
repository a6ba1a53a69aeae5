import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../lib/api";
import { signIn, type ActiveSession } from "../lib/session";
import type { DemoLogin } from "../lib/types";
import { Notice, TextField } from "../components/basics";
import { Logo } from "../components/icon";
import { PasswordForm } from "../components/passwordform";
import { common } from "../strings/common";
import { signin } from "../strings/signin";

// SignIn is the page for users who are not signed in. After signing in, they get to the page they
// requested. In the demo, the form is already filled in.
export function SignIn({ demo, onSignedIn }: { demo?: DemoLogin; onSignedIn: (s: ActiveSession) => void }) {
  useEffect(() => {
    document.title = common.documentTitle(common.pages.signIn);
  }, []);
  return (
    <main class="signin">
      <SignInForm user={demo?.username} secret={demo?.password} onSignedIn={onSignedIn} note={demo ? signin.demo(demo.username, demo.password) : signin.firstStart} />
    </main>
  );
}

// SignInAgain is a dialog on top of a page whose session has ended, so that the user does not lose
// unsaved input.
export function SignInAgain({ user, onSignedIn }: { user: string; onSignedIn: (s: ActiveSession) => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} class="signin-again" aria-labelledby="signin-title" onCancel={(e) => e.preventDefault()}>
      <SignInForm user={user} onSignedIn={onSignedIn} note={signin.sessionEnded} />
    </dialog>
  );
}

// NewPassword asks a user with a temporary password for a new one. Nothing else works until then.
export function NewPassword({ username, onChanged }: { username: string; onChanged: () => Promise<void> }) {
  useEffect(() => {
    document.title = common.documentTitle(signin.newPassword.title);
  }, []);
  return (
    <main class="signin">
      <section class="card stack narrow" aria-labelledby="password-title">
        <h1 id="password-title">{signin.newPassword.title}</h1>
        <p class="muted">{signin.newPassword.text(username)}</p>
        <PasswordForm username={username} current={signin.newPassword.current} onChanged={onChanged} />
      </section>
    </main>
  );
}

const wrongCredentials = "Invalid credentials"; // as the specification of the API words it

type SignInFormProps = { user?: string; secret?: string; note: string; onSignedIn: (s: ActiveSession) => void };

function SignInForm({ user = "", secret = "", note, onSignedIn }: SignInFormProps) {
  const [username, setUsername] = useState(user);
  const [password, setPassword] = useState(secret);
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
      setError(err instanceof ApiError && err.message === wrongCredentials ? signin.wrong : (err as Error).message);
      setBusy(false);
      setPassword("");
    }
  };
  return (
    <form ref={form} class="card stack" onSubmit={submit} aria-labelledby="signin-title">
      <div class="brand" style={{ padding: 0 }}>
        <Logo />
        {common.appName}
      </div>
      <h1 id="signin-title">{common.pages.signIn}</h1>
      {error && <Notice kind="bad">{error}</Notice>}
      <TextField label={common.words.username} value={username} onInput={setUsername} autocomplete="username" required />
      <TextField label={common.words.password} type="password" value={password} onInput={setPassword} autocomplete="current-password" required />
      <button type="submit" class="button primary" disabled={busy || !username || !password}>
        {busy ? signin.busy : common.pages.signIn}
      </button>
      <p class="small muted">{note}</p>
    </form>
  );
}
