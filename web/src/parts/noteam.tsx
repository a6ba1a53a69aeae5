import { type ComponentChildren } from "preact";
import { Link } from "../lib/router";
import { useUser } from "../lib/session";
import { Empty } from "./basics";

// NoTeam says what to do when there is no team that something could belong to: make one, or ask someone who can.
export function NoTeam({ children }: { children: ComponentChildren }) {
  const { admin } = useUser();
  if (!admin) return <Empty title="You belong to no team">{children} Ask an administrator to add you to one.</Empty>;
  return (
    <Empty
      title="There are no teams yet"
      actions={
        <Link href="/admin?tab=teams" class="button primary">
          Make the first team
        </Link>
      }
    >
      {children}
    </Empty>
  );
}
