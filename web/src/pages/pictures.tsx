import { useState } from "preact/hooks";
import { usePictures, type PictureOrder, type PicturePage } from "../lib/pictures";
import { useQuery } from "../lib/router";
import { hasPermission, useSession } from "../lib/session";
import type { Monitor } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, SelectField, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { ClassFilter } from "./pictures/classfilter";
import { PictureDetail } from "./pictures/detail";
import { PictureGrid } from "./pictures/grid";
import { common } from "../strings/common";
import { pictures as text } from "../strings/pictures";

// PicturesPage shows the pictures of a monitor's posts, or the posts with one of them.
export function PicturesPage({ id }: { id: string }) {
  const [version, setVersion] = useState(0); // changes when re-matching has finished, to reload the pictures
  const [query] = useQuery();
  const hash = query.get("picture") ?? "";
  return (
    <MonitorLayout id={id} onDone={() => setVersion((n) => n + 1)}>
      {(m) => (/^[0-9a-f]{64}$/.test(hash) ? <PictureDetail key={hash} monitor={m} hash={hash} version={version} /> : <Pictures monitor={m} version={version} />)}
    </MonitorLayout>
  );
}

const orders = Object.entries(text.orders).map(([value, name]) => ({ value, name }));

// useOrder returns the order in the URL and a function that sets it. Newest first is the default.
function useOrder(): [PictureOrder, (order: string) => void] {
  const [query, change] = useQuery();
  const requested = query.get("sort") ?? "";
  const order = Object.hasOwn(text.orders, requested) ? (requested as PictureOrder) : "newest";
  return [order, (o) => change({ sort: o === "newest" ? null : o })];
}

function Pictures({ monitor, version }: { monitor: Monitor; version: number }) {
  const view = useView();
  const [order, setOrder] = useOrder();
  const id = view.sub || String(monitor.id);
  const pages = usePictures(id, view, order, version);
  return (
    <div class="stack">
      <MonitorToolbar m={monitor} view={view} shown={pages.first} first={monitor.start} />
      <div class="posts-tools">
        <ClassFilter id={id} view={view} />
        <SelectField label={text.sortBy} value={order} options={orders} onChange={setOrder} />
      </div>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.reload} undo={view.filterText ? { name: common.actions.clearFilters, act: () => view.setFilter({}) } : undefined} />}
      {pages.first ? pages.first.total > 0 ? <PictureGrid id={String(monitor.id)} view={view} zone={monitor.timezone} pages={pages} /> : <NoPictures view={view} page={pages.first} /> : !pages.error && <Skeleton height="24rem" label={text.loading} />}
    </div>
  );
}

// NoPictures explains why there are no pictures, and what to do.
function NoPictures({ view, page }: { view: View; page: PicturePage }) {
  const { user } = useSession().session;
  if (!page.fetched) {
    return (
      <EmptyState title={text.off}>
        {text.offText} <code>images.fetch</code>
        {text.offEnd} {hasPermission(user, "admin") && text.offAdmin}
      </EmptyState>
    );
  }
  const filtered = view.filterText !== "";
  return (
    <EmptyState
      title={text.none}
      actions={
        filtered && (
          <button type="button" class="button" onClick={() => view.setFilter({})}>
            {common.actions.clearFilters}
          </button>
        )
      }
    >
      {page.posts > 0 ? text.waiting(page.posts) : filtered ? text.noneMatch : text.noneFound}
    </EmptyState>
  );
}
