import { useEffect, useState } from "preact/hooks";

// Light or dark is what the system says unless the reader has chosen.
export type Theme = "light" | "dark" | "system";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

export function chosenTheme(): Theme {
  const stored = localStorage.getItem("theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function isDark(): boolean {
  const theme = chosenTheme();
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
  apply();
}

// useDark tells whether it is dark, also when that changes.
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
