import { type ComponentChildren } from "preact";
import { Link } from "../lib/router";
import { useUser } from "../lib/session";
import { EmptyState } from "./basics";
import { common } from "../strings/common";

// NoTeam explains what to do without a team: administrators can create one, other users have to ask
// them.
export function NoTeam({ children }: { children: ComponentChildren }) {
  const { admin } = useUser();
  if (!admin) return <EmptyState title={common.noTeam.notMember}>{children} {common.noTeam.askAdmin}</EmptyState>;
  return (
    <EmptyState
      title={common.noTeam.noTeams}
      actions={
        <Link href="/admin?tab=teams" class="button primary">
          {common.noTeam.createTeam}
        </Link>
      }
    >
      {children}
    </EmptyState>
  );
}
