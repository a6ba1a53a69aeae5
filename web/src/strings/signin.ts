// Strings of the sign-in page and dialog.

export const signin = {
  busy: "Signing in…",
  wrong: "Wrong username or password.",
  firstStart: "When Earshot first starts, it creates the user admin and prints the password. Administrators can add users.",
  demo: (username: string, password: string) => `This is the demo. Sign in as ${username} with the password ${password}.`,
  newPassword: {
    title: "Choose a password",
    text: (username: string) => `You signed in as ${username} with a temporary password. Choose your own to continue.`,
    current: "Temporary password",
  },
  sessionEnded: "Your session has ended. Sign in to pick up where you left off.",
};
