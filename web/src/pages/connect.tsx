import { get } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link, sameOriginPath, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import type { Monitor, SummaryResponse } from "../lib/types";
import { Card, ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { Curl } from "../components/curl";
import { callsFor, curl, firstCalls, monitorIdOf, type Call } from "./connect/calls";
import { TokenCard } from "./connect/token";

// ConnectPage is for those who write programs: a token, calls to begin with, and those behind the page they come from.
export function ConnectPage() {
  const [query] = useQuery();
  const page = sameOriginPath(query.get("for") ?? "/");
  const base = window.location.origin;
  return (
    <>
      <PageHeader title="API" lead="Programs can have everything that these pages show.">
        <a class="button" href="/api/docs">
          Reference
        </a>
        <a class="button" href="/api/openapi.json">
          OpenAPI document
        </a>
      </PageHeader>
      <div class="stack">
        {query.get("for") && <PageCalls page={page} base={base} />}
        <TokenCard />
        <FirstCalls base={base} />
      </div>
    </>
  );
}

// PageCalls shows the calls that give what a page shows.
function PageCalls({ page, base }: { page: string; base: string }) {
  const id = monitorIdOf(page);
  const monitor = useLoad(id && `monitor ${id}`, () => get<Monitor>(`/manage/v1/monitors/${id}`));
  const back = (
    <Link href={page} class="button small">
      Back to the page
    </Link>
  );
  const calls = callsFor(page, monitor.data?.timezone ?? "UTC", monitor.data?.start);
  return (
    <Card title="What you were looking at" note={<Note name={monitor.data?.name} />} tools={back}>
      {monitor.error && <ErrorNotice error={monitor.error} retry={monitor.reload} />}
      {id && monitor.loading && <Skeleton label="Loading the monitor" />}
      {(!id || monitor.data) && <Calls calls={calls} base={base} />}
      {calls.length === 0 && <p class="muted">This page shows nothing that a call gives. The reference lists all of them.</p>}
    </Card>
  );
}

const Note = ({ name }: { name?: string }) => (
  <>
    {name && <>{name}. </>}With your token as <code>$TOKEN</code>; the day of <code>end</code> is not included.
  </>
);

function FirstCalls({ base }: { base: string }) {
  const user = useUser();
  const monitors = useLoad("summary 1", () => get<SummaryResponse>("/manage/v1/summary", { days: 1 }));
  const monitor = monitors.data?.items[0];
  return (
    <Card title="First calls" note={monitor ? `For the monitor ${monitor.name}.` : !monitors.loading && "MONITOR stands for the id of one of your monitors."}>
      <div class="stack">
        <dl class="facts">
          <dt>Base address</dt>
          <dd>
            <code>{base}/api</code>
          </dd>
          <dt>Management</dt>
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
          <Curl text={curl(call, base)} name={call.title} label={`Copy: ${call.title}`} />
        </li>
      ))}
    </ul>
  );
}
