import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { get, listAll, patch, remove } from "../lib/api";
import { dateTime, day, timeAgo } from "../lib/format";
import { useLoad } from "../lib/load";
import type { Page, ShareLink, ShareLinkUse } from "../lib/types";
import { ErrorNotice, SelectField, Skeleton, TextField } from "./basics";
import { Confirm, Dialog } from "./dialog";
import { FormDialog } from "./form";
import { ExpiryField, expiryTime, type Expiry } from "./shareexpiry";
import { Rows } from "./table";
import { toast } from "./toast";
import { common } from "../strings/common";
import { share } from "../strings/share";

interface Props {
  query: { dashboard?: number; monitor?: number }; // which links to list; empty: all of them
  empty: ComponentChildren; // shown if there are none
  brief?: boolean; // without what all of the links have in common
}

type Opened = { link: ShareLink; dialog: "uses" | "edit" | "revoke" };

const tones = { active: "good", expired: "warn", revoked: "bad", removed: "bad" };

// ShareLinks lists share links, the newest first, with what can be done with them.
export function ShareLinks({ query, empty, brief }: Props) {
  const { data, error, reload } = useLoad(`shares ${query.dashboard} ${query.monitor}`, async () => (await listAll<ShareLink>("/manage/v1/shares", query)).reverse());
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="6rem" />;
  if (data.length === 0) return <>{empty}</>;
  const { columns } = share;
  const head = [columns.link, ...(brief ? [] : [columns.shows]), columns.state, columns.opened, columns.expires, ...(brief ? [] : [columns.created]), <span class="sr">{columns.actions}</span>];
  return (
    <>
      <Rows head={head} label={share.page} stacked>
        {data.map((link) => (
          <tr key={link.id}>
            <td class="break">
              <strong>{link.name}</strong>
            </td>
            {!brief && (
              <td class="break">
                {link.dashboard ? share.shows.dashboard : share.shows.monitor} <span class={link.target ? "" : "muted"}>{link.target || share.removed}</span>
              </td>
            )}
            <td>
              <span class="row">
                <span class={`badge ${tones[link.state]}`}>{share.states[link.state]}</span>
                {link.password && <span class="badge">{share.protected}</span>}
              </span>
            </td>
            <td>
              {share.opened(link.views)}
              {link.lastUsed && <span class="muted small"> · {timeAgo(link.lastUsed)}</span>}
            </td>
            <td>{link.expires ? dateTime(link.expires) : share.never}</td>
            {!brief && <td>{share.by(link.createdBy, day(link.created.slice(0, 10)))}</td>}
            <td class="right">
              <span class="row nowrap-row end">
                <button type="button" class="button small" aria-label={share.usesOf(link.name)} onClick={() => setOpened({ link, dialog: "uses" })}>
                  {share.uses}
                </button>
                {!link.revoked && (
                  <>
                    <button type="button" class="button small" aria-label={share.editLink(link.name)} onClick={() => setOpened({ link, dialog: "edit" })}>
                      {share.edit}
                    </button>
                    <button type="button" class="button small danger" aria-label={share.revokeLink(link.name)} onClick={() => setOpened({ link, dialog: "revoke" })}>
                      {share.revoke}
                    </button>
                  </>
                )}
              </span>
            </td>
          </tr>
        ))}
      </Rows>
      {opened?.dialog === "uses" && <Uses link={opened.link} onClose={close} />}
      {opened?.dialog === "edit" && <EditLink link={opened.link} onClose={close} onSaved={reload} />}
      {opened?.dialog === "revoke" && (
        <Confirm
          title={share.revokeTitle(opened.link.name)}
          action={share.revoke}
          onClose={close}
          onConfirm={async () => {
            await remove(`/manage/v1/shares/${opened.link.id}`);
            toast(share.revoked);
            reload();
          }}
        >
          {share.revokeText}
        </Confirm>
      )}
    </>
  );
}

// EditLink changes the title, the expiry and the password of a link.
function EditLink({ link, onClose, onSaved }: { link: ShareLink; onClose: () => void; onSaved: () => void }) {
  const [name, setName] = useState(link.name);
  const [expiry, setExpiry] = useState<Expiry>({ kind: "keep", date: "" });
  const [action, setAction] = useState("keep");
  const [password, setPassword] = useState("");
  const save = async () => {
    const changes: Record<string, string> = { name };
    if (expiry.kind !== "keep") changes.expires = expiryTime(expiry);
    if (action !== "keep") changes.password = action === "set" ? password : "";
    await patch(`/manage/v1/shares/${link.id}`, changes);
    toast(common.saved);
    onSaved();
  };
  const actions = link.password ? share.passwordAction : share.noProtection;
  return (
    <FormDialog title={share.editLink(link.name)} action={common.actions.save} ready={name.trim() !== "" && (action !== "set" || password !== "")} onSubmit={save} onClose={onClose}>
      <TextField label={share.name} value={name} onInput={setName} required />
      <ExpiryField value={expiry} onChange={setExpiry} keep={link.expires ? dateTime(link.expires) : share.never} />
      <SelectField label={share.protection} value={action} onChange={setAction} options={Object.entries(actions).map(([value, name]) => ({ value, name }))} />
      {action === "set" && <TextField label={share.newPassword} value={password} onInput={setPassword} hint={share.passwordHint} autocomplete="off" required />}
    </FormDialog>
  );
}

// Uses lists when visitors used a link, and from where.
function Uses({ link, onClose }: { link: ShareLink; onClose: () => void }) {
  const { data, error, reload } = useLoad(`uses ${link.id}`, () => get<Page<ShareLinkUse>>(`/manage/v1/shares/${link.id}/uses`));
  return (
    <Dialog title={share.usesOf(link.name)} onClose={onClose}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="6rem" />}
      {data && data.items.length === 0 && <p class="muted">{share.noUses}</p>}
      {data && data.items.length > 0 && (
        <div class="stack tight">
          <p class="muted small">
            {share.usesNote(link.views)} {share.networkHint}
          </p>
          <Rows head={[share.useColumns.time, share.useColumns.network, share.useColumns.result]} label={share.usesOf(link.name)}>
            {data.items.map((use, i) => (
              <tr key={i}>
                <td>{dateTime(use.time)}</td>
                <td>{use.network || common.unknown}</td>
                <td>{share.results[use.refused] ?? use.refused}</td>
              </tr>
            ))}
          </Rows>
        </div>
      )}
    </Dialog>
  );
}
