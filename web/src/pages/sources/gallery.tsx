import { loadKinds } from "../../lib/livesource";
import type { SourceKind } from "../../lib/types";
import { useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import { useUser } from "../../lib/session";
import { ErrorNotice, Skeleton } from "../../components/basics";
import { KindIcon } from "../../components/sourcestate";
import { sources as text } from "../../strings/sources";

// adminKinds can be added by administrators only, because they read files of the server.
const adminKinds = new Set(["folder"]);

// Gallery offers the kinds of sources. A click leads to the form of the kind.
export function Gallery({ team }: { team?: number }) {
  const { admin } = useUser();
  const { data, error, reload } = useLoad("source kinds", loadKinds);
  if (error) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="12rem" label={text.loading} />;
  return (
    <ul class="grid gallery" aria-label={text.kindList}>
      {data
        .filter((k) => admin || !adminKinds.has(k.name))
        .map((k) => (
          <li key={k.name}>
            <KindCard kind={k} team={team} />
          </li>
        ))}
    </ul>
  );
}

function KindCard({ kind, team }: { kind: SourceKind; team?: number }) {
  return (
    <article class="card kind-card">
      <KindIcon kind={kind.name} title={kind.title} />
      <div class="grow">
        <h2>
          <Link href={`/sources/new?kind=${kind.name}${team ? `&team=${team}` : ""}`}>{kind.title}</Link>
        </h2>
        <p class="small muted">{kind.description}</p>
        {adminKinds.has(kind.name) && <p class="small muted">{text.adminOnly}</p>}
      </div>
    </article>
  );
}
