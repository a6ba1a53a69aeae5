// Strings of share links: the dialog, the list of links, and the page that visitors see.

import { number, plural } from "../lib/format";
import type { ShareState } from "../lib/types";

export const share = {
  button: "Share",
  title: (name: string) => `Share ${name}`,
  intro: "Anyone with the link can see this page, without an account. They cannot change anything or open other pages.",
  introDashboard: "Visitors see the dashboard as it is when they open the link, including later changes.",
  introMonitor: (dates: string) => `Visitors see the overview for ${dates}.`,
  latest: "the last 30 days",

  name: "Title for visitors",
  expires: "Expires",
  expiry: { "7": "In 7 days", "30": "In 30 days", "90": "In 90 days", never: "Never", date: "On a date" },
  keep: (expires: string) => `No change (${expires})`,
  lastDay: "Last day",
  password: "Password (optional)",
  newPassword: "New password",
  passwordHint: "At least 10 characters. Send it separately from the link.",
  withPosts: "Include posts and authors",
  create: "Create link",

  created: "Link created. Copy it now: it is not shown again.",
  open: "Open",
  another: "Create another link",

  existing: "Links to this page",
  none: "There are no links to this page yet.",
  all: "All share links",

  page: "Share links",
  lead: "Links for people without an account. Each shows one dashboard, or the overview of one monitor.",
  emptyTitle: "No share links yet",
  emptyText: "Open a dashboard or a monitor and choose Share.",
  columns: { link: "Link", shows: "Shows", state: "State", opened: "Opened", expires: "Expires", created: "Created", actions: "Actions" },
  shows: { dashboard: "Dashboard", monitor: "Monitor" },
  removed: "Removed",
  states: { active: "Active", expired: "Expired", revoked: "Revoked", removed: "Removed" } satisfies Record<ShareState, string>,
  protected: "Password",
  never: "Never",
  opened: (views: number) => (views === 0 ? "Never" : plural(views, "time")),
  by: (user: string, day: string) => `${day} by ${user}`,

  edit: "Edit",
  editLink: (name: string) => `Edit ${name}`,
  passwordAction: { keep: "Keep it", set: "Set a new one", remove: "Remove it" },
  protection: "Password",
  noProtection: { keep: "None", set: "Set one" },

  revoke: "Revoke",
  revokeLink: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: "The link stops working at once. This cannot be undone.",
  revoked: "Link revoked.",

  uses: "Uses",
  usesOf: (name: string) => `Uses of ${name}`,
  usesNote: (views: number) => `Opened ${plural(views, "time")}. The last ${number(100)} uses are listed.`,
  noUses: "No one has used this link yet.",
  useColumns: { time: "Time", network: "Network", result: "Result" },
  networkHint: "Part of the visitor's address. It does not identify a person.",
  results: { "": "Opened", expired: "Refused: expired", revoked: "Refused: revoked", removed: "Refused: removed", password: "Wrong password", limit: "Refused: too many requests" } as Record<string, string>,

  accountNote: "Links that your teams have created for people without an account.",

  // The page of visitors.
  visitor: {
    documentTitle: "Shared page",
    notValid: "This link is not valid",
    notValidText: "It may have expired or been revoked. Ask the person who sent it to you for a new one.",
    locked: "This page is protected",
    lockedText: "Enter the password that you received with the link.",
    password: "Password",
    unlock: "Open",
    print: "Print",
    pdf: "PDF",
    cards: "Cards",
    counting: (card: string) => `Loading ${card}…`,
    empty: "There is nothing on this page yet.",
    sharedWith: "Shared with Earshot",
    until: (day: string) => `This link works until ${day}.`,
  },
};
