import { type ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icon";
import { common } from "../strings/common";

// Dialog is a modal dialog. Escape and a click outside close it. The browser keeps the focus
// inside.
export function Dialog({ title, onClose, children, footer, wide }: { title: string; onClose: () => void; children: ComponentChildren; footer?: ComponentChildren; wide?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    ref.current?.showModal();
    ref.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(); // by default, the browser focuses the close button
  }, []);
  return (
    <dialog ref={ref} class={wide ? "wide" : ""} aria-labelledby={id} onClose={onClose} onMouseDown={(e) => isOutside(e) && onClose()}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="button quiet small" aria-label={common.actions.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}

// isOutside reports whether a click was on the backdrop.
function isOutside(e: MouseEvent & { currentTarget: HTMLDialogElement }): boolean {
  const box = e.currentTarget.getBoundingClientRect();
  return e.target === e.currentTarget && (e.clientX < box.left || e.clientX > box.right || e.clientY < box.top || e.clientY > box.bottom);
}

// Confirm asks the user to confirm an action, usually one that cannot be undone.
export function Confirm({ title, children, action, onConfirm, onClose, danger = true, disabled }: { title: string; children: ComponentChildren; action: string; onConfirm: () => Promise<unknown> | void; onClose: () => void; danger?: boolean; disabled?: boolean }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const confirm = async () => {
    setBusy(true);
    setError("");
    try {
      await onConfirm();
      onClose();
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          <button type="button" class={`button primary ${danger ? "danger" : ""}`} disabled={busy || disabled} onClick={confirm}>
            {busy ? common.pleaseWait : action}
          </button>
        </>
      }
    >
      <div class="stack">
        <div>{children}</div>
        {error && (
          <div class="notice bad" role="alert">
            {error}
          </div>
        )}
      </div>
    </Dialog>
  );
}
