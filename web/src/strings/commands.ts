// Strings of the command palette and of the list of keyboard shortcuts.

export const commands = {
  title: "Search or run a command",
  placeholder: "Search pages, monitors, views, and actions",
  hint: "Try “negative last week Germany” or “#recall Nov 11”.",
  results: "Commands",
  none: "No results.",
  loading: "Loading monitors…",
  kinds: { page: "Page", monitor: "Monitor", view: "Saved view", action: "Action", search: "Search", author: "Author", topic: "Topic" },

  // Pages that are not in the menu, and forms.
  pages: [
    { name: "Rules", href: "/signals/rules" },
    { name: "Channels", href: "/signals/channels" },
    { name: "Reports and feeds", href: "/signals/reports" },
  ],
  forms: [
    { name: "New rule", href: "/signals/rules/new" },
    { name: "Add channel", href: "/signals/channels?new=1" },
    { name: "New scheduled report", href: "/signals/reports?new=1" },
  ],
  actions: { newMonitor: "New monitor", darkTheme: "Switch to dark theme", lightTheme: "Switch to light theme", print: "Print this page", keys: "Keyboard shortcuts", signOut: "Sign out" },

  keys: {
    title: "Keyboard shortcuts",
    general: "General",
    goTo: "Go to",
    fields: "In a field with suggestions",
    fieldKeys: [
      { keys: ["↑", "↓", "Enter"], name: "Choose one" },
      { keys: ["Backspace"], name: "Remove the last one, if nothing is typed" },
    ],
    train: "On the Train page",
    trainKeys: [
      { keys: ["1", "…", "9"], name: "Label the post with that category" },
      { keys: ["0", "S"], name: "Skip the post" },
      { keys: ["U"], name: "Undo the last label" },
    ],
    label: "On the Label posts page",
    labelKeys: [
      { keys: ["1", "…", "9"], name: "Label the post with that sentiment, category, or emotion" },
      { keys: ["0", "S"], name: "Can't tell" },
      { keys: ["U", "Backspace"], name: "Undo the last label" },
    ],
    compare: "On a row of a comparison",
    compareKeys: [{ keys: ["Alt", "←", "→"], name: "Move the row" }],
    palette: "Search pages, monitors, and actions",
    search: "Search or filter the page",
    help: "Show this list",
    escape: "Close a dialog or menu",
    then: "then",
    ctrlK: ["Ctrl", "K"],
    cmdK: ["⌘", "K"],
    escapeKey: "Esc",
    enabled: "Use single-key shortcuts",
    enabledHint: "Turn these off if dictation software triggers them.",
  },
};
