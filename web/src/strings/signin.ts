// Strings of the sign-in page and dialog.

export const signin = {
  busy: "Signing in…",
  wrong: "Wrong username or password.",
  firstStart: "When Earshot first starts, it creates the user admin and prints the password. Administrators can invite others.",
  demo: (username: string, password: string) => `This is the demo. Sign in as ${username} with the password ${password}.`,
  newPassword: {
    title: "Choose a password",
    text: (username: string) => `You signed in as ${username} with a temporary password. Choose your own to continue.`,
    current: "Temporary password",
  },
  invitation: {
    title: "Invitation",
    join: (team: string) => `Join ${team}`,
    lead: (inviter: string) => `${inviter} invited you to Earshot. Choose a username and a password.`,
    confirm: "Confirm password",
    accept: "Create account",
    home: "Go to sign-in",
    signedIn: (username: string) => `You are signed in as ${username}. This invitation is for someone without an account. To create one with it, sign out first.`,
    stay: "Stay signed in",
  },
  sessionEnded: "Your session has ended. Sign in to pick up where you left off.",
};
