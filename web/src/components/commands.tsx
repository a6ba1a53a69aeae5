import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { listAll } from "../lib/api";
import { useLoad } from "../lib/load";
import { navigate, sameOriginPath } from "../lib/router";
import { isMac, keyedLinks, keysAreOn, pageCommands, turnKeys, type Panel } from "../lib/shortcuts";
import { chooseTheme, isDark } from "../lib/theme";
import type { Monitor } from "../lib/types";
import { Checkbox } from "./basics";
import { Dialog } from "./dialog";
import { loadViews, SaveViewDialog } from "./savedviews";
import { commands } from "../strings/commands";
import { marks, views as viewText } from "../strings/marks";
import { posts } from "../strings/posts";

interface Props {
  panel: Panel;
  onOpen: (panel: Panel | null) => void;
  signOut: () => void;
}

// Commands is the command palette, or a dialog that one of its commands opens.
export function Commands({ panel, onOpen, signOut }: Props) {
  const close = () => onOpen(null);
  switch (panel) {
    case "palette":
      return <Palette onClose={close} onOpen={onOpen} signOut={signOut} />;
    case "keys":
      return <KeyHelp onClose={close} />;
    case "saveView":
      return <SaveViewDialog onClose={close} />;
  }
}

interface Command {
  id: string;
  name: string;
  kind: keyof typeof commands.kinds;
  run: () => void;
}

const shownCommands = 50;
const fold = (s: string) => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// rank returns the commands that contain every word of a text, those that begin with it first.
function rank(list: Command[], text: string): Command[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const found = list.filter((c) => words.every((w) => fold(c.name).includes(w)));
  const first = (c: Command) => (words.length > 0 && fold(c.name).startsWith(words[0]) ? 0 : 1);
  return found.sort((a, b) => first(a) - first(b)).slice(0, shownCommands);
}

// Palette finds pages, monitors and actions by name, and opens or runs them.
function Palette({ onClose, onOpen, signOut }: { onClose: () => void; onOpen: (panel: Panel) => void; signOut: () => void }) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const { data: monitors, loading } = useLoad("monitors of the palette", () => listAll<Monitor>("/manage/v1/monitors"));
  const { data: views } = useLoad("views of the palette", () => loadViews());
  const all = useMemo<Command[]>(() => {
    const { actions } = commands;
    return [
      ...keyedLinks().map((l) => ({ id: `page ${l.key}`, name: l.name, kind: "page" as const, run: () => l.element.click() })),
      ...commands.pages.map((p) => ({ id: p.href, name: p.name, kind: "page" as const, run: () => navigate(p.href) })),
      ...(monitors ?? []).map((m) => ({ id: `monitor ${m.id}`, name: m.name, kind: "monitor" as const, run: () => navigate(`/monitors/${m.id}`) })),
      ...(views ?? []).map((v) => ({ id: `view ${v.id}`, name: v.name, kind: "view" as const, run: () => navigate(sameOriginPath(v.path)) })),
      ...pageCommands().map((c) => ({ ...c, kind: "action" as const })),
      { id: "saveView", name: viewText.saveThis, kind: "action", run: () => onOpen("saveView") },
      ...commands.forms.map((f) => ({ id: f.href, name: f.name, kind: "action" as const, run: () => navigate(f.href) })),
      { id: "new", name: actions.newMonitor, kind: "action", run: () => navigate("/monitors/new") },
      { id: "theme", name: isDark() ? actions.lightTheme : actions.darkTheme, kind: "action", run: () => chooseTheme(isDark() ? "light" : "dark") },
      { id: "print", name: actions.print, kind: "action", run: () => window.print() },
      { id: "keys", name: actions.keys, kind: "action", run: () => onOpen("keys") },
      { id: "out", name: actions.signOut, kind: "action", run: signOut },
    ];
  }, [monitors, views]);
  const shown = useMemo(() => rank(all, text), [all, text]);
  const at = Math.min(active, shown.length - 1);
  const run = (c: Command | undefined) => {
    if (!c) return;
    onClose();
    c.run();
  };
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      if (shown.length) setActive((at + (e.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length);
    } else if (e.key === "Enter") run(shown[at]);
    else return;
    e.preventDefault();
  };
  return (
    <Dialog title={commands.title} onClose={onClose}>
      <input
        role="combobox"
        aria-label={commands.placeholder}
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={shown[at] ? `${id}-${at}` : undefined}
        placeholder={commands.placeholder}
        autocomplete="off"
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={`${id}-list`} class="options palette" role="listbox" aria-label={commands.results}>
        {shown.map((c, i) => (
          <li key={c.id} id={`${id}-${i}`} role="option" aria-selected={i === at} onClick={() => run(c)}>
            <span>{c.name}</span>
            <span class="muted small">{commands.kinds[c.kind]}</span>
          </li>
        ))}
      </ul>
      <p class="muted small" role="status">
        {shown.length === 0 ? (loading ? commands.loading : commands.none) : ""}
      </p>
    </Dialog>
  );
}

// KeyHelp lists the keyboard shortcuts of the current page.
function KeyHelp({ onClose }: { onClose: () => void }) {
  const text = commands.keys;
  const [on, setOn] = useState(keysAreOn);
  const links = useMemo(keyedLinks, []);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <div class="stack">
        <KeyList
          title={text.general}
          keys={[
            { keys: isMac ? text.cmdK : text.ctrlK, name: text.palette },
            { keys: ["/"], name: text.search },
            { keys: ["?"], name: text.help },
            { keys: [text.escapeKey], name: text.escape },
          ]}
        />
        <KeyList
          title={marks.keysTitle}
          keys={[
            { keys: ["S"], name: marks.keys.star },
            { keys: ["T"], name: marks.keys.tag },
            { keys: ["A"], name: marks.keys.assign },
            { keys: ["N"], name: marks.keys.note },
          ]}
        />
        <KeyList title={posts.select.keysTitle} keys={posts.select.keys} />
        <KeyList title={text.fields} keys={text.fieldKeys} />
        <KeyList title={text.train} keys={text.trainKeys} />
        <KeyList title={text.label} keys={text.labelKeys} />
        <KeyList title={text.compare} keys={text.compareKeys} />
        <KeyList title={text.goTo} keys={links.map((l) => ({ keys: ["G", text.then, l.key.toUpperCase()], name: l.name }))} />
        <div>
          <Checkbox
            label={text.enabled}
            checked={on}
            onChange={(on) => {
              turnKeys(on);
              setOn(on);
            }}
          />
          <p class="small muted">{text.enabledHint}</p>
        </div>
      </div>
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: { keys: string[]; name: string }[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map((k) => (
          <div key={k.name} class="spread">
            <dt>{k.name}</dt>
            <dd>{k.keys.map((key) => (key === commands.keys.then ? <span class="small muted"> {key} </span> : <kbd key={key}>{key}</kbd>))}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
