import { useState } from "preact/hooks";
import { patch, post } from "../lib/api";
import { Link, navigate } from "../lib/router";
import { useUser } from "../lib/session";
import type { ChangedMonitor } from "../lib/types";
import { PageHeader } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { NoTeam } from "../components/noteam";
import { toast } from "../components/toast";
import { Audit } from "./edit/audit";
import { changes, creation, draftOf, newDraft } from "./edit/draft";
import { Filters } from "./edit/filters";
import { MonitorForm } from "./edit/form";
import { MonitorActions } from "./edit/actions";
import { common } from "../strings/common";
import { edit } from "../strings/edit";

// NewMonitor creates a monitor and goes to its overview, which shows the progress of the backfill.
export function NewMonitor() {
  const { teams } = useUser();
  if (!teams.length) return <NoTeam>{edit.needsTeam}</NoTeam>;
  return (
    <>
      <PageHeader title={common.pages.newMonitor} lead={edit.newLead} />
      <MonitorForm
        initial={newDraft(teams[0].id)}
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

// EditMonitor edits a monitor and its saved filters, and shows its audit log.
export function EditMonitor({ id }: { id: string }) {
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
            <MonitorForm
              created
              initial={draftOf(m)}
              action={edit.saveChanges}
              onSave={async (draft, before) => {
                const saved = await patch<ChangedMonitor>(`/manage/v1/monitors/${id}`, { ...changes(draft, before), revision: before.revision });
                toast(edit.saved);
                changed();
                return draftOf(saved);
              }}
            />
            <Filters monitor={m} onChanged={changed} />
            <MonitorActions monitor={m} onChanged={changed} />
            <Audit monitor={m} version={version} />
          </div>
        );
      }}
    </MonitorLayout>
  );
}
