import { call, get, listAll } from "../lib/api";
import { placeNames } from "../lib/choices";
import { useLoad } from "../lib/load";
import { useQuery } from "../lib/router";
import type { Comparison, Monitor, Overview } from "../lib/types";
import { useView } from "../lib/view";
import { ApiLink } from "../components/apilink";
import { EmptyState, ErrorNotice, Notice, PageHeader, Skeleton } from "../components/basics";
import { DateRange } from "../components/daterange";
import { chartNames } from "../components/filterchips";
import { PinContext, type PinSource } from "../components/pin";
import { CompareCharts } from "./compare/charts";
import { Chooser } from "./compare/chooser";
import { EarlierPeriod } from "./compare/earlier";
import { labelsOf, maxRows, monitorOf, namedIn, parseEarlier, parseRows, placesOf, requestOf, rowParams, sharedDates, type Dates, type Earlier, type Row } from "./compare/rows";
import { common } from "../strings/common";
import { compare } from "../strings/compare";

// ComparePage compares rows with each other, and each with its own earlier period. A row is a
// monitor or a saved filter, with a filter and dates. The URL has them: compare/rows.ts.
export function ComparePage() {
  const [query, change] = useQuery();
  const view = useView();
  const monitors = useLoad("monitors", () => listAll<Monitor>("/manage/v1/monitors"));
  const given = parseRows(query);
  const rows = given.slice(0, maxRows);
  const earlier = parseEarlier(query);
  const shared = sharedDates(query);
  const placeIds = placesOf(rows);
  const places = useLoad(placeIds.length ? `places ${placeIds.join(";")}` : null, () => placeNames(placeIds));
  const namedRows = namedIn(rows);
  const names = useLoad(namedRows.length ? `names ${namedRows.join(",")}` : null, async (signal) => {
    const loaded = await Promise.all(namedRows.map((id) => get<Overview>(`/manage/v1/monitors/${id}/overview`, { parts: "interests,images", range: "last365" }, signal)));
    return loaded.reduce<Record<string, string>>((all, o) => ({ ...all, ...chartNames(o) }), {});
  });
  const settled = !namedRows.length || names.data !== undefined || Boolean(names.error);
  const named = settled && (placeIds.every((id) => places.data?.some((p) => p.id === id)) || Boolean(places.error)); // labels are part of the request
  const labels = labelsOf(rows, monitors.data ?? [], places.data ?? [], names.data);
  const request = requestOf(rows, shared, earlier, labels);
  const key = monitors.data && named && rows.length ? JSON.stringify(request) : null;
  const load = (parts: string[], signal: AbortSignal) => call<Comparison>("POST", "/manage/v1/compare", { body: { ...request, parts }, signal });
  const counts = useLoad(key, (signal) => load(["counts"], signal));
  const details = useLoad(key, (signal) => load(["topics", "separating"], signal)); // takes longer
  const error = counts.error ?? details.error;
  const choose = (rows: Row[]) => change(rowParams(rows));
  const zone = (rows[0] && monitorOf(monitors.data ?? [], rows[0].id)?.monitor.timezone) ?? "UTC";
  return (
    <>
      <PageHeader title={common.pages.compare} lead={compare.lead}>
        {rows.length > 0 && <ApiLink />}
      </PageHeader>
      {monitors.error && <ErrorNotice error={monitors.error} retry={monitors.reload} />}
      {!monitors.data && !monitors.error && <Skeleton height="73rem" />}
      {monitors.data && (
        <div class="card stack compare-choices">
          <Chooser rows={rows} labels={labels} monitors={monitors.data} onChange={choose} />
          <div class="row compare-dates">
            <DateRange view={view} shown={counts.data?.rows[0]?.requested} zone={zone} />
            <EarlierPeriod value={earlier} days={counts.data?.rows[0]?.requested} onChange={(before) => change({ before })} />
          </div>
          {given.length > maxRows && <Notice kind="warn">{compare.rows.tooMany(given.length, maxRows)}</Notice>}
        </div>
      )}
      {monitors.data && rows.length === 0 && <EmptyState title={compare.empty}>{compare.emptyHint}</EmptyState>}
      {error && <ErrorNotice error={error} retry={() => (counts.reload(), details.reload())} />}
      {monitors.data && rows.length > 0 && !counts.data && !error && <Skeleton height="60rem" label={compare.counting} />}
      {rows.length > 0 && counts.data && (
        <PinContext.Provider value={pinSource(rows, shared, earlier, labels, monitors.data ?? [])}>
          <CompareCharts rows={counts.data.rows} details={details.data?.rows} failed={Boolean(details.error)} earlier={earlier} monitors={monitors.data ?? []} stale={counts.loading} staleDetails={details.loading} />
        </PinContext.Provider>
      )}
    </>
  );
}

// pinSource returns what a card of a dashboard needs to show the same comparison.
function pinSource(rows: Row[], shared: Dates, earlier: Earlier, labels: string[], monitors: Monitor[]): PinSource | null {
  const team = rows[0] && monitorOf(monitors, rows[0].id)?.monitor.team;
  if (!team) return null;
  return { team, days: shared, card: { earlier, rows: rows.map((row, i) => ({ label: labels[i], monitor: Number(row.id), filter: row.filter, ...row.dates })) } };
}
