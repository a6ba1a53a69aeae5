import { useEffect, useState } from "preact/hooks";

// A Theme is what the user has chosen for this browser. "system" follows the operating system.
export type Theme = "light" | "dark" | "system";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let printing = false;

export function chosenTheme(): Theme {
  const stored = localStorage.getItem("theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

// isDark reports whether the theme is dark. Paper is always light.
export function isDark(): boolean {
  const theme = chosenTheme();
  if (printing) return false;
  return theme === "dark" || (theme === "system" && system.matches);
}

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme) {
  if (theme === "system") localStorage.removeItem("theme");
  else localStorage.setItem("theme", theme);
  apply();
}

export function startTheme() {
  system.addEventListener("change", apply);
  const print = (on: boolean) => {
    printing = on;
    apply();
  };
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  apply();
}

// useDark reports whether the theme is dark, and renders again when it changes.
export function useDark(): boolean {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const listener = () => setDark(isDark());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return dark;
}
