import { useEffect, useId, useState } from "preact/hooks";
import { dateTime } from "../lib/format";
import type { Marking } from "../lib/marks";
import { membersOf, tagsOf, teamOf, type MarkedIn } from "../lib/members";
import { useUser } from "../lib/session";
import { keysAreOn } from "../lib/shortcuts";
import type { Member, Note, Tag } from "../lib/types";
import { Icon } from "./icon";
import { Pickable, type PickHandler } from "./pickable";
import { Popover } from "./popover";
import { TagDialog } from "./tagdialog";
import { showError } from "./toast";
import { common } from "../strings/common";
import { marks as text } from "../strings/marks";

interface Props {
  where: MarkedIn;
  marking: Marking;
  onPick?: PickHandler;
}

// PostMarks shows what the team keeps about a post, with the controls that change it.
export function PostMarks({ where, marking, onPick }: Props) {
  const { mark } = marking;
  const star = mark.starred ? text.unstar : text.star;
  return (
    <div class={`row post-marks ${mark.starred || mark.tags.length || mark.assignee ? "" : "bare"}`} role="group" aria-label={text.label}>
      <button type="button" class={`button quiet small star ${mark.starred ? "on" : ""}`} aria-label={star} title={star} aria-pressed={mark.starred} data-mark="star" onClick={() => marking.star().catch(showError)}>
        <Icon name="star" />
      </button>
      <span data-mark="tag">
        <Popover class="button quiet small" label={text.tag} title={text.tag} button={<Icon name="tag" />}>
          {() => <TagForm where={where} marking={marking} />}
        </Popover>
      </span>
      <span data-mark="assign">
        <Popover class="button quiet small" label={text.assign} title={text.assign} button={<Icon name="person" />}>
          {(close) => <AssignForm where={where} marking={marking} close={close} />}
        </Popover>
      </span>
      <span data-mark="note">
        <Popover class="button quiet small" label={text.note} title={text.note} button={<Icon name="memo" />}>
          {(close) => <NoteForm action={text.saveNote} onSave={marking.addNote} close={close} />}
        </Popover>
      </span>
      {mark.tags.map((tag) => (
        <Pickable key={tag} class="badge accent" onPick={onPick} field="tag" value={tag} title={text.tag}>
          {tag}
        </Pickable>
      ))}
      {mark.assignee && (
        <Pickable class="badge" onPick={onPick} field="assigned" value={mark.assignee.username} title={text.assignee}>
          {text.assignedTo(mark.assignee.name)}
        </Pickable>
      )}
    </div>
  );
}

// markKeys has the controls that keys use while a post has the focus.
const markKeys: Record<string, string> = { s: "star", t: "tag", a: "assign", n: "note" };

// onMarkKey is the handler of keys in a post: S, T, A and N.
export function onMarkKey(e: KeyboardEvent) {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || !keysAreOn() || target.closest("input, textarea, select, .popover")) return;
  const name = markKeys[e.key.toLowerCase()];
  const found = name && (e.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-mark="${name}"]`);
  if (!found) return;
  e.preventDefault();
  (found.matches("button") ? found : found.querySelector("button"))?.click();
}

// TagForm adds and removes tags of a post. It offers those of the team.
export function TagForm({ where, marking }: Omit<Props, "onPick">) {
  const id = useId();
  const [value, setValue] = useState("");
  const [known, setKnown] = useState<Tag[]>([]);
  const [team, setTeam] = useState<number>();
  const [managing, setManaging] = useState(false);
  useEffect(() => {
    (async () => {
      const team = await teamOf(where);
      setTeam(team);
      setKnown(await tagsOf(team));
    })().catch(showError);
  }, [where.id, marking.mark]);
  const add = (tag: string) => {
    setValue("");
    marking.addTag(tag).catch(showError);
  };
  const offered = known.filter((t) => !marking.mark.tags.includes(t.name)).slice(0, 8);
  return (
    <div class="stack tight mark-form">
      <form
        class="row nowrap-row"
        onSubmit={(e) => {
          e.preventDefault();
          if (value.trim()) add(value.trim());
        }}
      >
        <input aria-label={text.newTag} placeholder={text.newTag} value={value} maxLength={50} list={id} autocomplete="off" onInput={(e) => setValue(e.currentTarget.value)} />
        <datalist id={id}>
          {known.map((t) => (
            <option key={t.name} value={t.name} />
          ))}
        </datalist>
        <button type="submit" class="button primary" disabled={!value.trim()}>
          {common.actions.add}
        </button>
      </form>
      {marking.mark.tags.length > 0 && (
        <div class="row" role="group" aria-label={text.tags}>
          {marking.mark.tags.map((tag) => (
            <span key={tag} class="chip">
              <span class="clip">{tag}</span>
              <button type="button" aria-label={text.removeTag(tag)} onClick={() => marking.removeTag(tag).catch(showError)}>
                ×
              </button>
            </span>
          ))}
        </div>
      )}
      {offered.length > 0 && (
        <div class="row">
          {offered.map((t) => (
            <button key={t.name} type="button" class="pickable badge" onClick={() => add(t.name)}>
              + {t.name}
            </button>
          ))}
        </div>
      )}
      <button type="button" class="linklike small" onClick={() => setManaging(true)}>
        {text.manageTags}
      </button>
      {managing && team !== undefined && <TagDialog team={team} onClose={() => setManaging(false)} />}
    </div>
  );
}

// AssignForm assigns a post to a member of the team.
export function AssignForm({ where, marking, close }: Omit<Props, "onPick"> & { close: () => void }) {
  const user = useUser();
  const [members, setMembers] = useState<Member[]>();
  useEffect(() => {
    (async () => setMembers(await membersOf(await teamOf(where))))().catch(showError);
  }, [where.id]);
  const assign = (member: Member | null) => {
    close();
    marking.assign(member).catch(showError);
  };
  if (!members) return <p class="muted small">{common.loading}</p>;
  const current = marking.mark.assignee?.id;
  const mine = (m: Member) => m.username === user.username;
  return (
    <div class="options" role="group" aria-label={text.members}>
      {[...members.filter(mine), ...members.filter((m) => !mine(m))].map((m) => (
        <button key={m.id} type="button" aria-pressed={m.id === current} onClick={() => assign(m)}>
          <span>{mine(m) ? text.me(m.name) : m.name}</span>
          {m.id === current && <Icon name="check" />}
        </button>
      ))}
      {current !== undefined && (
        <button type="button" onClick={() => assign(null)}>
          {text.nobody}
        </button>
      )}
    </div>
  );
}

// NoteForm writes a note, or changes one.
function NoteForm({ before = "", action, onSave, close }: { before?: string; action: string; onSave: (text: string) => Promise<void>; close: () => void }) {
  const [value, setValue] = useState(before);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (!value.trim()) return;
    setBusy(true);
    try {
      await onSave(value.trim());
      close();
    } catch (err) {
      showError(err);
      setBusy(false);
    }
  };
  return (
    <form
      class="stack tight mark-form"
      onSubmit={(e) => {
        e.preventDefault();
        submit();
      }}
      onKeyDown={(e) => e.key === "Enter" && (e.ctrlKey || e.metaKey) && submit()}
    >
      <textarea aria-label={text.newNote} placeholder={text.newNote} rows={3} maxLength={1000} value={value} ref={(field) => field?.focus()} onInput={(e) => setValue(e.currentTarget.value)} />
      <button type="submit" class="button primary" disabled={busy || !value.trim()}>
        {busy ? common.pleaseWait : action}
      </button>
    </form>
  );
}

// PostNotes lists the notes on a post. People can change their own.
export function PostNotes({ marking, zone }: { marking: Marking; zone?: string }) {
  const user = useUser();
  const [editing, setEditing] = useState(0);
  const { notes } = marking.mark;
  if (notes.length === 0) return null;
  const mine = (n: Note) => n.by === user.username || user.admin;
  return (
    <ul class="post-notes" aria-label={text.notes}>
      {notes.map((n) => (
        <li key={n.id}>
          <div class="row small muted">
            <strong>{n.by}</strong>
            <time dateTime={n.time}>{dateTime(n.time, zone)}</time>
            {n.edited && <span>{text.edited}</span>}
            {mine(n) && editing !== n.id && (
              <span class="row nowrap-row">
                <button type="button" class="button quiet tiny" aria-label={text.editNote} title={text.editNote} onClick={() => setEditing(n.id)}>
                  <Icon name="edit" />
                </button>
                <button type="button" class="button quiet tiny" aria-label={text.deleteNote} title={text.deleteNote} onClick={() => marking.removeNote(n.id).catch(showError)}>
                  <Icon name="trash" />
                </button>
              </span>
            )}
          </div>
          {editing === n.id ? <NoteForm before={n.text} action={common.actions.save} onSave={(t) => marking.editNote(n.id, t)} close={() => setEditing(0)} /> : <p>{n.text}</p>}
        </li>
      ))}
    </ul>
  );
}
