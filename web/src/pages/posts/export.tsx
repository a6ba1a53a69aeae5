import { urlOf } from "../../lib/api";
import { useSession } from "../../lib/session";
import type { View } from "../../lib/view";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";
import { posts as text } from "../../strings/posts";

// ExportMenu downloads all posts of a view as a file, newest first.
export function ExportMenu({ id, view, total }: { id: string; view: View; total: number | undefined }) {
  const restricted = useSession().session.restrictedSources ?? [];
  const href = (format: string) => urlOf(`/manage/v1/monitors/${id}/export`, { ...view.params, format });
  return (
    <Popover
      label={text.export.title}
      right
      button={
        <>
          <Icon name="download" />
          {text.export.title}
        </>
      }
    >
      {(close) => (
        <div class="export stack tight">
          <p>{text.export.total(total)}</p>
          {text.export.formats.map((f) => (
            <div key={f.id}>
              <a href={href(f.id)} download onClick={() => setTimeout(close, 0)}>
                {text.export.download(f.name)}
              </a>{" "}
              <span class="small muted">{f.note}</span>
            </div>
          ))}
          {restricted.length > 0 && <p class="small muted">{text.export.restricted(restricted)}</p>}
          <p class="small muted">{text.export.audit}</p>
        </div>
      )}
    </Popover>
  );
}
