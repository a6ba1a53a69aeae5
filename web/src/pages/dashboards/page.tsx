import { useEffect, useRef, useState } from "preact/hooks";
import { remove } from "../../lib/api";
import { clock, dateRange } from "../../lib/format";
import { useInterval } from "../../lib/load";
import { navigate, useQuery } from "../../lib/router";
import type { ShownCard } from "../../lib/types";
import { useView } from "../../lib/view";
import { EmptyState, ErrorNotice, PageHeader, Skeleton } from "../../components/basics";
import { DateRange } from "../../components/daterange";
import { ExportMenu } from "../../components/exportmenu";
import { Confirm } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";
import { ShareButton } from "../../components/sharebutton";
import { toast } from "../../components/toast";
import { duplicate } from "./create";
import { useCards, useDashboard, type Draft } from "./data";
import { CardEditor } from "./editor";
import { CardGrid } from "./grid";
import { common } from "../../strings/common";
import { dashboards } from "../../strings/dashboards";

const text = dashboards.page;

const maxCards = 40;
const wallReload = 60_000; // milliseconds
const wallTurn = 20_000;

// DashboardPage shows a dashboard: to look at, to edit (?edit=1), or on a wall (?wall=1).
export function DashboardPage({ id }: { id: string }) {
  const editing = useDashboard(id);
  const { saved, draft } = editing;
  const [query, change] = useQuery();
  const wall = query.get("wall") === "1";
  const edit = query.get("edit") === "1" && !wall;
  const days = useDays(saved?.range);
  const cards = useCards(saved, days.params);
  const [form, setForm] = useState<ShownCard | "new" | null>(null);
  const [deleting, setDeleting] = useState(false);
  const reloadWall = () => {
    editing.reload(); // someone may have edited the dashboard
    cards.reload();
  };
  useInterval(wall ? wallReload : 0, reloadWall);
  useInterval(wall ? wallTurn : 0, turnPage);
  useWall(wall, reloadWall, () => change({ wall: null }, { replace: true }));
  useEffect(() => {
    if (saved) document.title = common.documentTitle(saved.name);
  }, [saved?.name]);

  if (editing.error && !saved) {
    return (
      <>
        <PageHeader title={common.pages.dashboards} />
        <ErrorNotice error={editing.error} retry={editing.reload} />
      </>
    );
  }
  if (!saved || !draft) return <Skeleton height="30rem" />;
  const addCard = (
    <button type="button" class="button primary" disabled={draft.cards.length >= maxCards} title={draft.cards.length >= maxCards ? text.full(maxCards) : undefined} onClick={() => setForm("new")}>
      <Icon name="plus" />
      {draft.cards.length ? text.add : text.addFirst}
    </button>
  );
  // In edit mode, a rolling range becomes that of the dashboard. Other dates apply to this visit only.
  const view = edit ? { ...days.view, setRolling: (range: Draft["range"]) => (change({ range: null, start: null, end: null }), editing.change({ range })) } : days.view;
  const put = (card: ShownCard) => {
    const cards = form === "new" ? [...draft.cards, card] : draft.cards.map((c) => (c === form || (c.id && c.id === card.id) ? card : c)); // saving may have replaced it
    editing.change({ cards });
  };
  return (
    <>
      {wall ? (
        <WallHeader name={draft.name} range={days.name} state={cards} onLeave={() => leaveWall(() => change({ wall: null }, { replace: true }))} />
      ) : (
        <>
          <PageHeader title={draft.name} badge={edit && <SaveState saving={editing.saving} failed={editing.failed} />}>
            {edit ? (
              <>
                {addCard}
                <button type="button" class="button" onClick={() => change({ edit: null })}>
                  <Icon name="check" />
                  {text.done}
                </button>
              </>
            ) : (
              <button type="button" class="button" onClick={() => change({ edit: "1" })}>
                <Icon name="edit" />
                {text.edit}
              </button>
            )}
            {!edit && <ShareButton target={{ name: saved.name, dashboard: saved.id }} />}
            <button
              type="button"
              class="button"
              onClick={() => {
                change({ wall: "1", edit: null });
                document.documentElement.requestFullscreen?.().catch(() => {}); // the page fills the window anyway
              }}
            >
              <Icon name="expand" />
              {text.wall}
            </button>
            {draft.cards.length > 0 && <ExportMenu report={`/manage/v1/dashboards/${saved.id}/report`} params={days.params} scheduled={{ team: saved.team, dashboard: saved.id }} />}
            <Popover label={text.menu} title={text.menu} right button={<Icon name="more" />}>
              {(close) => (
                <div class="options">
                  <button
                    type="button"
                    onClick={() => {
                      close();
                      void duplicate(saved);
                    }}
                  >
                    {dashboards.duplicate}
                  </button>
                  <button
                    type="button"
                    onClick={() => {
                      close();
                      setDeleting(true);
                    }}
                  >
                    {common.actions.delete}…
                  </button>
                </div>
              )}
            </Popover>
          </PageHeader>
          <div class="toolbar">
            <div class="row">
              <DateRange view={view} zone={cards.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone} />
              {edit && <NameField key={saved.id} name={draft.name} onChange={(name) => editing.change({ name })} />}
            </div>
          </div>
          {editing.failed && (
            <div class="spaced">
              <ErrorNotice error={new Error(text.failed(editing.failed.message))} retry={editing.save} undo={{ name: text.reload, act: editing.reload }} />
            </div>
          )}
        </>
      )}
      {draft.cards.length === 0 ? (
        <EmptyState title={text.none} actions={addCard}>
          {text.noneHint}
        </EmptyState>
      ) : (
        <CardGrid cards={draft.cards} state={cards} days={days.params} editing={edit} wall={wall} onChange={(cards) => editing.change({ cards })} onEdit={setForm} />
      )}
      {form && <CardEditor card={form === "new" ? undefined : form} team={saved.team} onSave={put} onClose={() => setForm(null)} />}
      {deleting && (
        <Confirm
          title={common.confirmDelete(saved.name)}
          action={dashboards.deleteAction}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await remove(`/manage/v1/dashboards/${saved.id}`);
            toast(common.deleted(saved.name));
            navigate("/dashboards");
          }}
        >
          {dashboards.deleteText}
        </Confirm>
      )}
    </>
  );
}

// useDays returns the dates of the page: those in the URL, or the range of the dashboard.
function useDays(range: ReturnType<typeof useView>["range"] | undefined) {
  const view = useView();
  const own = Boolean(view.range || view.start);
  const days = own ? { range: view.range, start: view.start, end: view.end } : { range: range ?? ("last30" as const), start: "", end: "" };
  return { view: { ...view, ...days }, params: days, name: days.range ? common.dateRange.rolling[days.range] : dateRange(days.start, days.end) };
}

// SaveState says whether all changes are saved.
function SaveState({ saving, failed }: { saving: boolean; failed?: Error }) {
  if (failed) return null;
  return (
    <span class="small muted" role="status">
      {saving ? text.saving : text.saved}
    </span>
  );
}

// NameField renames the dashboard when the field is left.
function NameField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const [value, setValue] = useState(name);
  const save = () => {
    const trimmed = value.trim();
    if (trimmed && trimmed !== name) onChange(trimmed);
    else setValue(name);
  };
  return (
    <form
      class="grow name-field"
      onSubmit={(e) => {
        e.preventDefault();
        save();
      }}
    >
      <input aria-label={text.name} value={value} maxLength={200} onInput={(e) => setValue(e.currentTarget.value)} onBlur={save} />
    </form>
  );
}

// WallHeader names the dashboard on a wall, and says how old the data is.
function WallHeader({ name, range, state, onLeave }: { name: string; range: string; state: ReturnType<typeof useCards>; onLeave: () => void }) {
  const time = state.updated ? clock(state.updated.toTimeString()) : "";
  return (
    <header class="wall-head spread">
      <div class="row">
        <h1 tabIndex={-1}>{name}</h1>
        <span class="muted">{range}</span>
      </div>
      <div class="row">
        {time && (
          <span class={state.away ? "badge warn" : "muted"} role="status">
            {state.away ? text.away(time) : text.updated(time)}
          </span>
        )}
        <button type="button" class="button quiet" onClick={onLeave}>
          <Icon name="close" />
          {text.leaveWall}
        </button>
      </div>
    </header>
  );
}

// turnPage shows the next screenful of a dashboard that is taller than the wall, and the first one after
// the last.
function turnPage() {
  const last = document.documentElement.scrollHeight - window.innerHeight;
  window.scrollTo({ top: window.scrollY >= last - 1 ? 0 : Math.min(last, window.scrollY + 0.9 * window.innerHeight), behavior: "smooth" });
}

// useWall hides the rest of the app while a dashboard is on a wall. Leaving full screen or pressing
// Escape ends that. When the network is back, it reloads at once.
function useWall(on: boolean, reload: () => void, leave: () => void) {
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!on) return;
    document.documentElement.dataset.wall = "";
    const left = () => !document.fullscreenElement && latest.current();
    const escape = (e: KeyboardEvent) => e.key === "Escape" && leaveWall(latest.current);
    document.addEventListener("fullscreenchange", left);
    document.addEventListener("keydown", escape);
    window.addEventListener("online", reload);
    return () => {
      delete document.documentElement.dataset.wall;
      document.removeEventListener("fullscreenchange", left);
      document.removeEventListener("keydown", escape);
      window.removeEventListener("online", reload);
    };
  }, [on]);
}

// leaveWall leaves full screen, which ends the wall, or ends it at once.
function leaveWall(leave: () => void) {
  if (document.fullscreenElement) void document.exitFullscreen();
  else leave();
}
