import { EmptyState } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { useView } from "../lib/view";
import { common } from "../strings/common";

export function TopicsPage({ id }: { id: string }) {
  const view = useView();
  return (
    <MonitorLayout id={id}>
      {(m) => (
        <>
          <MonitorToolbar m={m} view={view} />
          <EmptyState title={common.pages.topics} />
        </>
      )}
    </MonitorLayout>
  );
}
