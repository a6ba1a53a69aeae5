import { get } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link, sameOriginPath, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import type { Monitor, SummaryResponse } from "../lib/types";
import { Card, ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { Curl } from "../components/curl";
import { callsFor, curl, firstCalls, monitorIdOf, type Call } from "./connect/calls";
import { TokenCard } from "./connect/token";
import { api } from "../strings/api";
import { common } from "../strings/common";

// ConnectPage helps to use the API: it shows a token, first calls, and the calls behind the page
// the user came from.
export function ConnectPage() {
  const [query] = useQuery();
  const page = sameOriginPath(query.get("for") ?? "/");
  const base = window.location.origin;
  return (
    <>
      <PageHeader title={common.pages.api} lead={api.lead}>
        <a class="button" href="/api/docs">
          {api.reference}
        </a>
        <a class="button" href="/api/openapi.json">
          {api.openapi}
        </a>
      </PageHeader>
      <div class="stack">
        <TokenCard />
        {query.get("for") && <PageCalls page={page} base={base} />}
        <FirstCalls base={base} />
      </div>
    </>
  );
}

// PageCalls shows the calls that return the data of a page.
function PageCalls({ page, base }: { page: string; base: string }) {
  const id = monitorIdOf(page);
  const monitor = useLoad(id && `monitor ${id}`, () => get<Monitor>(`/manage/v1/monitors/${id}`));
  const back = (
    <Link href={page} class="button small">
      {api.backToPage}
    </Link>
  );
  const calls = callsFor(page, monitor.data?.timezone ?? "UTC", monitor.data?.start);
  return (
    <Card title={api.pageTitle} note={api.pageNote(monitor.data?.name)} tools={back}>
      {monitor.error && <ErrorNotice error={monitor.error} retry={monitor.reload} />}
      {id && monitor.loading && <Skeleton label={api.loadingMonitor} />}
      {(!id || monitor.data) && <Calls calls={calls} base={base} />}
      {calls.length === 0 && <p class="muted">{api.noPageCalls}</p>}
    </Card>
  );
}


function FirstCalls({ base }: { base: string }) {
  const user = useUser();
  const monitors = useLoad("summary 1", () => get<SummaryResponse>("/manage/v1/summary", { days: 1 }));
  const monitor = monitors.data?.items[0];
  return (
    <Card title={api.firstCalls} note={monitor ? api.firstCallsFor(monitor.name) : !monitors.loading && api.firstCallsWithout}>
      <div class="stack">
        <dl class="facts">
          <dt>{api.baseUrl}</dt>
          <dd>
            <code>{base}/api</code>
          </dd>
          <dt>{api.management}</dt>
          <dd>
            <code>{base}/manage/v1</code>
          </dd>
        </dl>
        {!monitors.loading && <Calls calls={firstCalls(monitor, user.username)} base={base} />}
      </div>
    </Card>
  );
}

function Calls({ calls, base }: { calls: Call[]; base: string }) {
  return (
    <ul class="stack">
      {calls.map((call) => (
        <li key={call.title} class="stack tight">
          <span>{call.title}</span>
          <Curl text={curl(call, base)} name={call.title} label={api.copyCall(call.title)} />
        </li>
      ))}
    </ul>
  );
}
