import { useEffect, useRef, useState } from "preact/hooks";
import { listAll, patch, post } from "../../lib/api";
import { alikeTo } from "../../lib/alike";
import { formatFilter, parseFilter } from "../../lib/filter";
import { useLoad } from "../../lib/load";
import { useUser } from "../../lib/session";
import type { Channel, Client, DashboardInfo, Monitor, ScheduledReport, ShownCard } from "../../lib/types";
import type { FilteredView, RollingRange } from "../../lib/view";
import { AddFilter } from "../../components/addfilter";
import { Checkbox, ErrorNotice, SelectField, Skeleton, TextField } from "../../components/basics";
import { FilterChips } from "../../components/filterchips";
import { titleOf } from "../../components/cards/card";
import { FormDialog } from "../../components/form";
import { Icon } from "../../components/icon";
import { Picker, type PickerOption } from "../../components/picker";
import { ChannelDialog } from "../channels/form";
import { ClientSection, isComplete, saveClient, type ClientDraft } from "./client";
import { ScheduleFields } from "./schedule";
import { channels as channelText } from "../../strings/channels";
import { common } from "../../strings/common";
import { compare as compareText } from "../../strings/compare";
import { reports as text } from "../../strings/reports";

// A Draft has the values of the form.
export interface Draft {
  team: number;
  name: string;
  monitors: number[];
  dashboards: number[];
  cards: ShownCard[];
  compare: number[];
  client?: number; // none: the default of the team
  filter: string;
  cron: string;
  timezone: string; // empty: that of the first monitor
  range: RollingRange;
  pdf: boolean;
  xlsx: boolean;
  channels: number[];
}

const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

// newDraft returns a weekly report about last week.
export const newDraft = (team: number): Draft => ({ team, name: "", monitors: [], dashboards: [], cards: [], compare: [], filter: "", cron: "0 8 * * 1", timezone: "", range: "lastweek", pdf: true, xlsx: false, channels: [] });

// draftOf returns the settings of a report.
export const draftOf = (r: ScheduledReport): Draft => ({
  team: r.team,
  name: r.name,
  monitors: r.monitors.map((m) => m.id),
  dashboards: r.dashboards.map((d) => d.id),
  cards: r.cards,
  compare: r.compare.map((m) => m.id),
  client: r.client,
  filter: r.filter,
  cron: r.cron,
  timezone: r.timezone,
  range: r.range,
  pdf: r.pdf,
  xlsx: r.xlsx,
  channels: r.channels.map((c) => c.id),
});

// rangeFor returns the dates that a schedule usually covers.
function rangeFor(cron: string): RollingRange {
  const [, , date, , days] = cron.split(" ");
  return date !== "*" ? "lastmonth" : days === "*" ? "yesterday" : "lastweek";
}

interface Props {
  report?: ScheduledReport; // the report to edit; none: a new one
  start: Draft;
  onClose: () => void;
  onSaved: (r: ScheduledReport) => void;
}

// ReportDialog creates or edits a scheduled report.
export function ReportDialog({ report: current, start, onClose, onSaved }: Props) {
  const { teams } = useUser();
  const [report] = useState(current); // the page below is updated, but the form shows what it was opened with
  const [draft, setDraft] = useState(start);
  const [ranged, setRanged] = useState(Boolean(report) || start.range !== newDraft(0).range); // someone has chosen the dates
  const [addingChannel, setAddingChannel] = useState(false); // instead of the form, which keeps what was entered
  const set = (changes: Partial<Draft>) => setDraft((d) => ({ ...d, ...changes }));
  const { data, error, reload } = useLoad(`report choices ${draft.team}`, async () => {
    const team = draft.team;
    const [monitors, dashboards, channels, clients] = await Promise.all([
      listAll<Monitor>("/manage/v1/monitors", { team }),
      listAll<DashboardInfo>("/manage/v1/dashboards", { team }),
      listAll<Channel>("/manage/v1/channels", { team }),
      listAll<Client>("/manage/v1/clients", { team }),
    ]);
    return { monitors, dashboards, channels, clients };
  });
  const parts = data && optionsOf(data.monitors);
  const first = data?.monitors.find((m) => m.id === draft.monitors[0] || m.filters.some((f) => f.id === draft.monitors[0]));
  const zone = draft.timezone || first?.timezone || browserZone();
  const suggestion = text.nameOf(first?.name ?? data?.dashboards.find((d) => d.id === draft.dashboards[0])?.name ?? "");
  const name = draft.name.trim() || (first || draft.dashboards.length ? suggestion : "");
  const [chosenClient, setClient] = useState<ClientDraft>();
  const client = chosenClient ?? { id: draft.client ?? data?.clients.find((c) => c.default)?.id ?? 0 };
  const save = async () => {
    const id = await saveClient(client, draft.team);
    if (client.editing) {
      setClient({ id }); // so that another try does not create it again
      reload();
    }
    const body = { ...draft, client: id, compare: first ? draft.compare : [], name, timezone: zone, team: report ? undefined : draft.team, revision: report?.revision };
    onSaved(report ? await patch<ScheduledReport>(`/manage/v1/reports/${report.id}`, body) : await post<ScheduledReport>("/manage/v1/reports", body));
  };
  const ready = Boolean(data) && name !== "" && draft.monitors.length + draft.dashboards.length + draft.cards.length > 0 && isComplete(client);
  const changeTeam = (team: number) => {
    set({ team, monitors: [], dashboards: [], channels: [], cards: [], compare: [], client: undefined, filter: "" });
    setClient(undefined);
  };
  const firstChannel = useRef(false); // a channel was added because there was none
  useEffect(() => {
    if (firstChannel.current && data?.channels.length) set({ channels: ids(channelOptions(data.channels)) });
  }, [data]);
  if (addingChannel) {
    const saved = () => {
      firstChannel.current = true;
      reload();
    };
    return <ChannelDialog team={draft.team} onClose={() => setAddingChannel(false)} onSaved={saved} />;
  }
  return (
    <FormDialog wide title={report ? text.editTitle(report.name) : text.new} action={report ? common.actions.save : common.actions.create} ready={ready} onSubmit={save} onClose={onClose}>
      <TextField label={text.name} value={draft.name} onInput={(name) => set({ name })} placeholder={name || text.nameExample} />
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="26rem" />}
      {data && parts && (
        <>
          {!report && teams.length > 1 && <SelectField label={common.words.team} value={String(draft.team)} onChange={(id) => changeTeam(Number(id))} options={teams.map((t) => ({ value: String(t.id), name: t.name }))} />}
          <div class="field-pair">
            <Picker label={text.monitors} placeholder={text.monitorsPlaceholder} values={chosen(draft.monitors, parts)} options={parts} onChange={(v) => set({ monitors: ids(v) })} />
            <Picker label={text.dashboards} placeholder={text.dashboardsPlaceholder} values={chosen(draft.dashboards, toOptions(data.dashboards))} options={toOptions(data.dashboards)} onChange={(v) => set({ dashboards: ids(v) })} />
          </div>
          {draft.cards.length > 0 && <CardsField cards={draft.cards} onChange={(cards) => set({ cards })} />}
          {first && <CompareField m={first} draft={draft} parts={parts} monitors={data.monitors} onChange={(compare) => set({ compare })} />}
          {first && <FilterField m={first} draft={draft} set={set} />}
          <ScheduleFields
            cron={draft.cron}
            zone={zone}
            onChange={({ cron, zone }) => {
              if (cron !== undefined) set({ cron, ...(ranged ? {} : { range: rangeFor(cron) }) });
              if (zone !== undefined) set({ timezone: zone });
            }}
          />
          <div class="field-pair">
            <SelectField
              label={text.range}
              hint={text.rangeHint}
              value={draft.range}
              onChange={(range) => {
                setRanged(true);
                set({ range: range as RollingRange });
              }}
              options={Object.entries(common.dateRange.rolling).map(([value, name]) => ({ value, name }))}
            />
            {data.channels.length > 0 ? (
              <Picker label={text.channels} placeholder={text.channelsPlaceholder} hint={text.channelsHint} values={chosen(draft.channels, channelOptions(data.channels))} options={channelOptions(data.channels)} onChange={(v) => set({ channels: ids(v) })} />
            ) : (
              <div class="field">
                <span class="label">{text.channels}</span>
                <p>
                  {text.noChannelsYet}{" "}
                  <button type="button" class="linklike" onClick={() => setAddingChannel(true)}>
                    {text.addChannel}
                  </button>
                </p>
              </div>
            )}
          </div>
          <ClientSection clients={data.clients} draft={client} onChange={setClient} />
          <fieldset class="stack tight">
            <legend class="label">{text.attach}</legend>
            <div class="row choices">
              <Checkbox label={text.files.pdf} checked={draft.pdf} onChange={(pdf) => set({ pdf })} />
              <Checkbox label={text.files.xlsx} checked={draft.xlsx} onChange={(xlsx) => set({ xlsx })} />
            </div>
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}

// CompareField chooses monitors to compare those of the report with, and suggests those that are alike.
function CompareField({ m, draft, parts, monitors, onChange }: { m: Monitor; draft: Draft; parts: PickerOption[]; monitors: Monitor[]; onChange: (ids: number[]) => void }) {
  const alike = alikeTo(m, monitors)
    .filter((o) => !draft.monitors.includes(o.id))
    .slice(0, suggested);
  return (
    <div class="stack tight">
      <Picker label={text.compare} hint={text.compareHint} placeholder={text.comparePlaceholder} values={chosen(draft.compare, parts)} options={parts.filter((p) => !draft.monitors.includes(Number(p.id)))} onChange={(v) => onChange(ids(v))} />
      {draft.compare.length === 0 && alike.length > 0 && (
        <div class="row" role="group" aria-label={text.compare}>
          {alike.map((o) => (
            <button key={o.id} type="button" class="button small" onClick={() => onChange([o.id])}>
              <Icon name="plus" />
              <span class="clip">{o.name}</span>
            </button>
          ))}
          {alike.length > 1 && (
            <button type="button" class="button small" onClick={() => onChange(alike.map((o) => o.id))}>
              {compareText.rows.all(alike.length)}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const suggested = 4; // monitors

// CardsField lists the charts that were added to the report.
function CardsField({ cards, onChange }: { cards: ShownCard[]; onChange: (cards: ShownCard[]) => void }) {
  return (
    <div class="field">
      <span class="label">{text.cards}</span>
      <ul class="row">
        {cards.map((c, i) => (
          <li key={i} class="chip">
            <span class="clip">{titleOf(c)}</span>
            <button type="button" aria-label={text.removeCard(titleOf(c))} title={text.removeCard(titleOf(c))} onClick={() => onChange(cards.filter((_, k) => k !== i))}>
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

// FilterField restricts the posts of the monitors.
function FilterField({ m, draft, set }: { m: Monitor; draft: Draft; set: (changes: Partial<Draft>) => void }) {
  const view: FilteredView = {
    filter: parseFilter(draft.filter),
    setFilter: (filter) => set({ filter: formatFilter(filter) }),
    params: { range: draft.range, start: "", end: "", filter: draft.filter },
    sub: String(draft.monitors[0]),
  };
  return (
    <div class="field">
      <span class="label">{text.filter}</span>
      <div class="row">
        <AddFilter m={m} view={view} />
        {draft.filter ? <FilterChips m={m} view={view} /> : <span class="muted">{text.noFilter}</span>}
      </div>
    </div>
  );
}

const toOptions = (list: { id: number; name: string }[]): PickerOption[] => list.map((x) => ({ id: String(x.id), name: x.name }));
const channelOptions = (list: Channel[]): PickerOption[] => list.map((c) => ({ id: String(c.id), name: c.name, note: channelText.kinds[c.kind] }));
const ids = (values: PickerOption[]) => values.map((v) => Number(v.id));

// optionsOf returns monitors and their saved filters.
const optionsOf = (monitors: Monitor[]): PickerOption[] => monitors.flatMap((m) => [{ id: String(m.id), name: m.name }, ...m.filters.map((f) => ({ id: String(f.id), name: text.savedFilter(m.name, f.name) }))]);

// chosen returns the options with the given ids. One that no longer exists has its id as its name.
const chosen = (ids: number[], options: PickerOption[]) => ids.map((id) => options.find((o) => o.id === String(id)) ?? { id: String(id), name: text.removedPart });
