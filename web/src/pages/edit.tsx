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


// NewMonitor creates a monitor and goes to its overview, where one sees how stored posts are taken in.
export function NewMonitor() {
  const { teams } = useUser();
  if (!teams.length) return <NoTeam>A monitor belongs to a team.</NoTeam>;
  return (
    <>
      <PageHeader title="New monitor" lead="It watches new posts from now on, and takes in those that are stored." />
      <MonitorForm
        initial={newDraft(teams[0].id)}
        action="Create monitor"
        onSave={async (draft, _, letGo) => {
          const created = await post<ChangedMonitor>("/manage/v1/monitors", creation(draft));
          letGo();
          navigate(`/monitors/${created.id}`);
          return draft;
        }}
      >
        <Link href="/" class="button">
          Cancel
        </Link>
      </MonitorForm>
    </>
  );
}

// EditMonitor changes a monitor and what belongs to it.
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
              action="Save changes"
              onSave={async (draft, before) => {
                const saved = await patch<ChangedMonitor>(`/manage/v1/monitors/${id}`, { ...changes(draft, before), revision: before.revision });
                toast("The changes are saved.");
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
