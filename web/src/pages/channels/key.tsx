import { post } from "../../lib/api";
import type { Channel, NewChannel } from "../../lib/types";
import { Notice } from "../../components/basics";
import { Curl } from "../../components/curl";
import { Confirm, Dialog } from "../../components/dialog";
import { channels as text } from "../../strings/channels";

// SigningKey shows the signing key of a webhook, so that it can be copied.
export function SigningKey({ value }: { value: string }) {
  return (
    <div class="stack tight">
      <Notice kind="warn">{text.keyOnce}</Notice>
      <Curl text={value} name={text.key} label={text.copyKey} />
      <p class="small muted">{text.keyUse}</p>
    </div>
  );
}

// RotateKey asks before it gives a webhook a new signing key.
export function RotateKey({ channel: c, onClose, onCreated }: { channel: Channel; onClose: () => void; onCreated: (key: string) => void }) {
  return (
    <Confirm title={text.rotateTitle(c.name)} action={text.rotateAction} danger={false} onClose={onClose} onConfirm={async () => onCreated((await post<NewChannel>(`/manage/v1/channels/${c.id}/secret`)).secret ?? "")}>
      {text.rotateText}
    </Confirm>
  );
}

// NewKey shows the new signing key of a webhook.
export function NewKey({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Dialog
      title={text.rotated}
      onClose={onClose}
      footer={
        <button type="button" class="button primary" onClick={onClose}>
          {text.done}
        </button>
      }
    >
      <SigningKey value={value} />
    </Dialog>
  );
}
