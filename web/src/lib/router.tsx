// Routing by URL. The path selects the page and the query parameters its view, so that every view
// can be shared as a link and the back button works.
import { type ComponentChildren, type JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";

const listeners = new Set<() => void>();

function notify() {
  for (const listener of listeners) listener();
}

let guard: (() => boolean) | null = null;
let shownUrl = window.location.href;
let back = false;

// wentBack reports whether the back or forward button led to the current page.
export const wentBack = () => back;

// The back button runs the guard too. The URL has already changed by then, so it is restored if the
// user stays.
window.addEventListener("popstate", () => {
  const left = new URL(shownUrl).pathname !== window.location.pathname;
  if (left && guard && !guard()) return history.pushState(null, "", shownUrl);
  if (left) guard = null;
  shownUrl = window.location.href;
  back = true;
  notify();
});

// guardLeaving registers a guard that runs before the app switches pages. leave reports whether the
// switch may proceed. The result removes the guard.
export function guardLeaving(leave: () => boolean): () => void {
  guard = leave;
  return () => {
    if (guard === leave) guard = null;
  };
}

// navigate goes to another page, or to the same page with other parameters.
export function navigate(to: string, options: { replace?: boolean } = {}) {
  const current = window.location;
  const target = new URL(to, current.href);
  if (target.href === current.href) return scrollToPart(target.hash.slice(1));
  if (target.pathname !== current.pathname) {
    if (guard && !guard()) return;
    guard = null;
  }
  if (options.replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  const left = target.pathname !== new URL(shownUrl).pathname;
  shownUrl = current.href;
  back = false;
  notify();
  if (left && !target.hash) window.scrollTo(0, 0);
}

// scrollToPart scrolls to the part of the page with an id. It does nothing if there is none.
export function scrollToPart(id: string) {
  if (id) document.getElementById(id)?.scrollIntoView();
}

export interface PageLocation {
  path: string;
  query: URLSearchParams;
  hash: string; // id of the part of the page to scroll to, or ""
}

function currentLocation(): PageLocation {
  return { path: window.location.pathname, query: new URLSearchParams(window.location.search), hash: window.location.hash.slice(1) };
}

// useLocation returns the current path and query, and renders again when they change.
export function useLocation(): PageLocation {
  const [location, setLocation] = useState(currentLocation);
  useEffect(() => {
    const listener = () => setLocation(currentLocation());
    listeners.add(listener);
    listener();
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return location;
}

// useQuery returns the query parameters of the URL and a function that changes some of them. null
// or "" removes a parameter.
export function useQuery(): [URLSearchParams, (changes: Record<string, string | null>, options?: { replace?: boolean }) => void] {
  const { query } = useLocation();
  const change = useCallback((changes: Record<string, string | null>, options?: { replace?: boolean }) => {
    const now = currentLocation();
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") now.query.delete(name);
      else now.query.set(name, value);
    }
    const text = now.query.toString();
    navigate(text ? `${now.path}?${text}` : now.path, options);
  }, []);
  return [query, change];
}

// match returns the variables of a path that matches a pattern like /monitors/:id/posts, or null if
// it does not match.
export function match(pattern: string, path: string): Record<string, string> | null {
  const expected = pattern.split("/");
  const actual = path.replace(/\/+$/, "").split("/");
  if (actual.length === 1) actual.push(""); // the root
  if (expected.length !== actual.length) return null;
  const values: Record<string, string> = {};
  for (let i = 0; i < expected.length; i++) {
    if (expected[i].startsWith(":")) values[expected[i].slice(1)] = decodeSegment(actual[i]);
    else if (expected[i] !== actual[i]) return null;
  }
  return values;
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no record has this id, so the page reports that it was not found
  }
}

// sameOriginPath returns the path and query of a URL within the app, or "/" for any other URL.
export function sameOriginPath(text: string): string {
  try {
    const to = new URL(text, window.location.origin);
    const path = to.pathname + to.search;
    if (to.origin === window.location.origin && [text, path].every((t) => /^\/(?!\/)/.test(t))) return path; // "/.//host" becomes "//host", another site
  } catch {
    // not a URL
  }
  return "/";
}

let prepare: (path: string) => void = () => {};

// onPrepare sets the function that loads the code of a page before the user opens it.
export function onPrepare(load: (path: string) => void) {
  prepare = load;
}

type LinkProps = Omit<JSX.IntrinsicElements["a"], "href" | "onClick" | "role"> & { href: string; children?: ComponentChildren; onClick?: (event: MouseEvent) => void };

// Link links to another page of the app without reloading.
export function Link({ href, children, onClick, ...rest }: LinkProps) {
  const soon = () => prepare(href.split(/[?#]/, 1)[0]);
  return (
    <a
      href={href}
      onPointerEnter={soon}
      onFocus={soon}
      {...rest}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}
