import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { get, listAll, urlOf } from "../lib/api";
import { authorPath } from "../lib/author";
import { choices } from "../lib/choices";
import { formatFilter } from "../lib/filter";
import { dateRange, today } from "../lib/format";
import { useDebounced, useLoad } from "../lib/load";
import { parsePhrase, type Phrase } from "../lib/phrase";
import { navigate, sameOriginPath, useLocation } from "../lib/router";
import { isMac, keyedLinks, keysAreOn, pageCommands, turnKeys, type Panel } from "../lib/shortcuts";
import { chooseTheme, isDark } from "../lib/theme";
import type { Monitor, Overview, PlacesResponse, TopicsResponse } from "../lib/types";
import { rollingDays } from "../lib/view";
import { Checkbox } from "./basics";
import { Dialog } from "./dialog";
import { loadViews, SaveViewDialog } from "./savedviews";
import { commands } from "../strings/commands";
import { common } from "../strings/common";
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
  id: string; // unique
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

// Palette finds pages, monitors, actions, authors and topics by name, and posts by what a phrase says
// about them.
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
  const search = useSearch(text, monitors);
  const shown = useMemo(() => [...rank(all, text), ...search.first, ...rank(search.found, text), ...search.last].slice(0, shownCommands), [all, text, search]);
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
        {shown.length === 0 ? (loading ? commands.loading : commands.none) : text ? "" : commands.hint}
      </p>
    </Dialog>
  );
}

// Entries of the palette that search posts.
interface Search {
  first: Command[]; // what the text means, if it means more than words
  found: Command[]; // authors and topics of the current monitor
  last: Command[]; // posts with these words
}

// useSearch returns what a text finds: posts that it describes, authors and topics.
function useSearch(input: string, monitors: Monitor[] | undefined): Search {
  const text = input.trim();
  const settled = useDebounced(text, 150);
  const { path, query } = useLocation();
  const current = path.match(/^\/monitors\/(\d+)/)?.[1] ?? "";
  const typed = text.length > 1;
  const known = useLoad("words of the palette", async () => ({ ...(await choices()), countries: await findCountries("") }));
  const looked = useLoad(settled.length > 1 ? `countries of ${settled}` : null, async () => (await Promise.all(settled.split(/[\s,]+/).filter((w) => /^\p{L}{4,}$/u.test(w)).slice(0, 6).map(findCountries))).flat());
  const id = current || String(monitors?.[0]?.id ?? "");
  const people = useLoad(typed && id ? `authors of ${id}` : null, () => get<Overview>(`/manage/v1/monitors/${id}/overview`, { range: "last30", parts: "authors" }), { keep: true });
  const topics = useLoad(typed && id ? `topics of ${id}` : null, () => get<TopicsResponse>(`/manage/v1/monitors/${id}/topics`, { range: "last30", limit: 30 }), { keep: true });
  return useMemo(() => {
    if (!typed || !known.data || !monitors?.length) return { first: [], found: [], last: [] };
    const zone = monitors.find((m) => String(m.id) === id)?.timezone;
    const p = parsePhrase(text, {
      monitors: monitors.map((m) => ({ id: String(m.id), name: m.name })),
      countries: [...known.data.countries, ...(looked.data ?? [])],
      languages: known.data.languages,
      sources: known.data.sources,
      today: today(zone),
    });
    const target = p.monitor || id;
    const dated = Object.keys(p.days).length > 0;
    const shownDays = target === current && !dated ? { range: query.get("range"), start: query.get("start"), end: query.get("end") } : p.days;
    const days = rollingOr(p.days, zone);
    const parts = [...p.names, p.words, days && dateRange(days.start, days.end), monitors.find((m) => String(m.id) === target)?.name];
    const open = (page: string) => () => navigate(urlOf(`/monitors/${target}${page}`, { ...shownDays, filter: formatFilter(p.filter) }));
    const entries = (["posts", "overview"] as const).map((page): Command => ({ id: `search ${page}`, name: [common.pages[page], ...parts].filter(Boolean).join(" · "), kind: "search", run: open(page === "posts" ? "/posts" : "") }));
    const meansMore = p.names.length > 0 || dated || (p.monitor !== "" && p.words !== "");
    return {
      first: meansMore ? entries : [],
      last: !meansMore && p.words ? entries : [],
      found: [
        ...(people.data?.authors.top ?? []).map((a): Command => ({ id: `author ${a.name}`, name: a.name, kind: "author", run: () => navigate(authorPath(a.name, "", { range: "last30", timezone: zone })) })),
        ...(topics.data?.topics ?? []).map((t): Command => ({ id: `topic ${t.filter}`, name: t.name, kind: "topic", run: () => navigate(urlOf(`/monitors/${id}/posts`, { range: "last30", filter: t.filter })) })),
      ],
    };
  }, [text, known.data, looked.data, monitors, people.data, topics.data]);
}

// findCountries returns the countries whose names begin with a text, the largest ones first.
async function findCountries(text: string) {
  const { items } = await get<PlacesResponse>("/manage/v1/places", { q: text, limit: text ? 10 : 100 });
  return items.filter((p) => p.kind === "country");
}

const rollingOr = ({ range, start, end }: Phrase["days"], zone?: string) => (range ? rollingDays(range, zone ?? "UTC") : start && end ? { start, end } : undefined);

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
