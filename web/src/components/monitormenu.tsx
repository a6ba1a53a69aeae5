import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { Link } from "../lib/router";
import type { Monitor } from "../lib/types";
import { useApiHref } from "./apilink";
import { Confirm } from "./dialog";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { toast } from "./toast";
import { common } from "../strings/common";

const text = common.monitorMenu;

// MonitorMenu has the actions that are available on every page of a monitor.
export function MonitorMenu({ m, onChanged }: { m: Monitor; onChanged: () => void }) {
  const [pausing, setPausing] = useState(false);
  const settings = `/monitors/${m.id}/edit`;
  const api = useApiHref();
  return (
    <>
      <Popover label={text.label} title={text.label} right button={<Icon name="more" />}>
        {(close) => (
          <div class="options">
            <button
              type="button"
              onClick={() => {
                close();
                setPausing(true);
              }}
            >
              {m.enabled ? text.pause : text.resume}…
            </button>
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
      {pausing && <PauseDialog m={m} onClose={() => setPausing(false)} onChanged={onChanged} />}
    </>
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
