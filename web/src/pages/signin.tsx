import { useEffect, useRef, useState } from "preact/hooks";
import { signIn } from "../lib/session";
import type { Session } from "../lib/types";
import { Notice, TextField } from "../parts/basics";
import { Logo } from "../parts/icon";

// SignIn asks for name and password. The page that was asked for is shown afterwards.
export function SignIn({ onSignedIn }: { onSignedIn: (s: Session) => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    document.title = "Sign in · Earshot";
    form.current?.querySelector("input")?.focus();
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
    <main class="signin">
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
        <p class="small muted">The first start of Earshot creates the user admin and prints its password. An administrator can add others.</p>
      </form>
    </main>
  );
}
