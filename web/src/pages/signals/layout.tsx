import { type ComponentChildren } from "preact";
import { Link, useLocation } from "../../lib/router";
import { useUser } from "../../lib/session";
import { PageHeader } from "../../components/basics";
import { NoTeam } from "../../components/noteam";
import { signals } from "../../strings/signals";

const tabs = [
  { href: "/signals", name: signals.tabs.signals },
  { href: "/signals/rules", name: signals.tabs.rules },
  { href: "/signals/channels", name: signals.tabs.channels },
  { href: "/signals/reports", name: signals.tabs.reports },
];

// isCurrent reports whether a path belongs to a tab. Those of single signals belong to none.
const isCurrent = (tab: string, path: string) => path === tab || (tab !== tabs[0].href && path.startsWith(`${tab}/`));

// SignalsLayout is the common header of the pages about signals: the title of the page, its actions
// and tabs. Without a team there is nothing to show.
export function SignalsLayout({ title, lead, tools, children }: { title: string; lead: string; tools?: ComponentChildren; children: ComponentChildren }) {
  const { path } = useLocation();
  const user = useUser();
  if (user.teams.length === 0) return <NoTeam>{lead}</NoTeam>;
  return (
    <>
      <PageHeader title={title} lead={lead}>
        {tools}
      </PageHeader>
      <nav class="tabs" aria-label={signals.tabs.label}>
        {tabs.map((t) => (
          <Link key={t.href} href={t.href} aria-current={isCurrent(t.href, path) ? "page" : undefined}>
            {t.name}
          </Link>
        ))}
      </nav>
      {children}
    </>
  );
}
