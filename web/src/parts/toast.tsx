import { useEffect, useState } from "preact/hooks";

// A Toast is a short message that goes away by itself.
interface Toast {
  id: number;
  kind: "good" | "bad" | "";
  text: string;
}

let toasts: Toast[] = [];
let last = 0;
let changed: () => void = () => {};

export function toast(text: string, kind: Toast["kind"] = "good") {
  const id = ++last;
  toasts = [...toasts, { id, kind, text }].slice(-4);
  changed();
  setTimeout(() => {
    toasts = toasts.filter((t) => t.id !== id);
    changed();
  }, 6000);
}

// failed is a toast about an error.
export const failed = (err: unknown) => toast(err instanceof Error ? err.message : String(err), "bad");

export function Toasts() {
  const [, setTurn] = useState(0);
  useEffect(() => {
    changed = () => setTurn((n) => n + 1);
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
