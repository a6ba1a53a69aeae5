import { useEffect, useState } from "preact/hooks";

// A Toast is a short message that goes away by itself.
interface Toast {
  id: number;
  kind: "good" | "bad" | "";
  text: string;
}

let toasts: Toast[] = [];
let lastId = 0;
let notify: () => void = () => {};

export function toast(text: string, kind: Toast["kind"] = "good") {
  const id = ++lastId;
  toasts = [...toasts, { id, kind, text }].slice(-4);
  notify();
  setTimeout(() => {
    toasts = toasts.filter((t) => t.id !== id);
    notify();
  }, 6000);
}

// showError is a toast about an error.
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
