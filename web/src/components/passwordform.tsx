import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { Notice, TextField } from "./basics";
import { common } from "../strings/common";

const text = common.passwordForm;

// PasswordForm changes the password of the signed-in user. The server then starts a new session for
// this browser, which onChanged has to load.
export function PasswordForm({ username, current, onChanged }: { username: string; current: string; onChanged: () => Promise<void> }) {
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
      await onChanged();
      [setOld, setNext, setAgain].forEach((set) => set(""));
    } catch (err) {
      setError((err as Error).message);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={change}>
      <div class="stack">
        {error && <Notice kind="bad">{error}</Notice>}
        <input type="text" hidden autocomplete="username" value={username} readOnly />
        <TextField label={current} type="password" value={old} onInput={setOld} autocomplete="current-password" required />
        <TextField label={text.new} type="password" value={next} onInput={setNext} autocomplete="new-password" hint={text.hint} required />
        <TextField label={text.confirm} type="password" value={again} onInput={setAgain} autocomplete="new-password" error={differs ? text.mismatch : undefined} required />
      </div>
      <footer>
        <button type="submit" class="button primary" disabled={busy || !old || next.length < 10 || next !== again}>
          {busy ? common.pleaseWait : text.submit}
        </button>
      </footer>
    </form>
  );
}
