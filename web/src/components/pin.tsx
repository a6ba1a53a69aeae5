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

// PinButton puts a chart of the page on a dashboard. It is hidden on pages whose charts cannot be put
// there, and on dashboards. The dialog is loaded when it is first opened.
export function PinButton({ kind, title, more, class: style = "button quiet small", text }: { kind: CardKind; title: string; more?: Partial<Card>; class?: string; text?: boolean }) {
  const source = useContext(PinContext);
  const frame = useFrame();
  const [dialog, setDialog] = useState<typeof import("./pindialog")>();
  if (!source || frame) return null;
  const open = () => import("./pindialog").then(setDialog, () => showError(new Error(common.errors.pageNotLoaded)));
  return (
    <>
      <button type="button" class={style} aria-label={text ? undefined : common.chart.action(title, common.chart.pin)} title={common.chart.pin} onClick={open}>
        <Icon name="dashboard" />
        {text && common.chart.pin}
      </button>
      {dialog && <dialog.PinDialog title={title} team={source.team} days={source.days} card={{ ...source.card, ...more, kind }} onClose={() => setDialog(undefined)} />}
    </>
  );
}
