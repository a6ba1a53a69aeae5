import { Link, useQuery } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import { Notice, PageHeader } from "../components/basics";
import { ContractTab } from "./admin/contract";
import { ModelsTab } from "./admin/models";
import { StatusTab } from "./admin/status";
import { TeamsTab } from "./admin/teams";
import { UsersTab } from "./admin/users";

const tabs = [
  { id: "teams", name: "Teams", show: TeamsTab },
  { id: "users", name: "Users", show: UsersTab },
  { id: "contract", name: "Contract", show: ContractTab },
  { id: "status", name: "Status", show: StatusTab },
  { id: "models", name: "Models", show: ModelsTab },
];

// AdminPage is for administrators: who may do what, what the contract allows, and how Earshot is doing.
export function AdminPage() {
  const user = useUser();
  const [query] = useQuery();
  const tab = tabs.find((t) => t.id === query.get("tab")) ?? tabs[0];
  if (!hasPermission(user, "admin")) {
    return (
      <>
        <PageHeader title="Administration" />
        <Notice kind="warn">Only administrators may see this. Ask one of them for what you need.</Notice>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Administration" />
      <nav class="tabs" aria-label="Administration">
        {tabs.map((t) => (
          <Link key={t.id} href={`/admin?tab=${t.id}`} aria-current={t === tab ? "page" : undefined}>
            {t.name}
          </Link>
        ))}
      </nav>
      <tab.show />
    </>
  );
}
