import { useState } from "preact/hooks";
import { get, post, remove } from "../../lib/api";
import { dateTime } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { ChannelKindInfo, Invitation, InvitationLink, Page, Permission, Team } from "../../lib/types";
import { Card, Checkbox, Notice, SelectField, TextField } from "../../components/basics";
import { Confirm, Dialog } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { LinkField } from "../../components/linkfield";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";
import { permissions } from "./permissions";

const text = admin.invitations;

// Invite is the dialog that creates an invitation to a team. The link is then shown once.
export function Invite({ teams, onInvited, onClose }: { teams: Team[]; onInvited: (link: InvitationLink) => void; onClose: () => void }) {
  const [team, setTeam] = useState(String(teams[0].id));
  const [email, setEmail] = useState("");
  const [username, setUsername] = useState("");
  const [granted, setGranted] = useState<Permission[]>([]);
  const [days, setDays] = useState("7");
  const [send, setSend] = useState(true);
  const { data: kinds } = useLoad("channel-kinds", () => get<Page<ChannelKindInfo>>("/manage/v1/channel-kinds"));
  const canSend = kinds?.items.some((k) => k.name === "email" && !k.unavailable);
  const create = async () => {
    const body = { team: Number(team), email: email.trim(), username: username.trim(), permissions: granted, days: Number(days) };
    onInvited(await post<InvitationLink>("/manage/v1/invitations", { ...body, send: !!canSend && send && body.email !== "" }));
  };
  return (
    <FormDialog title={text.invite} action={text.create} onSubmit={create} onClose={onClose}>
      <SelectField label={common.words.team} value={team} onChange={setTeam} options={teams.map((t) => ({ value: String(t.id), name: t.name }))} hint={admin.teamsHint} />
      <div class="field-pair">
        <TextField label={text.email} type="email" value={email} onInput={setEmail} hint={kinds && !canSend ? text.noMail : undefined} autocomplete="off" />
        <TextField label={text.username} value={username} onInput={setUsername} hint={text.usernameHint} autocomplete="off" />
      </div>
      {canSend && <Checkbox label={text.send} checked={send && email !== ""} disabled={email === ""} onChange={setSend} />}
      <fieldset class="stack tight">
        <legend class="label">{common.words.permissions}</legend>
        {permissions
          .filter((p) => p.id !== "admin")
          .map((p) => (
            <Checkbox
              key={p.id}
              label={
                <>
                  {p.name} <span class="muted">{p.hint}</span>
                </>
              }
              checked={granted.includes(p.id)}
              onChange={(on) => setGranted(on ? [...granted, p.id] : granted.filter((x) => x !== p.id))}
            />
          ))}
      </fieldset>
      <SelectField label={text.expires} value={days} onChange={setDays} options={Object.entries(text.expiry).map(([value, name]) => ({ value, name }))} />
    </FormDialog>
  );
}

// NewInvitation shows the link of an invitation that was just created.
export function NewInvitation({ invitation, onClose }: { invitation: InvitationLink; onClose: () => void }) {
  return (
    <Dialog
      title={text.created}
      onClose={onClose}
      footer={
        <button type="button" class="button" onClick={onClose}>
          {common.actions.close}
        </button>
      }
    >
      <div class="stack">
        {invitation.sent && <Notice kind="good">{text.sent(invitation.email)}</Notice>}
        {invitation.mailError && <Notice kind="warn">{text.notSent(invitation.mailError)}</Notice>}
        <p class="muted">{text.createdText(dateTime(invitation.expires))}</p>
        <LinkField url={new URL(invitation.path, window.location.href).href} />
      </div>
    </Dialog>
  );
}

// Invitations lists the invitations that no one has accepted yet.
export function Invitations({ invitations, teams, onChanged }: { invitations: Invitation[]; teams: Team[]; onChanged: () => void }) {
  const [revoking, setRevoking] = useState<Invitation>();
  if (invitations.length === 0) return null;
  const revoke = async () => {
    await remove(`/manage/v1/invitations/${revoking!.id}`);
    toast(text.revoked);
    onChanged();
  };
  return (
    <Card title={text.title} note={text.note}>
      <Rows stacked label={text.list} head={[text.columns.for, common.words.team, text.columns.by, text.columns.expires, <span class="sr">{admin.actions}</span>]}>
        {invitations.map((i) => (
          <tr key={i.id}>
            <td class="break">{nameOf(i)}</td>
            <td class="break">{teams.find((t) => t.id === i.team)?.name ?? i.team}</td>
            <td class="break">{i.createdBy}</td>
            <td>{dateTime(i.expires)}</td>
            <td class="right nowrap">
              <button type="button" class="button quiet small" aria-label={text.revokeItem(nameOf(i))} onClick={() => setRevoking(i)}>
                {text.revoke}
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {revoking && (
        <Confirm title={text.revokeTitle} action={text.revoke} onConfirm={revoke} onClose={() => setRevoking(undefined)}>
          {text.revokeText}
        </Confirm>
      )}
    </Card>
  );
}

const nameOf = (i: Invitation) => i.email || i.username || text.anyone;
