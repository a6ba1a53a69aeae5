import { type ComponentChildren } from "preact";
import { Link } from "../lib/router";
import { useUser } from "../lib/session";
import { EmptyState } from "./basics";

// NoTeam says what to do when there is no team that something could belong to: make one, or ask someone who can.
export function NoTeam({ children }: { children: ComponentChildren }) {
  const { admin } = useUser();
  if (!admin) return <EmptyState title="You belong to no team">{children} Ask an administrator to add you to one.</EmptyState>;
  return (
    <EmptyState
      title="There are no teams yet"
      actions={
        <Link href="/admin?tab=teams" class="button primary">
          Make the first team
        </Link>
      }
    >
      {children}
    </EmptyState>
  );
}
