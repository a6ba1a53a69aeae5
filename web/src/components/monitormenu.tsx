import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link, sameOriginPath } from "../lib/router";
import type { Monitor } from "../lib/types";
import { useView } from "../lib/view";
import { useApiHref } from "./apilink";
import { Confirm } from "./dialog";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { loadViews, SaveViewDialog, ViewsDialog } from "./savedviews";
import { showError, toast } from "./toast";
import { common } from "../strings/common";
import { label } from "../strings/label";
import { views as viewText } from "../strings/marks";
import { rules, signals } from "../strings/signals";

const text = common.monitorMenu;

// MonitorMenu has the actions that are available on every page of a monitor.
export function MonitorMenu({ m, onChanged }: { m: Monitor; onChanged: () => void }) {
  const [opened, setOpened] = useState<"pause" | "save" | "views" | null>(null);
  const settings = `/monitors/${m.id}/edit`;
  const api = useApiHref();
  const view = useView();
  const [feed, setFeed] = useState<typeof import("./feeddialog")>(); // loaded when it is first opened
  return (
    <>
      <Popover label={text.label} title={text.label} right button={<Icon name="more" />}>
        {(close) => (
          <div class="options">
            <MonitorViews m={m} close={close} />
            <button
              type="button"
              onClick={() => {
                close();
                setOpened("save");
              }}
            >
              {viewText.save}
            </button>
            <button
              type="button"
              onClick={() => {
                close();
                setOpened("views");
              }}
            >
              {viewText.manage}
            </button>
            <button
              type="button"
              onClick={() => {
                close();
                setOpened("pause");
              }}
            >
              {m.enabled ? text.pause : text.resume}…
            </button>
            <button
              type="button"
              onClick={() => {
                close();
                import("../pages/dashboards/create").then(({ createFrom }) => createFrom(m, view)).catch(showError);
              }}
            >
              {text.dashboard}
            </button>
            <button
              type="button"
              onClick={() => {
                close();
                import("./feeddialog").then(setFeed, () => showError(new Error(common.errors.pageNotLoaded)));
              }}
            >
              {text.feed}
            </button>
            <Link href={`/monitors/${m.id}/label`} onClick={close}>
              {label.title}
            </Link>
            <Link href={`/signals/rules/new?kind=threshold&monitor=${m.id}`} onClick={close}>
              {rules.new}
            </Link>
            <Link href={`/signals/rules/new?kind=unusual&monitor=${m.id}`} onClick={close}>
              {signals.monitorSettings}
            </Link>
            <Link href={`${settings}#filters`} onClick={close}>
              {text.filters}
            </Link>
            <Link href={`${settings}#actions`} onClick={close}>
              {text.actions}
            </Link>
            <Link href={`${settings}#audit`} onClick={close}>
              {text.audit}
            </Link>
            <Link href={api} class="phone-only" onClick={close}>
              {common.monitorLayout.apiCalls}
            </Link>
          </div>
        )}
      </Popover>
      {opened === "pause" && <PauseDialog m={m} onClose={() => setOpened(null)} onChanged={onChanged} />}
      {opened === "save" && <SaveViewDialog onClose={() => setOpened(null)} />}
      {feed && <feed.FeedDialog start={{ team: m.team, monitor: Number(view.sub) || m.id, filter: view.filterText }} onClose={() => setFeed(undefined)} />}
      {opened === "views" && <ViewsDialog monitor={m.id} onClose={() => setOpened(null)} />}
    </>
  );
}

// MonitorViews links to the saved views of a monitor.
function MonitorViews({ m, close }: { m: Monitor; close: () => void }) {
  const { data } = useLoad(`views of monitor ${m.id}`, () => loadViews(m.id));
  if (!data?.length) return null;
  return (
    <div class="menu-group" role="group" aria-label={viewText.title}>
      {data.map((v) => (
        <Link key={v.id} href={sameOriginPath(v.path)} onClick={close}>
          {v.name}
        </Link>
      ))}
    </div>
  );
}

// PauseDialog asks before it pauses a monitor, or resumes a paused one.
export function PauseDialog({ m, onClose, onChanged }: { m: Monitor; onClose: () => void; onChanged: () => void }) {
  return (
    <Confirm
      title={m.enabled ? text.pauseTitle(m.name) : text.resumeTitle(m.name)}
      action={m.enabled ? text.pause : text.resume}
      danger={false}
      onClose={onClose}
      onConfirm={async () => {
        await post(`/manage/v1/monitors/${m.id}/${m.enabled ? "disable" : "enable"}`);
        toast(m.enabled ? text.paused : text.resumed);
        onChanged();
      }}
    >
      {m.enabled ? text.pauseNote : text.resumeNote}
    </Confirm>
  );
}
