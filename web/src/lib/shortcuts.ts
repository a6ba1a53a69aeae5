import { useEffect, useRef } from "preact/hooks";
import { common } from "../strings/common";

// A Panel is a dialog that a key or a command opens.
export type Panel = "palette" | "keys" | "saveView";

// The keys that need no Ctrl or Cmd can be turned off in this browser, because dictation
// software would trigger them.
export const keysAreOn = () => localStorage.getItem("keys") !== "off";
export const turnKeys = (on: boolean) => (on ? localStorage.removeItem("keys") : localStorage.setItem("keys", "off"));

// isMac reports whether the keyboard has a Cmd key instead of Ctrl.
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

// Links with the attribute data-key can be opened with G and that key, or one of several, of which
// the first is shown.
const prefix = "g";
const prefixLasts = 1500; // milliseconds

export interface KeyedLink {
  key: string;
  others: string[];
  name: string;
  element: HTMLElement;
}

// keyedLinks returns the links of the menu and of the current page that have a key.
export function keyedLinks(): KeyedLink[] {
  return [...document.querySelectorAll<HTMLElement>("[data-key]")].map((element) => {
    const [key, ...others] = element.dataset.key!.split(" ");
    return { key, others, name: element.textContent!.trim(), element };
  });
}

// A PageCommand is a command of the palette that only the current page has.
export interface PageCommand {
  id: string;
  name: string;
  run: () => void;
}

const offered = new Set<{ current: PageCommand[] }>();

// pageCommands returns the commands that components of the current page offer.
export const pageCommands = (): PageCommand[] => [...offered].flatMap((c) => c.current);

// useCommands adds commands to the palette while a component is shown.
export function useCommands(list: PageCommand[]) {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    offered.add(latest);
    return () => {
      offered.delete(latest);
    };
  }, []);
}

// isTyping reports whether keys go into a field or belong to an open dialog.
export function isTyping(e: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true;
  const field = (e.target as HTMLElement).closest?.("input, textarea, select, [contenteditable]");
  return field !== null && !(field instanceof HTMLInputElement && ["checkbox", "radio", "button", "submit"].includes(field.type));
}

// focusSearch focuses the search field of the page or, if there is none, opens its filter.
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>("main input[type=search]");
  const filter = document.querySelector<HTMLElement>(`main button[aria-label="${common.filter.add}"]`);
  if (field) field.focus();
  else filter?.click();
  return !!(field ?? filter);
}

// useShortcuts listens for the keys that work on every page: Ctrl+K or Cmd+K, /, ? and G followed by
// the key of a link. It listens before the page does, so that the second key of a sequence does not
// trigger a key of the page.
export function useShortcuts(onOpen: (panel: Panel) => void) {
  const latest = useRef(onOpen);
  latest.current = onOpen;
  useEffect(() => {
    let prefixed = 0; // when the prefix was pressed
    const act = (e: KeyboardEvent): boolean => {
      if (e.isComposing || e.repeat || isTyping(e)) return false;
      const key = e.key.toLowerCase();
      if (key === "k" && (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey) {
        latest.current("palette");
        return true;
      }
      if (e.ctrlKey || e.metaKey || e.altKey || !keysAreOn()) return false;
      if (Date.now() - prefixed < prefixLasts) {
        prefixed = 0;
        const link = keyedLinks().find((l) => l.key === key || l.others.includes(key));
        link?.element.click();
        return link !== undefined;
      }
      if (key === prefix) prefixed = Date.now();
      else if (key === "/") return focusSearch();
      else if (key === "?") latest.current("keys");
      else return false;
      return true;
    };
    const listen = (e: KeyboardEvent) => {
      if (!act(e)) return;
      e.preventDefault();
      e.stopImmediatePropagation();
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
}
