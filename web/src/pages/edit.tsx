import { useEffect, useState } from "preact/hooks";
import { patch, post } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link, navigate, scrollToPart, useLocation, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import type { ChangedMonitor, Monitor } from "../lib/types";
import { ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { NoTeam } from "../components/noteam";
import { toast } from "../components/toast";
import { Audit } from "./edit/audit";
import { changes, creation, draftOf, newDraft } from "./edit/draft";
import { Filters } from "./edit/filters";
import { MonitorForm } from "./edit/form";
import { MonitorActions } from "./edit/actions";
import { prefill, prefillKey } from "./edit/prefill";
import { common } from "../strings/common";
import { edit } from "../strings/edit";

// NewMonitor creates a monitor and goes to its overview, which shows the progress of the backfill.
// The URL may fill in the form.
export function NewMonitor() {
  const { teams } = useUser();
  const [query] = useQuery();
  const key = prefillKey(query);
  const filled = useLoad(teams.length && key ? key : null, () => prefill(key, teams));
  if (!teams.length) return <NoTeam>{edit.needsTeam}</NoTeam>;
  const header = <PageHeader title={common.pages.newMonitor} lead={key ? edit.filledIn : edit.newLead} />;
  if (key && !filled.data)
    return (
      <>
        {header}
        {filled.error ? <ErrorNotice error={filled.error} retry={filled.reload} /> : <Skeleton height="30rem" />}
      </>
    );
  return (
    <>
      {header}
      <MonitorForm
        initial={filled.data ?? newDraft(teams[0].id)}
        action={edit.create}
        onSave={async (draft, _, letGo) => {
          const created = await post<ChangedMonitor>("/manage/v1/monitors", creation(draft));
          letGo();
          navigate(`/monitors/${created.id}`);
          return draft;
        }}
      >
        <Link href="/" class="button">
          {common.actions.cancel}
        </Link>
      </MonitorForm>
    </>
  );
}

// EditMonitor edits a monitor and its saved filters, and shows its audit log. The URL may propose a
// query, which is saved like one that the user types.
export function EditMonitor({ id }: { id: string }) {
  const [query, changeUrl] = useQuery();
  const keywords = query.get("keywords");
  const [version, setVersion] = useState(0);
  return (
    <MonitorLayout id={id}>
      {(m, loaded, watch) => {
        const changed = () => {
          loaded.reload();
          watch();
          setVersion((n) => n + 1);
        };
        return (
          <div class="stack">
            <Sections m={m} />
            <MonitorForm
              created
              proposed={keywords === null ? undefined : { keywords }}
              initial={draftOf(m)}
              derivedAccounts={m.ownAccountsDerived ? m.ownAccounts : []}
              action={edit.saveChanges}
              onSave={async (draft, before) => {
                const saved = await patch<ChangedMonitor>(`/manage/v1/monitors/${id}`, { ...changes(draft, before), revision: before.revision });
                toast(edit.saved);
                changeUrl({ keywords: null }, { replace: true });
                changed();
                return draftOf(saved);
              }}
            />
            <div id="filters">
              <Filters monitor={m} onChanged={changed} />
            </div>
            <div id="actions">
              <MonitorActions monitor={m} onChanged={changed} />
            </div>
            <div id="audit">
              <Audit monitor={m} version={version} />
            </div>
          </div>
        );
      }}
    </MonitorLayout>
  );
}

// Sections links to the parts of the page. It scrolls to the part that the URL names, which did not
// exist yet when the browser looked for it.
function Sections({ m }: { m: Monitor }) {
  const { hash } = useLocation();
  useEffect(() => scrollToPart(hash), [hash]);
  const sections = [
    { id: "main", name: edit.sections.general },
    { id: "filters", name: edit.sections.filters(m.filters.length) },
    { id: "actions", name: edit.sections.actions },
    { id: "audit", name: edit.sections.audit },
  ];
  return (
    <nav class="sections" aria-label={edit.sections.label}>
      {sections.map((s) => (
        <a key={s.id} href={`#${s.id}`}>
          {s.name}
        </a>
      ))}
    </nav>
  );
}
