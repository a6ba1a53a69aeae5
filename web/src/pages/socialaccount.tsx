import { get, urlOf } from "../lib/api";
import { compact, dateRange, daysBetween, fileDates, number } from "../lib/format";
import { useLoad } from "../lib/load";
import type { AccountMetrics, AccountResponse, Monitor } from "../lib/types";
import { useView } from "../lib/view";
import { Delta, EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { DateRange } from "../components/daterange";
import { MonitorLayout } from "../components/monitorlayout";
import { SubfilterSelect } from "../components/subfilter";
import { AccountCharts } from "./socialaccount/charts";
import { AccountPosts, AccountHashtags } from "./socialaccount/lists";
import { common } from "../strings/common";
import { socialAccount } from "../strings/socialaccount";

// listedPosts is the number of posts by the account that the page lists.
const listedPosts = "100";

// SocialAccountPage shows the metrics of the account that a SOCIAL monitor watches, for the date
// range in the URL. Filters do not apply to them, but saved filters do.
export function SocialAccountPage({ id }: { id: string }) {
  const view = useView();
  const path = `/manage/v1/monitors/${view.sub || id}/account`;
  const { range, start, end } = view.params;
  const query = { range, start, end, limit: listedPosts };
  const { data, error, loading, reload } = useLoad(urlOf(path, query), (signal) => get<AccountResponse>(path, query, signal));
  return (
    <MonitorLayout id={id} onDone={reload}>
      {(m) => (
        <>
          <div class="toolbar">
            <div class="row" style={{ marginBottom: "0.6rem" }}>
              <DateRange view={view} shown={data} zone={m.timezone} />
              <SubfilterSelect m={m} view={view} />
            </div>
          </div>
          {error && <ErrorNotice error={error} retry={reload} />}
          {!data && !error && <Skeleton height="60rem" label={socialAccount.loading} />}
          {data && !error && (
            <div aria-busy={loading} class={loading ? "stale" : ""}>
              {data.start ? <AccountMetricsView m={m} a={data} /> : <EmptyState title={common.chart.noData}>{socialAccount.noResults}</EmptyState>}
            </div>
          )}
        </>
      )}
    </MonitorLayout>
  );
}

function AccountMetricsView({ m, a }: { m: Monitor; a: AccountResponse }) {
  const file = `${m.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${fileDates(a.start, a.end)}`;
  const name = a.account.handle ? `@${a.account.handle}` : socialAccount.page(a.account.pageId ?? "");
  return (
    <>
      <p class="small muted" style={{ marginBottom: "0.75rem" }}>
        {socialAccount.of(name, a.account.network)} · {socialAccount.range(dateRange(a.start, a.end), m.timezone)}
      </p>
      <AccountTotals a={a} />
      <div class="columns">
        <AccountCharts a={a} file={file} />
        <AccountHashtags a={a} file={file} />
        <AccountPosts a={a} file={file} />
      </div>
    </>
  );
}

// counters are the metrics that state a number at the end of the period. The others add up.
const counters: (keyof AccountMetrics)[] = ["followers", "pageLikes"];

// AccountTotals shows the metrics that the network has, compared with the previous period.
function AccountTotals({ a }: { a: AccountResponse }) {
  const names = Object.keys(socialAccount.metrics) as (keyof AccountMetrics)[];
  const main = a.account.network === "Facebook" ? "pageLikes" : "followers"; // shown even if it is unknown
  const days = daysBetween(a.start, a.end);
  return (
    <dl class="figures">
      {names
        .filter((name) => a.total[name] !== null || name === main)
        .map((name) => {
          const value = a.total[name];
          const before = a.previous?.total[name] ?? null;
          return (
            <div key={name} class="card">
              <dt class="muted">{socialAccount.metrics[name]}</dt>
              <dd>
                <div class="figure" title={value === null ? undefined : number(value)} data-metric={name} data-value={value ?? ""}>
                  {value === null ? socialAccount.unknown : compact(value)}
                </div>
                {value !== null && before !== null && a.previous && (
                  <span title={socialAccount.totals.previous(before, dateRange(a.previous.start, a.previous.end))}>
                    {counters.includes(name) || before < 0 ? <span class="delta">{socialAccount.totals.signed(value - before)}</span> : <Delta now={value} before={before} plain />}{" "}
                    <span class="muted small">{socialAccount.totals.vsPrevious(days)}</span>
                  </span>
                )}
              </dd>
            </div>
          );
        })}
    </dl>
  );
}
