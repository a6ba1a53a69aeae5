import { useState } from "preact/hooks";
import { loadKinds, loadSources, mayManage } from "../../lib/livesource";
import type { SourceKind } from "../../lib/types";
import { clearChoices } from "../../lib/choices";
import { useLoad } from "../../lib/load";
import { Link, navigate, useQuery } from "../../lib/router";
import { useUser } from "../../lib/session";
import { ErrorNotice, Notice, PageHeader, SelectField, Skeleton } from "../../components/basics";
import { NoTeam } from "../../components/noteam";
import { KindIcon } from "../../components/sourcestate";
import { toast } from "../../components/toast";
import { SourceForm } from "./form";
import { Gallery } from "./gallery";
import { rememberSecret } from "./webhook";
import { common } from "../../strings/common";
import { sources as text } from "../../strings/sources";

// NewSourcePage adds a source: first the kind, then its settings. The kind is part of the URL.
export function NewSourcePage() {
  const user = useUser();
  const [query] = useQuery();
  const kinds = useLoad("source kinds", loadKinds);
  const kind = query.get("kind");
  if (!mayManage(user)) {
    return (
      <>
        <PageHeader title={common.pages.newSource} />
        <Notice kind="warn">{text.readOnly}</Notice>
      </>
    );
  }
  if (user.teams.length === 0) {
    return (
      <>
        <PageHeader title={common.pages.newSource} />
        <NoTeam>{text.needsTeam}</NoTeam>
      </>
    );
  }
  if (!kind) {
    return (
      <>
        <PageHeader title={common.pages.newSource} lead={text.chooseLead} />
        <Gallery team={Number(query.get("team")) || undefined} />
      </>
    );
  }
  if (kinds.error) return <ErrorNotice error={kinds.error} retry={kinds.reload} />;
  if (!kinds.data) return <Skeleton height="20rem" label={text.loading} />;
  const found = kinds.data.find((k) => k.name === kind);
  if (!found) return <ErrorNotice error={new Error(text.unknownKind)} undo={{ name: text.otherKind, act: () => navigate("/sources/new") }} />;
  return <NewSource kind={found} />;
}

function NewSource({ kind }: { kind: SourceKind }) {
  const user = useUser();
  const [query, change] = useQuery();
  const team = user.teams.find((t) => String(t.id) === query.get("team")) ?? user.teams[0];
  const [names, setNames] = useState<string[]>();
  useLoad(`names ${team.id}`, async () => {
    try {
      setNames((await loadSources(team.id)).map((s) => s.name));
    } catch {
      setNames([]); // the server checks the name, too
    }
  });
  return (
    <>
      <PageHeader
        title={text.addKind(kind.name, kind.title)}
        lead={
          <>
            {kind.description} <Link href={`/sources/new?team=${team.id}`}>{text.otherKind}</Link>
          </>
        }
        badge={<KindIcon kind={kind.name} title={kind.title} />}
      >
        {user.teams.length > 1 && <SelectField label={common.words.team} value={String(team.id)} options={user.teams.map((t) => ({ value: String(t.id), name: t.name }))} onChange={(id) => change({ team: id }, { replace: true })} />}
      </PageHeader>
      {!names && <Skeleton height="20rem" label={text.loading} />}
      {names && (
        <SourceForm
          key={`${kind.name} ${team.id}`}
          kind={kind}
          team={team.id}
          taken={names}
          onCancel={() => navigate("/sources")}
          onSaved={(s, secret) => {
            clearChoices();
            toast(text.added(s.name));
            if (s.endpoint) rememberSecret(s.id, secret);
            navigate(s.endpoint ? `/sources/${s.id}?added=${s.id}` : `/sources?added=${s.id}`);
          }}
        />
      )}
    </>
  );
}
