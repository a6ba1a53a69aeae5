import { Link, useQuery } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import { Notice, PageHeader } from "../components/basics";
import { ContractTab } from "./admin/contract";
import { ModelsTab } from "./admin/models";
import { StatusTab } from "./admin/status";
import { TeamsTab } from "./admin/teams";
import { UsersTab } from "./admin/users";
import { admin } from "../strings/admin";
import { common } from "../strings/common";

const tabs = [
  { id: "teams", name: admin.tabs.teams, show: TeamsTab },
  { id: "users", name: admin.tabs.users, show: UsersTab },
  { id: "contract", name: admin.tabs.contract, show: ContractTab },
  { id: "status", name: admin.tabs.status, show: StatusTab },
  { id: "models", name: admin.tabs.models, show: ModelsTab },
];

// AdminPage lets administrators manage teams, users, the contract and the models, and shows the
// status of the service.
export function AdminPage() {
  const user = useUser();
  const [query] = useQuery();
  const tab = tabs.find((t) => t.id === query.get("tab")) ?? tabs[0];
  if (!hasPermission(user, "admin")) {
    return (
      <>
        <PageHeader title={common.pages.admin} />
        <Notice kind="warn">{admin.onlyAdmins}</Notice>
      </>
    );
  }
  return (
    <>
      <PageHeader title={common.pages.admin} />
      <nav class="tabs" aria-label={common.pages.admin}>
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
