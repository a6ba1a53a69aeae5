import { EmptyState } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { useView } from "../lib/view";
import { common } from "../strings/common";

export function WhyPage({ id }: { id: string }) {
  const view = useView();
  return (
    <MonitorLayout id={id}>
      {(m) => (
        <>
          <MonitorToolbar m={m} view={view} />
          <EmptyState title={common.pages.why} />
        </>
      )}
    </MonitorLayout>
  );
}
