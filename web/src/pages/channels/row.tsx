import { useState } from "preact/hooks";
import { patch, remove } from "../../lib/api";
import { useQuery } from "../../lib/router";
import type { Channel } from "../../lib/types";
import { Confirm } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";
import { showError, toast } from "../../components/toast";
import { ChannelDialog } from "./form";
import { NewKey, RotateKey } from "./key";
import { DeliveryLog } from "./log";
import { ChannelIcon, ChannelState, LastDelivery } from "./state";
import { TestOutcome, useTest } from "./test";
import { channels as text } from "../../strings/channels";
import { common } from "../../strings/common";

// ChannelRow summarizes a channel, with what can be done with it. ?log= in the URL opens its delivery
// log, so that it can be linked to.
export function ChannelRow({ channel: c, team, onChanged }: { channel: Channel; team?: string; onChanged: () => void }) {
  const [query, change] = useQuery();
  const [dialog, setDialog] = useState<"edit" | "rotate" | "remove">();
  const [newKey, setNewKey] = useState("");
  const close = () => setDialog(undefined);
  const test = useTest(c.id, onChanged);
  const toggle = async () => {
    try {
      await patch(`/manage/v1/channels/${c.id}`, { enabled: !c.enabled, revision: c.revision });
      toast((c.enabled ? text.disabledToast : text.enabledToast)(c.name));
      onChanged();
    } catch (err) {
      showError(err);
    }
  };
  const openLog = () => change({ log: String(c.id) }, { replace: true });
  return (
    <article class="card channel-row" aria-label={c.name}>
      <ChannelIcon kind={c.kind} />
      <div class="channel-name">
        <h2 class="break">{c.name}</h2>
        <p class="small muted break">
          {text.kinds[c.kind]} · {c.target}
          {team && ` · ${team}`}
        </p>
      </div>
      <div class="source-state">
        <ChannelState channel={c} />
      </div>
      <div class="channel-last">
        <LastDelivery channel={c} />
      </div>
      <div class="row nowrap-row end">
        <button type="button" class="button small" aria-label={text.testOf(c.name)} disabled={test.busy} onClick={test.run}>
          {test.busy ? text.testing : text.test}
        </button>
        <button type="button" class="button small" aria-label={text.logOf(c.name)} onClick={openLog}>
          {text.log}
        </button>
        <Popover label={text.actions(c.name)} title={text.actions(c.name)} right class="button small" button={<Icon name="more" />}>
          {(closeMenu) => {
            const item = (name: string, act: () => void) => (
              <button
                type="button"
                onClick={() => {
                  closeMenu();
                  act();
                }}
              >
                {name}
              </button>
            );
            return (
              <div class="options nowrap">
                {item(common.actions.edit, () => setDialog("edit"))}
                {item(c.enabled ? text.disable : text.enable, () => void toggle())}
                {c.kind === "webhook" && item(text.rotate, () => setDialog("rotate"))}
                {item(text.remove, () => setDialog("remove"))}
              </div>
            );
          }}
        </Popover>
      </div>
      <TestOutcome test={test} />
      {query.get("log") === String(c.id) && <DeliveryLog channel={c} onClose={() => change({ log: null }, { replace: true })} onChanged={onChanged} />}
      {dialog === "edit" && <ChannelDialog channel={c} team={c.team} onClose={close} onSaved={onChanged} />}
      {dialog === "rotate" && <RotateKey channel={c} onClose={close} onCreated={setNewKey} />}
      {newKey && <NewKey value={newKey} onClose={() => setNewKey("")} />}
      {dialog === "remove" && (
        <Confirm
          title={text.removeTitle(c.name)}
          action={text.removeAction}
          onClose={close}
          onConfirm={async () => {
            await remove(`/manage/v1/channels/${c.id}`);
            toast(text.removed(c.name));
            onChanged();
          }}
        >
          {text.removeText}
        </Confirm>
      )}
    </article>
  );
}
