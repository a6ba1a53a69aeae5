import { useState } from "preact/hooks";
import { get, listAll, patch, post } from "../lib/api";
import { dateRange } from "../lib/format";
import { useLoad } from "../lib/load";
import type { Card, DashboardInfo, DashboardPage, ScheduledReport } from "../lib/types";
import type { View } from "../lib/view";
import { SelectField, TextField } from "./basics";
import { FormDialog } from "./form";
import { toast } from "./toast";
import { common } from "../strings/common";
import { dashboards } from "../strings/dashboards";

const text = dashboards.pin;

interface Props {
  to: "dashboard" | "report";
  title: string; // of the chart
  team: number;
  card: Partial<Card>;
  days: Pick<View, "range" | "start" | "end">; // of the page
  onClose: () => void;
}

// places are where a card can be added. A new report is sent on Mondays, about the week before; it has no
// channels yet.
const places = {
  dashboard: { path: "/manage/v1/dashboards", add: {}, placeholder: dashboards.create.namePlaceholder, ...text },
  report: { path: "/manage/v1/reports", add: { cron: "0 8 * * 1", pdf: true }, ...text.report },
};

// PinDialog adds a card to a dashboard or a scheduled report of the team, or to a new one.
export function PinDialog({ to, title, team, card, days, onClose }: Props) {
  const place = places[to];
  const { data } = useLoad(`${to}s of ${team}`, () => listAll<DashboardInfo | ScheduledReport>(place.path, { team }));
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState("");
  const [keep, setKeep] = useState("");
  const board = chosen ?? (data?.[0] ? String(data[0].id) : "");
  const dates = days.range ? common.dateRange.rolling[days.range] : days.start ? dateRange(days.start, days.end) : "";
  const add = async () => {
    const added = { ...card, ...(keep ? { range: days.range, start: days.start, end: days.end } : {}) };
    if (!board) {
      await post(place.path, { team, name: name.trim(), cards: [added], ...place.add });
      return toast(text.added(name.trim()));
    }
    const path = `${place.path}/${board}`;
    const { cards, revision } = await get<DashboardPage | ScheduledReport>(path);
    const saved = await patch<DashboardPage | ScheduledReport>(path, { cards: [...cards, added], revision });
    toast(text.added(saved.name));
  };
  return (
    <FormDialog title={place.title(title)} action={common.actions.add} ready={Boolean(data) && (board !== "" || name.trim() !== "")} onSubmit={add} onClose={onClose}>
      <SelectField label={place.choose} value={board} onChange={setChosen} options={[...(data ?? []).map((d) => ({ value: String(d.id), name: d.name })), { value: "", name: place.another }]} />
      {data && !board && <TextField label={dashboards.create.name} value={name} onInput={setName} placeholder={place.placeholder} />}
      {dates && <SelectField label={text.dates} value={keep} onChange={setKeep} options={[{ value: "", name: place.follow }, { value: "keep", name: text.keep(dates) }]} />}
    </FormDialog>
  );
}
