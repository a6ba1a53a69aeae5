import { useEffect, useState } from "preact/hooks";

// A Toast is a short message that disappears after 6 seconds.
interface Toast {
  id: number;
  kind: "good" | "bad" | "";
  text: string;
}

let toasts: Toast[] = [];
let lastId = 0;
let notify: () => void = () => {};

// toast shows a message. At most 4 are visible.
export function toast(text: string, kind: Toast["kind"] = "good") {
  const id = ++lastId;
  toasts = [...toasts, { id, kind, text }].slice(-4);
  notify();
  setTimeout(() => {
    toasts = toasts.filter((t) => t.id !== id);
    notify();
  }, 6000);
}

// showError shows the message of an error as a toast.
export const showError = (err: unknown) => toast(err instanceof Error ? err.message : String(err), "bad");

export function Toasts() {
  const [, setVersion] = useState(0);
  useEffect(() => {
    notify = () => setVersion((n) => n + 1);
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map((t) => (
        <div key={t.id} class={`notice ${t.kind}`}>
          {t.text}
        </div>
      ))}
    </div>
  );
}
