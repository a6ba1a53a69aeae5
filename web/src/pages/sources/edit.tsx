import { loadKinds, loadSource, mayManage } from "../../lib/livesource";
import { clearChoices } from "../../lib/choices";
import { useLoad } from "../../lib/load";
import { navigate } from "../../lib/router";
import { useUser } from "../../lib/session";
import { ErrorNotice, Notice, PageHeader, Skeleton } from "../../components/basics";
import { KindIcon } from "../../components/sourcestate";
import { toast } from "../../components/toast";
import { SourceForm } from "./form";
import { common } from "../../strings/common";
import { sources as text } from "../../strings/sources";

// EditSourcePage changes the settings of a source.
export function EditSourcePage({ id }: { id: string }) {
  const user = useUser();
  const source = useLoad(`source ${id}`, (signal) => loadSource(id, signal));
  const kinds = useLoad("source kinds", loadKinds);
  const error = source.error ?? kinds.error;
  if (error) return <ErrorNotice error={error} retry={source.error ? source.reload : kinds.reload} />;
  if (!source.data || !kinds.data) return <Skeleton height="20rem" label={text.loading} />;
  const s = source.data;
  const kind = kinds.data.find((k) => k.name === s.kind);
  return (
    <>
      <PageHeader title={text.editTitle(s.name)} lead={kind?.description} badge={<KindIcon kind={s.kind} title={s.kindTitle} />} />
      {!mayManage(user) && <Notice kind="warn">{text.readOnly}</Notice>}
      {!kind && <Notice kind="warn">{text.unknownKind}</Notice>}
      {kind && mayManage(user) && (
        <SourceForm
          kind={kind}
          source={s}
          team={s.team}
          onCancel={() => navigate(`/sources/${s.id}`)}
          onSaved={(saved) => {
            clearChoices();
            toast(common.savedItem(saved.name));
            navigate(`/sources/${saved.id}`);
          }}
        />
      )}
    </>
  );
}
