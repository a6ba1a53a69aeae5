import { useState } from "preact/hooks";
import { listAll } from "../../lib/api";
import { placeNames } from "../../lib/choices";
import { formatFilter, parseFilter } from "../../lib/filter";
import { dateRange } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { CardKind, Monitor, ShownCard } from "../../lib/types";
import type { FilteredView, RollingRange } from "../../lib/view";
import { AddFilter } from "../../components/addfilter";
import { EmptyState, ErrorNotice, Field, SegmentedControl, SelectField, Skeleton, TextField } from "../../components/basics";
import { columns } from "../../components/cards/card";
import { FilterChips } from "../../components/filterchips";
import { FormDialog } from "../../components/form";
import { Icon, type IconName } from "../../components/icon";
import { Chooser } from "../compare/chooser";
import { labelsOf, monitorOf, placesOf, type Row } from "../compare/rows";
import { newCard } from "./template";
import { cards as cardText } from "../../strings/cards";
import { common } from "../../strings/common";
import { dashboards } from "../../strings/dashboards";

const text = dashboards.editor;

const gallery: { name: string; kinds: CardKind[] }[] = [
  { name: text.groups.numbers, kinds: ["figures", "volume", "sentiment", "emotions", "comparison", "unusual", "clock"] },
  { name: text.groups.content, kinds: ["posts", "topics", "words", "hashtags", "sites", "text"] },
  { name: text.groups.people, kinds: ["authors", "sources", "languages", "places", "interests", "ages", "genders"] },
];

const icons: Partial<Record<CardKind, IconName>> = { figures: "table", volume: "chart", comparison: "compare", unusual: "warn", posts: "news", text: "edit", authors: "person", sources: "sources" };

const usualWidths: Partial<Record<CardKind, number>> = { figures: 4, sources: 1, sites: 1, languages: 1, ages: 1, genders: 1, hashtags: 1, authors: 1, interests: 1 };

interface Props {
  card?: ShownCard; // the card to edit; a new one if there is none
  team: number;
  onSave: (card: ShownCard) => void;
  onClose: () => void;
}

// CardEditor adds a card to a dashboard, or edits one.
export function CardEditor({ card, team, onSave, onClose }: Props) {
  const { data: monitors, error, reload } = useLoad(`monitors of ${team}`, () => listAll<Monitor>("/manage/v1/monitors", { team }));
  const [chosen, setDraft] = useState<ShownCard>(card ?? newCard("volume"));
  const [sized, setSized] = useState(Boolean(card));
  const first = monitors?.[0];
  const draft = complete(chosen, first); // a new card is about the first monitor
  const change = (changes: Partial<ShownCard>) => setDraft({ ...draft, ...changes });
  const choose = (kind: CardKind) => change({ kind, ...(sized ? {} : { width: usualWidths[kind] ?? 2 }) });
  const ready = Boolean(monitors) && (draft.kind === "text" ? Boolean(draft.text.trim() || draft.title.trim()) : draft.kind === "comparison" ? draft.rows.length > 0 : draft.monitor > 0);
  return (
    <FormDialog wide title={card ? text.edit : text.add} action={card ? common.actions.save : common.actions.add} ready={ready} onClose={onClose} onSubmit={async () => onSave(cleaned(draft, monitors ?? []))}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!monitors && !error && <Skeleton height="20rem" />}
      {monitors && (
        <>
          <Gallery value={draft.kind} onChange={choose} />
          {draft.kind === "text" ? (
            <Field label={text.text}>{(id) => <textarea id={id} rows={5} maxLength={5000} value={draft.text} onInput={(e) => change({ text: e.currentTarget.value })} />}</Field>
          ) : monitors.length === 0 ? (
            <EmptyState title={text.noMonitors} />
          ) : draft.kind === "comparison" ? (
            <CompareFields draft={draft} monitors={monitors} change={change} />
          ) : (
            <PostFields draft={draft} monitors={monitors} change={change} />
          )}
          <TextField label={text.title} hint={draft.kind === "text" ? undefined : text.titleHint} value={draft.title} onInput={(title) => change({ title })} />
          <Field label={text.width}>
            {() => (
              <SegmentedControl
                label={text.width}
                value={String(draft.width)}
                onChange={(width) => {
                  setSized(true);
                  change({ width: Number(width) });
                }}
                options={Array.from({ length: columns }, (_, i) => ({ value: String(i + 1), name: text.widths[i] }))}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

// complete fills in the monitor of a card that has none yet.
function complete(card: ShownCard, first: Monitor | undefined): ShownCard {
  if (!first || card.monitor || card.kind === "text") return card;
  return card.kind === "comparison" ? card : { ...card, monitor: first.id };
}

// cleaned removes from a card what its kind does not have, and adds the names of its monitor.
function cleaned(card: ShownCard, monitors: Monitor[]): ShownCard {
  const counts = card.kind !== "text" && card.kind !== "comparison";
  const found = counts ? monitorOf(monitors, card.monitor) : undefined;
  return {
    ...card,
    monitor: counts ? card.monitor : 0,
    filter: counts ? card.filter : "",
    rows: card.kind === "comparison" ? card.rows : [],
    sort: card.kind === "posts" ? card.sort || "newest" : "",
    text: card.kind === "text" ? card.text : "",
    monitorName: found?.monitor.name ?? "",
    parent: found?.saved ? found.monitor.id : 0,
    filterName: found?.saved?.name ?? "",
    removed: counts && !found,
  };
}

// Gallery chooses the kind of a card.
function Gallery({ value, onChange }: { value: CardKind; onChange: (kind: CardKind) => void }) {
  return (
    <fieldset class="stack tight">
      <legend class="label">{text.kind}</legend>
      {gallery.map(({ name, kinds }) => (
        <div key={name} class="stack tight" role="group" aria-label={name}>
          <span class="small muted">{name}</span>
          <div class="card-kinds">
            {kinds.map((kind) => (
              <button key={kind} type="button" class="card-kind" aria-pressed={kind === value} title={text.kindHints[kind]} onClick={() => onChange(kind)}>
                <Icon name={icons[kind] ?? "chart"} />
                {cardText.kinds[kind]}
              </button>
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  );
}

interface FieldsProps {
  draft: ShownCard;
  monitors: Monitor[];
  change: (changes: Partial<ShownCard>) => void;
}

// PostFields choose the posts that a card is about.
function PostFields({ draft, monitors, change }: FieldsProps) {
  const m = monitorOf(monitors, draft.monitor)?.monitor;
  const view: FilteredView = {
    filter: parseFilter(draft.filter),
    setFilter: (filter) => change({ filter: formatFilter(filter) }),
    params: { range: draft.range, start: draft.start, end: draft.end, filter: draft.filter },
    sub: String(draft.monitor),
  };
  const options = monitors.flatMap((m) => [{ value: String(m.id), name: m.name }, ...m.filters.map((f) => ({ value: String(f.id), name: cardText.saved(m.name, f.name) }))]);
  return (
    <>
      <div class="field-pair">
        <SelectField label={text.monitor} value={String(draft.monitor)} onChange={(id) => change({ monitor: Number(id) })} options={m ? options : [{ value: String(draft.monitor), name: cardText.removed }, ...options]} />
        <DatesField draft={draft} change={change} />
        {draft.kind === "posts" && <SelectField label={text.sort} value={draft.sort || "newest"} onChange={(sort) => change({ sort })} options={Object.entries(cardText.postTitles).map(([value, name]) => ({ value, name }))} />}
      </div>
      {m && (
        <div class="field">
          <span class="label">{text.filter}</span>
          <div class="row">
            <AddFilter m={m} view={view} />
            {draft.filter ? <FilterChips m={m} view={view} /> : <span class="muted">{text.noFilter}</span>}
          </div>
        </div>
      )}
    </>
  );
}

// DatesField chooses the dates of a card: those of the dashboard, or a rolling range of its own. Dates
// that are already fixed can be kept.
function DatesField({ draft, change }: Pick<FieldsProps, "draft" | "change">) {
  const options = [{ value: "", name: text.ofDashboard }, ...Object.entries(common.dateRange.rolling).map(([value, name]) => ({ value, name }))];
  if (draft.start) options.push({ value: "fixed", name: text.fixed(dateRange(draft.start, draft.end)) });
  return <SelectField label={text.range} value={draft.start ? "fixed" : draft.range} onChange={(range) => range !== "fixed" && change({ range: range as RollingRange | "", start: "", end: "" })} options={options} />;
}

// CompareFields choose the rows of a comparison.
function CompareFields({ draft, monitors, change }: FieldsProps) {
  const rows: Row[] = draft.rows.map((r) => ({ id: String(r.monitor), filter: r.filter, dates: { range: r.range, start: r.start, end: r.end } }));
  const placeIds = placesOf(rows);
  const places = useLoad(placeIds.length ? `places ${placeIds.join(";")}` : null, () => placeNames(placeIds));
  const choose = (rows: Row[]) => {
    const labels = labelsOf(rows, monitors, places.data ?? []);
    change({ rows: rows.map((r, i) => ({ label: labels[i], monitor: Number(r.id), filter: r.filter, ...r.dates })) });
  };
  return (
    <>
      <fieldset class="stack tight">
        <legend class="label">{text.rows}</legend>
        <Chooser rows={rows} labels={labelsOf(rows, monitors, places.data ?? [])} monitors={monitors} onChange={choose} />
        {rows.length === 0 && <p class="small muted">{text.chooseRows}</p>}
      </fieldset>
      <div class="field-pair">
        <DatesField draft={draft} change={change} />
        <SelectField label={text.earlier} value={draft.earlier || "none"} onChange={(earlier) => change({ earlier })} options={Object.entries(text.earlierNames).map(([value, name]) => ({ value, name }))} />
      </div>
    </>
  );
}
