import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { clearChoices } from "../lib/choices";
import { number } from "../lib/format";
import { useLoad } from "../lib/load";
import { useQuery } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import type { ContentSourceListResponse, UsageResponse } from "../lib/types";
import { EmptyState, ErrorNotice, Notice, PageHeader, SelectField, Skeleton } from "../components/basics";
import { NoTeam } from "../components/noteam";
import { Icon } from "../components/icon";
import { RecentUploads } from "./uploads/recentuploads";
import { NewSource, Sources } from "./uploads/sources";
import { Upload } from "./uploads/upload";

const counted = 2500; // milliseconds after which new documents are counted

const lead = "Documents of your own, such as survey answers or letters to support, beside the posts of the networks.";

// UploadsPage shows the content sources of a team and takes files with documents.
export function UploadsPage() {
  const user = useUser();
  if (!hasPermission(user, "content")) {
    return (
      <>
        <PageHeader title="Own content" lead={lead} />
        <Notice kind="warn">Own content needs the permission “content”. An administrator can give it to you.</Notice>
      </>
    );
  }
  if (user.teams.length === 0) {
    return (
      <>
        <PageHeader title="Own content" lead={lead} />
        <NoTeam>Content sources belong to teams.</NoTeam>
      </>
    );
  }
  return <TeamContent />;
}

function TeamContent() {
  const user = useUser();
  const [query, change] = useQuery();
  const team = user.teams.find((t) => String(t.id) === query.get("team")) ?? user.teams[0];
  const [adding, setAdding] = useState(false);
  const [busy, setBusy] = useState(false); // with a file of this team
  const [uploads, setUploads] = useState(0); // counts, so that the list of uploads is read again
  const loaded = useLoad(`sources ${team.id}`, () => get<ContentSourceListResponse>("/api/content/sources/list", { team: team.id }));
  const usage = useLoad("usage", () => get<UsageResponse>("/manage/v1/usage"));
  const sources = loaded.data?.contentSources;
  const changed = () => {
    clearChoices();
    loaded.reload();
    setTimeout(loaded.reload, counted);
    usage.reload();
    setUploads((n) => n + 1);
  };
  const add = (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      New content source
    </button>
  );
  return (
    <>
      <PageHeader title="Own content" lead={lead}>
        {user.teams.length > 1 && <SelectField label="Team" value={String(team.id)} disabled={busy} options={user.teams.map((t) => ({ value: String(t.id), name: t.name }))} onChange={(id) => change({ team: id })} />}
        {sources?.length !== 0 && add}
      </PageHeader>
      {loaded.error && <ErrorNotice error={loaded.error} retry={loaded.reload} />}
      {!sources && !loaded.error && <Skeleton height="16rem" label="Loading the content sources" />}
      {sources?.length === 0 && (
        <EmptyState title={`${team.name} has no content sources yet`} actions={add}>
          A content source holds documents of one kind. Make one, then upload a file into it.
        </EmptyState>
      )}
      {sources && sources.length > 0 && (
        <div class="stack" key={team.id}>
          <Sources sources={sources} usage={usageText(usage.data)} onChanged={changed} />
          <Upload sources={sources} busy={busy} onBusy={setBusy} onChanged={changed} />
          <RecentUploads key={uploads} sources={sources} onChanged={changed} />
        </div>
      )}
      {adding && <NewSource team={team} onClose={() => setAdding(false)} onAdded={changed} />}
    </>
  );
}

function usageText(usage: UsageResponse | undefined): string | undefined {
  if (!usage) return undefined;
  const { today, limit } = usage.documents;
  return `${number(today)} uploaded in the last 24 hours${limit ? ` of ${number(limit)} that the contract allows` : ""}`;
}
