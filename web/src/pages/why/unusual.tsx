import { get } from "../../lib/api";
import { whyHref } from "../../lib/drill";
import { addDays, shortDay } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Overview } from "../../lib/types";
import type { View } from "../../lib/view";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { why } from "../../strings/why";

// useUnusual loads the overview of a view with its unusual days, unless the view has a single day.
export function useUnusual(target: string, view: View, wanted: boolean) {
  const path = `/manage/v1/monitors/${target}/overview`;
  return useLoad(wanted ? JSON.stringify([path, view.params]) : null, (signal) => get<Overview>(path, { ...view.params, parts: "unusual" }, signal));
}

const newestFirst = (list: Overview["unusual"]) => [...list].sort((a, b) => b.date.localeCompare(a.date));

// UnusualDays lists the unusual days of a view, to choose one. lead says why to choose.
export function UnusualDays({ id, view, loaded, lead }: { id: string; view: View; loaded: ReturnType<typeof useUnusual>; lead: string }) {
  const { data, error, reload } = loaded;
  return (
    <Card title={lead ? why.choose : why.unusualDays} note={lead || why.unusualNote}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="3rem" label={why.findingUnusual} />}
      {data && data.unusual.length === 0 && <p class="muted">{why.nothingUnusual}</p>}
      {data && data.unusual.length > 0 && (
        <ul class="unusual">
          {newestFirst(data.unusual).map((d) => (
            <li key={d.date}>
              <Link class="button" href={whyHref(id, view, { start: d.date, end: addDays(d.date, 1) })}>
                <strong>{shortDay(d.date)}</strong>
                <span class="muted small">{why.compared(d.posts, d.expected.posts)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
