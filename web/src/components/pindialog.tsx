import { useState } from "preact/hooks";
import { get, listAll, patch, post } from "../lib/api";
import { dateRange } from "../lib/format";
import { useLoad } from "../lib/load";
import type { Card, DashboardInfo, DashboardPage } from "../lib/types";
import type { View } from "../lib/view";
import { SelectField, TextField } from "./basics";
import { FormDialog } from "./form";
import { toast } from "./toast";
import { common } from "../strings/common";
import { dashboards } from "../strings/dashboards";

const text = dashboards.pin;

interface Props {
  title: string; // of the chart
  team: number;
  card: Partial<Card>;
  days: Pick<View, "range" | "start" | "end">; // of the page
  onClose: () => void;
}

// PinDialog adds a card to a dashboard of the team, or to a new one.
export function PinDialog({ title, team, card, days, onClose }: Props) {
  const { data } = useLoad(`dashboards of ${team}`, () => listAll<DashboardInfo>("/manage/v1/dashboards", { team }));
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState("");
  const [keep, setKeep] = useState("");
  const board = chosen ?? (data?.[0] ? String(data[0].id) : "");
  const dates = days.range ? common.dateRange.rolling[days.range] : days.start ? dateRange(days.start, days.end) : "";
  const add = async () => {
    const added = { ...card, ...(keep ? { range: days.range, start: days.start, end: days.end } : {}) };
    if (!board) {
      await post("/manage/v1/dashboards", { team, name: name.trim(), cards: [added] });
      return toast(text.added(name.trim()));
    }
    const path = `/manage/v1/dashboards/${board}`;
    const { cards, revision } = await get<DashboardPage>(path);
    const saved = await patch<DashboardPage>(path, { cards: [...cards, added], revision });
    toast(text.added(saved.name));
  };
  return (
    <FormDialog title={text.title(title)} action={common.actions.add} ready={Boolean(data) && (board !== "" || name.trim() !== "")} onSubmit={add} onClose={onClose}>
      <SelectField label={text.choose} value={board} onChange={setChosen} options={[...(data ?? []).map((d) => ({ value: String(d.id), name: d.name })), { value: "", name: text.another }]} />
      {data && !board && <TextField label={dashboards.create.name} value={name} onInput={setName} placeholder={dashboards.create.namePlaceholder} />}
      {dates && <SelectField label={text.dates} value={keep} onChange={setKeep} options={[{ value: "", name: text.follow }, { value: "keep", name: text.keep(dates) }]} />}
    </FormDialog>
  );
}
