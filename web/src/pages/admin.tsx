import { Link, useQuery } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import { Notice, PageHeader } from "../components/basics";
import { ContractTab } from "./admin/contract";
import { ModelsTab } from "./admin/models";
import { NodesTab, useCluster } from "./admin/nodes";
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
  { id: "nodes", name: admin.tabs.nodes, show: NodesTab },
  { id: "models", name: admin.tabs.models, show: ModelsTab },
];

// AdminPage lets administrators manage teams, users, the contract and the models, and shows the
// status of the service.
export function AdminPage() {
  const user = useUser();
  return (
    <>
      <PageHeader title={common.pages.admin} />
      {hasPermission(user, "admin") ? <Tabs /> : <Notice kind="warn">{admin.onlyAdmins}</Notice>}
    </>
  );
}

// Tabs shows the chosen tab. The one with nodes exists only in a cluster.
function Tabs() {
  const [query] = useQuery();
  const { data: cluster } = useCluster();
  const tab = tabs.find((t) => t.id === query.get("tab")) ?? tabs[0];
  return (
    <>
      <nav class="tabs" aria-label={common.pages.admin}>
        {tabs
          .filter((t) => t.id !== "nodes" || t === tab || cluster?.name)
          .map((t) => (
            <Link key={t.id} href={`/admin?tab=${t.id}`} aria-current={t === tab ? "page" : undefined}>
              {t.name}
            </Link>
          ))}
      </nav>
      <tab.show />
    </>
  );
}
