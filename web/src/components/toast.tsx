import { useEffect, useState } from "preact/hooks";

// A Toast is a short message that disappears after 6 seconds, or after 15 if it offers an action.
interface Toast {
  id: number;
  kind: "good" | "bad" | "";
  text: string;
  action?: { name: string; act: () => void };
}

let toasts: Toast[] = [];
let lastId = 0;
let notify: () => void = () => {};

// toast shows a message. At most 4 are visible.
export function toast(text: string, kind: Toast["kind"] = "good", action?: Toast["action"]) {
  const id = ++lastId;
  toasts = [...toasts, { id, kind, text, action }].slice(-4);
  notify();
  setTimeout(() => drop(id), action ? 15_000 : 6000);
}

function drop(id: number) {
  toasts = toasts.filter((t) => t.id !== id);
  notify();
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
          {t.action && (
            <button
              type="button"
              class="linklike"
              onClick={() => {
                drop(t.id);
                t.action!.act();
              }}
            >
              {t.action.name}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
