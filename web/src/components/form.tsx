import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Notice } from "./basics";
import { Dialog } from "./dialog";
import { common } from "../strings/common";

// FormDialog is a form in a dialog. It closes when onSubmit succeeds, and otherwise shows the
// error.
export function FormDialog({ title, action, children, ready = true, wide, onSubmit, onClose }: { title: string; action: string; children: ComponentChildren; ready?: boolean; wide?: boolean; onSubmit: () => Promise<unknown>; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      await onSubmit();
      onClose();
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit}>
        <div class="stack">
          {error && <Notice kind="bad">{error}</Notice>}
          {children}
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          <button type="submit" class="button primary" disabled={busy || !ready}>
            {busy ? common.pleaseWait : action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
