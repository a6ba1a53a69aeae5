// Strings of the account page.

export const account = {
  profile: {
    title: "Profile",
    note: "Only administrators can change this.",
    notSet: "Not set",
    noPermissions: "Your teams' monitors only",
    apiAccess: "API access",
    enabled: "Enabled",
    notEnabled: "Not enabled",
  },

  appearance: {
    title: "Appearance",
    note: "Applies to this browser.",
    light: "Light",
    dark: "Dark",
    system: "System",
  },

  about: {
    title: "About",
    version: (version: string) => (/^v?\d/.test(version) ? `Earshot ${version.replace(/^v/, "")}` : `Earshot, build ${version}`),
    reference: "API reference",
  },

  password: {
    title: "Password",
    note: "Changing it revokes your tokens and signs out other sessions.",
    current: "Current password",
    changed: "Password changed.",
  },

  signOut: {
    title: "Sign out everywhere",
    note: "Use this if you lost a device or a token was exposed.",
    button: "Sign out everywhere",
    confirm: "Sign out everywhere?",
    warning: "This ends all your sessions, including this one, and revokes all your tokens, including the permanent one. Programs that use them will stop working.",
  },
};
