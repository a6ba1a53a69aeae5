import { useEffect, useRef } from "preact/hooks";
import { daysOf } from "../../lib/drill";
import { refine } from "../../lib/filter";
import { dateTime } from "../../lib/format";
import { urlOf } from "../../lib/api";
import type { Pages } from "../../lib/pages";
import type { PicturePage } from "../../lib/pictures";
import { Link } from "../../lib/router";
import type { PictureClass, PictureGroup } from "../../lib/types";
import type { View } from "../../lib/view";
import { Pickable } from "../../components/pickable";
import { Thumbnail } from "../../components/thumbnail";
import { common } from "../../strings/common";
import { pictures as text } from "../../strings/pictures";

interface Props {
  id: string; // of the monitor
  view: View;
  zone: string;
  pages: Pages<PictureGroup, PicturePage>;
}

// PictureGrid shows the loaded pictures, with a button to load more. Coming back with the back button
// shows the picture that the user left from.
export function PictureGrid({ id, view, zone, pages }: Props) {
  const { total, posts, read } = pages.first!;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-picture="${pages.place || "-"}"]`)?.scrollIntoView({ block: "center" });
  }, [pages.place]);
  const remember = (e: Event) => pages.leaveAt((e.target as Element).closest<HTMLElement>("[data-picture]")?.dataset.picture ?? "");
  return (
    <>
      <h2 class="sr">{common.pages.pictures}</h2>
      <p class="muted" role="status">
        <strong class="num">{text.total(total)}</strong>
        {text.totalNote}
      </p>
      {read < posts && <p class="small muted">{text.read(read, posts)}</p>}
      <ul class="pictures" ref={list} aria-label={common.pages.pictures} aria-busy={pages.loading} onClickCapture={remember}>
        {pages.items.map((g) => (
          <li key={g.picture.hash} data-picture={g.picture.hash} class="card picture">
            <PictureCard id={id} view={view} zone={zone} group={g} />
          </li>
        ))}
      </ul>
      {pages.hasMore && (
        <div class="row">
          <button type="button" class="button" disabled={pages.loading} onClick={pages.more}>
            {pages.loading ? common.loading : common.list.loadMore}
          </button>
          <span class="muted small num">{common.list.shown(pages.items.length, total)}</span>
        </div>
      )}
    </>
  );
}

function PictureCard({ id, view, zone, group: g }: Pick<Props, "id" | "view" | "zone"> & { group: PictureGroup }) {
  const alt = text.alt(g.classes.map((c) => c.name));
  const href = urlOf(`/monitors/${id}/pictures`, { ...daysOf(view), filter: view.filterText, sub: view.sub, picture: g.picture.hash });
  const last = dateTime(g.last, zone);
  return (
    <>
      <Link href={href} aria-label={text.open(alt, g.posts)}>
        <Thumbnail hash={g.picture.hash} alt={alt} />
      </Link>
      <div class="row small">
        <strong class="num">{text.posts(g.posts)}</strong>
        {g.files > 1 && (
          <span class="muted num" title={text.filesTitle}>
            {text.files(g.files)}
          </span>
        )}
      </div>
      <p class="small muted">{text.last(last)}</p>
      <PictureClasses classes={g.classes} view={view} />
    </>
  );
}

// PictureClasses shows what a picture shows. A click filters by it.
export function PictureClasses({ classes, view }: { classes: PictureClass[]; view: View }) {
  if (classes.length === 0) return null;
  return (
    <div class="row picture-classes">
      {classes.map((c) => (
        <Pickable key={c.id} class="badge" field="image" value={String(c.id)} title={text.score(text.types[c.type], c.score)} onPick={(field, value) => view.setFilter(refine(view.filter, field, value))}>
          {c.name}
        </Pickable>
      ))}
    </div>
  );
}
