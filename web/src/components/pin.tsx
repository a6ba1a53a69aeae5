import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Card, CardKind } from "../lib/types";
import type { View } from "../lib/view";
import { useFrame } from "./frame";
import { Icon } from "./icon";
import { showError } from "./toast";
import { common } from "../strings/common";

// A PinSource is what the charts of a page show, so that they can be put on a dashboard.
export interface PinSource {
  team: number;
  card: Partial<Card>; // the monitor and the filter, or the rows of a comparison
  days: Pick<View, "range" | "start" | "end">;
}

export const PinContext = createContext<PinSource | null>(null);

// PinButton puts a chart of the page on a dashboard, or into a report. It is hidden on pages whose charts
// cannot be put there, and on dashboards. The dialog is loaded when it is first opened.
export function PinButton({ kind, title, more, class: style = "button quiet small", text }: { kind: CardKind; title: string; more?: Partial<Card>; class?: string; text?: boolean }) {
  const source = useContext(PinContext);
  const frame = useFrame();
  const [dialog, setDialog] = useState<typeof import("./pindialog") & { to: "dashboard" | "report" }>();
  if (!source || frame) return null;
  const buttons = [
    { to: "dashboard", name: common.chart.pin },
    { to: "report", name: common.chart.report },
  ] as const;
  const open = (to: "dashboard" | "report") => import("./pindialog").then((module) => setDialog({ ...module, to }), () => showError(new Error(common.errors.pageNotLoaded)));
  return (
    <>
      {buttons.map(({ to, name }) => (
        <button key={to} type="button" class={style} aria-label={text ? undefined : common.chart.action(title, name)} title={name} onClick={() => open(to)}>
          <Icon name={to} />
          {text && name}
        </button>
      ))}
      {dialog && <dialog.PinDialog to={dialog.to} title={title} team={source.team} days={source.days} card={{ ...source.card, ...more, kind }} onClose={() => setDialog(undefined)} />}
    </>
  );
}
