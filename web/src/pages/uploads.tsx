import { useState } from "preact/hooks";
import { get, listAll } from "../lib/api";
import { clearChoices } from "../lib/choices";
import { useLoad } from "../lib/load";
import { Link, useQuery } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import type { ContentSourceInfo, UsageResponse } from "../lib/types";
import { EmptyState, ErrorNotice, Notice, PageHeader, SelectField, Skeleton } from "../components/basics";
import { NoTeam } from "../components/noteam";
import { Icon } from "../components/icon";
import { RecentUploads } from "./uploads/recentuploads";
import { NewSource, Sources } from "./uploads/sources";
import { Upload } from "./uploads/upload";
import { common } from "../strings/common";
import { uploads } from "../strings/uploads";

const countDelay = 2500; // milliseconds until the server's counts include new documents

// UploadsPage shows the content sources of a team and uploads files with documents.
export function UploadsPage() {
  const user = useUser();
  if (!hasPermission(user, "content")) {
    return (
      <>
        <PageHeader title={common.pages.uploads} lead={uploads.lead} />
        <Notice kind="warn">{uploads.noPermission}</Notice>
      </>
    );
  }
  if (user.teams.length === 0) {
    return (
      <>
        <PageHeader title={common.pages.uploads} lead={uploads.lead} />
        <NoTeam>{uploads.needsTeam}</NoTeam>
      </>
    );
  }
  return <TeamUploads />;
}

function TeamUploads() {
  const user = useUser();
  const [query, change] = useQuery();
  const team = user.teams.find((t) => String(t.id) === query.get("team")) ?? user.teams[0];
  const [adding, setAdding] = useState(false);
  const [busy, setBusy] = useState(false); // a file is being checked or uploaded
  const [version, setVersion] = useState(0); // incremented to reload the list of recent uploads
  const loaded = useLoad(`sources ${team.id}`, () => listAll<ContentSourceInfo>("/manage/v1/content-sources", { team: team.id }));
  const usage = useLoad("usage", () => get<UsageResponse>("/manage/v1/usage"));
  const sources = loaded.data;
  const changed = () => {
    clearChoices();
    loaded.reload();
    setTimeout(loaded.reload, countDelay);
    usage.reload();
    setVersion((n) => n + 1);
  };
  const add = (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      {uploads.newSource}
    </button>
  );
  return (
    <>
      <PageHeader
        title={common.pages.uploads}
        lead={
          <>
            {uploads.lead} <Link href="/sources">{uploads.liveSources}</Link>
          </>
        }
      >
        {user.teams.length > 1 && <SelectField label={common.words.team} value={String(team.id)} disabled={busy} options={user.teams.map((t) => ({ value: String(t.id), name: t.name }))} onChange={(id) => change({ team: id })} />}
        {sources?.length !== 0 && add}
      </PageHeader>
      {loaded.error && <ErrorNotice error={loaded.error} retry={loaded.reload} />}
      {!sources && !loaded.error && <Skeleton height="16rem" label={uploads.loadingSources} />}
      {sources?.length === 0 && (
        <EmptyState title={uploads.noSourcesTitle(team.name)} actions={add}>
          {uploads.noSourcesText}
        </EmptyState>
      )}
      {sources && sources.length > 0 && (
        <div class="stack" key={team.id}>
          <Sources sources={sources} usage={usage.data && uploads.usage(usage.data.documents.today, usage.data.documents.limit)} onChanged={changed} />
          <Upload sources={sources} team={team.id} busy={busy} onBusy={setBusy} onChanged={changed} />
          <RecentUploads key={version} sources={sources} onChanged={changed} />
        </div>
      )}
      {adding && <NewSource team={team} onClose={() => setAdding(false)} onAdded={changed} />}
    </>
  );
}

