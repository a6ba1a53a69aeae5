import { useRef, useState } from "preact/hooks";
import { get, patch, post } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { useUser } from "../../lib/session";
import type { Channel, ChannelKind, ChannelKindInfo, NewChannel, Page } from "../../lib/types";
import { ErrorNotice, Field, SelectField, Skeleton, TextField } from "../../components/basics";
import { Dialog } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { SigningKey } from "./key";
import { ChannelIcon } from "./state";
import { TemplateField } from "./template";
import { TestOutcome, useTest } from "./test";
import { channels as text } from "../../strings/channels";
import { common } from "../../strings/common";

const usualPerHour = 60;
const maxPerHour = 500;

const kinds: ChannelKind[] = ["email", "slack", "teams", "discord", "ntfy", "webhook"];

interface Props {
  channel?: Channel; // the channel to edit; none: a new one
  team: number;
  onClose: () => void;
  onSaved: () => void;
}

// ChannelDialog edits a channel, or adds one: first its kind, then its settings, then a test.
export function ChannelDialog({ channel, team, onClose, onSaved }: Props) {
  const [kind, setKind] = useState<ChannelKind | undefined>(channel?.kind);
  const [added, setAdded] = useState<NewChannel>();
  const stays = useRef(false); // the form closes, but another step follows
  if (added) return <AddedChannel channel={added} onClose={onClose} onTested={onSaved} />;
  if (!kind) return <KindDialog onClose={onClose} onChoose={setKind} />;
  return (
    <ChannelForm
      kind={kind}
      channel={channel}
      team={team}
      onClose={() => stays.current || onClose()}
      onOther={() => setKind(undefined)}
      onSaved={(c) => {
        onSaved();
        if (channel) return;
        stays.current = true;
        setAdded(c);
      }}
    />
  );
}

// KindDialog chooses the kind of a new channel. It says why the server does not have one.
function KindDialog({ onClose, onChoose }: { onClose: () => void; onChoose: (kind: ChannelKind) => void }) {
  const { data, error, reload } = useLoad("channel kinds", () => get<Page<ChannelKindInfo>>("/manage/v1/channel-kinds"));
  const { admin } = useUser();
  const unavailable = (kind: ChannelKind) => {
    const reason = data?.items.find((k) => k.name === kind)?.unavailable;
    return reason && (admin ? reason : text.notSetUp(text.kinds[kind]));
  };
  return (
    <Dialog title={text.addTitle} onClose={onClose}>
      <div class="stack">
        <p class="muted">{text.choose}</p>
        {error && <ErrorNotice error={error} retry={reload} />}
        {!data && !error && <Skeleton height="15rem" />}
        {data && (
          <div class="channel-kinds" role="group" aria-label={text.choose}>
            {kinds.map((kind) => (
              <button key={kind} type="button" class="channel-kind" disabled={Boolean(unavailable(kind))} onClick={() => onChoose(kind)}>
                <ChannelIcon kind={kind} />
                <span>
                  <strong>{text.kinds[kind]}</strong>
                  <span class="small muted">{unavailable(kind) || text.kindHints[kind]}</span>
                </span>
              </button>
            ))}
          </div>
        )}
      </div>
    </Dialog>
  );
}

// A Draft has the values of the form.
interface Draft {
  team: number;
  name: string;
  url: string; // empty: the stored one
  token: string; // of ntfy; empty: the stored one
  username: string; // of HTTP basic authentication
  password: string; // empty: the stored one
  recipients: string; // one per line
  template: string;
  perHour: string; // empty: the default
}

const draftOf = (c: Channel | undefined, team: number): Draft => ({
  team,
  name: c?.name ?? "",
  url: "",
  token: "",
  username: c?.username ?? "",
  password: "",
  recipients: c?.recipients.join("\n") ?? "",
  template: c?.template ?? "",
  perHour: c ? String(c.perHour) : "",
});

const addressesOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

interface FormProps {
  kind: ChannelKind;
  channel?: Channel;
  team: number;
  onClose: () => void;
  onOther: () => void;
  onSaved: (c: NewChannel) => void;
}

// ChannelForm has the settings that a kind of channels needs.
function ChannelForm({ kind, channel: current, team, onClose, onOther, onSaved }: FormProps) {
  const { teams } = useUser();
  const [channel] = useState(current); // the list below is updated, but the form shows what it was opened with
  const [draft, setDraft] = useState(() => draftOf(channel, team));
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const mail = kind === "email";
  const basic = kind === "webhook" || kind === "ntfy";
  const save = async () => {
    const settings = {
      name: draft.name.trim(),
      perHour: Number(draft.perHour) || 0,
      ...(kind === "webhook" ? {} : { template: draft.template }),
      ...(mail ? { recipients: addressesOf(draft.recipients) } : {}),
      ...(draft.url.trim() ? { url: draft.url.trim() } : {}),
      ...(draft.token ? { token: draft.token } : {}),
      ...(basic && draft.username.trim() !== (channel?.username ?? "") ? { username: draft.username.trim() } : {}),
      ...(draft.password || (channel?.username && !draft.username.trim()) ? { password: draft.password } : {}),
    };
    const saved = channel ? await patch<NewChannel>(`/manage/v1/channels/${channel.id}`, { ...settings, revision: channel.revision }) : await post<NewChannel>("/manage/v1/channels", { ...settings, kind, team: draft.team });
    onSaved(saved);
  };
  const ready = draft.name.trim() !== "" && (mail ? addressesOf(draft.recipients).length > 0 : channel !== undefined || draft.url.trim() !== "");
  return (
    <FormDialog title={channel ? text.editTitle(channel.name) : text.addKind(text.kinds[kind])} action={channel ? common.actions.save : common.actions.add} ready={ready} onSubmit={save} onClose={onClose}>
      <div class="row nowrap-row top">
        <ChannelIcon kind={kind} />
        <div class="grow">
          <p class="muted">{text.howTo[kind]}</p>
          {!channel && (
            <button type="button" class="linklike small" onClick={onOther}>
              {text.otherKind}
            </button>
          )}
        </div>
      </div>
      <TextField label={text.name} value={draft.name} onInput={(name) => set({ name })} placeholder={text.nameExample[kind]} hint={text.nameHint} required />
      {!channel && teams.length > 1 && <SelectField label={common.words.team} value={String(draft.team)} onChange={(id) => set({ team: Number(id) })} options={teams.map((t) => ({ value: String(t.id), name: t.name }))} />}
      {mail && (
        <Field label={text.recipients} hint={text.recipientsHint}>
          {(id, described) => <textarea id={id} rows={3} value={draft.recipients} aria-describedby={described} onInput={(e) => set({ recipients: e.currentTarget.value })} required />}
        </Field>
      )}
      {!mail && <TextField label={channel ? text.newUrl : (text.urlOf[kind] ?? text.url)} type="url" value={draft.url} onInput={(url) => set({ url })} placeholder={text.urlExample[kind]} hint={channel ? text.urlKept(channel.target) : text.urlSecret} autocomplete="off" required={!channel} />}
      {kind === "ntfy" && <TextField label={text.token} type="password" value={draft.token} onInput={(token) => set({ token })} hint={channel?.hasToken && !channel.username ? text.stored : text.tokenHint} autocomplete="off" />}
      <details open={Boolean(draft.template || draft.username)}>
        <summary>{text.more}</summary>
        <div class="stack disclosed">
          {kind !== "webhook" && <TemplateField kind={kind} name={draft.name} value={draft.template} onInput={(template) => set({ template })} />}
          {basic && (
            <div class="field-pair">
              <TextField label={text.username} value={draft.username} onInput={(username) => set({ username })} hint={text.usernameHint} autocomplete="off" />
              <TextField label={text.password} type="password" value={draft.password} onInput={(password) => set({ password })} hint={channel?.username ? text.stored : undefined} autocomplete="new-password" />
            </div>
          )}
          <TextField label={text.perHour} type="number" min={1} max={maxPerHour} value={draft.perHour} onInput={(perHour) => set({ perHour })} placeholder={String(usualPerHour)} hint={text.perHourHint} />
        </div>
      </details>
    </FormDialog>
  );
}

// AddedChannel shows the signing key of a new channel, if it has one, and offers a test.
function AddedChannel({ channel: c, onClose, onTested }: { channel: NewChannel; onClose: () => void; onTested: () => void }) {
  const test = useTest(c.id, onTested);
  return (
    <Dialog
      title={text.addedTitle(c.name)}
      onClose={onClose}
      footer={
        <button type="button" class="button primary" onClick={onClose}>
          {text.done}
        </button>
      }
    >
      <div class="stack">
        {c.secret && <SigningKey value={c.secret} />}
        <div class="row">
          <button type="button" class="button" disabled={test.busy} onClick={test.run}>
            {test.busy ? text.testing : text.sendTest}
          </button>
          <span class="small muted">{text.testHint}</span>
        </div>
        <TestOutcome test={test} />
      </div>
    </Dialog>
  );
}
