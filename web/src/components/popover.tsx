import { type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

// Popover is a button that opens a panel below it. Escape and a click outside close the panel. Of
// nested panels, Escape closes the inner one.
export function Popover({ button, label, title, children, class: more = "button", right }: { button: ComponentChildren; label?: string; title?: string; children: (close: () => void) => ComponentChildren; class?: string; right?: boolean }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  useEffect(() => {
    if (!open) return;
    const outside = (e: Event) => {
      if (!box.current?.contains(e.target as Node)) setOpen(false);
    };
    const escape = (e: KeyboardEvent) => {
      if (e.key === "Escape" && !box.current?.querySelector(".popover .popover:not([hidden])")) {
        close();
      }
    };
    document.addEventListener("mousedown", outside);
    document.addEventListener("keydown", escape);
    keepInViewport(box.current?.querySelector<HTMLElement>(".popover"));
    box.current?.querySelector<HTMLElement>(".popover input, .popover button, .popover select, .popover a")?.focus();
    return () => {
      document.removeEventListener("mousedown", outside);
      document.removeEventListener("keydown", escape);
    };
  }, [open]);
  return (
    <div class="anchor" ref={box}>
      <button ref={opener} type="button" class={more} aria-expanded={open} aria-label={label} title={title} onClick={() => setOpen(!open)}>
        {button}
      </button>
      {open && (
        <div class={`popover ${right ? "from-right" : ""}`} role="group" aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

// keepInViewport moves a panel that extends past the edge of the screen.
function keepInViewport(panel: HTMLElement | null | undefined) {
  if (!panel) return;
  const { left, right } = panel.getBoundingClientRect();
  const over = right - (document.documentElement.clientWidth - 8);
  const shift = left < 8 ? 8 - left : over > 0 ? -Math.min(over, left - 8) : 0;
  if (shift) panel.style.transform = `translateX(${shift}px)`;
}
