import type { Monitor } from "./types";

// likeness counts what two monitors have in common: tags, the type, the sources, and that they are about
// brands, which have accounts of their own. So competitors are alike.
const likeness = (a: Monitor, b: Monitor) =>
  2 * a.tags.filter((t) => b.tags.includes(t)).length + Number(a.type === b.type) + Number(a.sources.join() === b.sources.join()) + Number(a.ownAccounts.length > 0 && b.ownAccounts.length > 0);

// othersOf returns the enabled monitors of the same team.
const othersOf = (m: Monitor, monitors: Monitor[]) => monitors.filter((o) => o.enabled && o.team === m.team && o.id !== m.id);

// alikeTo returns the other monitors of the same team, those that are most like a monitor first.
export const alikeTo = (m: Monitor, monitors: Monitor[]) => othersOf(m, monitors).sort((a, b) => likeness(b, m) - likeness(a, m));

// companyOf counts what a monitor has in common with the others of its team.
export const companyOf = (m: Monitor, monitors: Monitor[]) => othersOf(m, monitors).reduce((sum, o) => sum + likeness(m, o), 0);
