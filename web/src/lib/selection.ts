// The selection of several posts of a list, with the mouse and with keys.
import { useEffect, useRef, useState } from "preact/hooks";
import { isTyping, keysAreOn } from "./shortcuts";

// maxSelected is the number of posts that one request changes at most.
export const maxSelected = 100;

export interface Selection {
  keys: string[]; // selected posts, in the order of the list
  has: (key: string) => boolean;
  toggle: (key: string, range?: boolean) => void; // a range begins at the post that was toggled before
  all: () => void; // selects the first posts of the list
  clear: () => void;
}

// useSelection selects items of a list by their keys. Another list has another selection. tooMany
// runs when more items would be selected than allowed.
export function useSelection(list: string, items: string[], tooMany: () => void): Selection {
  const [state, setState] = useState({ list, keys: new Set<string>(), anchor: "" });
  const own = state.list === list ? state : { list, keys: new Set<string>(), anchor: "" };
  const keys = items.filter((key) => own.keys.has(key));
  const set = (next: Set<string>, anchor: string) => {
    if (next.size > maxSelected) tooMany();
    setState(next.size > maxSelected ? { ...own } : { list, keys: next, anchor }); // the new state resets the checkbox
  };
  return {
    keys,
    has: (key) => own.keys.has(key),
    toggle: (key, range) => {
      const next = new Set(keys);
      const from = range ? items.indexOf(own.anchor) : -1;
      const to = items.indexOf(key);
      if (from >= 0) for (const k of items.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(k);
      else if (!next.delete(key)) next.add(key);
      set(next, key);
    },
    all: () => set(new Set(items.slice(0, maxSelected)), own.anchor),
    clear: () => set(new Set(), own.anchor),
  };
}

// The keys that act on all selected posts, by what they do.
const bulkKeys: Record<string, string> = { s: "star", t: "tag", a: "assign" };

// useSelectionKeys listens for the keys of a list of posts: J and K move the focus, X selects,
// Escape clears the selection, and the keys of a post act on all selected posts. list is the element
// whose children are the posts, and bar the one with the actions.
export function useSelectionKeys(selection: Selection | undefined) {
  const list = useRef<HTMLUListElement>(null);
  const latest = useRef(selection);
  const current = useRef(""); // the post that had the focus last
  latest.current = selection;
  useEffect(() => {
    if (!selection) return;
    const posts = () => [...(list.current?.children ?? [])] as HTMLElement[];
    const focused = () => posts().find((li) => li.contains(document.activeElement)) ?? posts().find((li) => li.dataset.key === current.current);
    const focus = (li: HTMLElement | undefined) => {
      if (!li) return;
      current.current = li.dataset.key!;
      li.querySelector<HTMLElement>("article")?.focus();
    };
    const act = (e: KeyboardEvent): boolean => {
      const now = latest.current!;
      if (e.isComposing || e.ctrlKey || e.metaKey || e.altKey || isTyping(e) || document.querySelector(".popover:not([hidden])")) return false;
      if (e.key === "Escape" && now.keys.length > 0) {
        now.clear();
        return true;
      }
      if (!keysAreOn()) return false;
      const key = e.key.toLowerCase();
      const at = focused();
      if (key === "j" || key === "k") {
        const below = posts().findIndex((li) => li.getBoundingClientRect().bottom > window.innerHeight / 4);
        focus(at ? posts()[posts().indexOf(at) + (key === "j" ? 1 : -1)] : posts()[below]);
        return true;
      }
      if (e.repeat) return false;
      if (key === "x" && at) {
        now.toggle(at.dataset.key!, e.shiftKey);
        focus(at);
        return true;
      }
      const control = now.keys.length > 0 && !e.shiftKey && document.querySelector<HTMLElement>(`[data-bulk="${bulkKeys[key]}"]`);
      if (control) (control.matches("button") ? control : control.querySelector("button"))?.click();
      return Boolean(control);
    };
    const listen = (e: KeyboardEvent) => {
      if (!act(e)) return;
      e.preventDefault();
      e.stopPropagation();
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, [Boolean(selection)]);
  return list;
}
