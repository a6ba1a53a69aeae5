// Strings of the command palette and of the list of keyboard shortcuts.

export const commands = {
  title: "Go to or do",
  placeholder: "Page, monitor or action",
  results: "Commands",
  none: "Nothing found.",
  loading: "Loading monitors…",
  kinds: { page: "Page", monitor: "Monitor", action: "Action" },
  actions: { newMonitor: "New monitor", darkTheme: "Switch to dark theme", lightTheme: "Switch to light theme", print: "Print this page", keys: "Keyboard shortcuts", signOut: "Sign out" },

  keys: {
    title: "Keyboard shortcuts",
    general: "General",
    goTo: "Go to",
    palette: "Find a page, a monitor or an action",
    search: "Search or filter the page",
    help: "Show this list",
    escape: "Close what is open",
    then: "then",
    ctrlK: ["Ctrl", "K"],
    cmdK: ["⌘", "K"],
    escapeKey: "Esc",
    enabled: "Use shortcuts that are a single key",
    enabledHint: "Turn them off if software that types what you say triggers them.",
  },
};
