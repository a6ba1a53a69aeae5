import { post } from "../../lib/api";
import { dateTime } from "../../lib/format";
import { useDebounced, useLoad } from "../../lib/load";
import type { Metric, PreviewSignal, RulePreview as Preview } from "../../lib/types";
import { Card, ErrorNotice } from "../../components/basics";
import { rules } from "../../strings/signals";

const text = rules.editor;
const listed = 5;

// entryOf says when a signal would have been raised, and what its peak would have been if it grew.
function entryOf(s: PreviewSignal, metric: Metric, zone?: string): string {
  const raised = text.previewEntry([dateTime(s.raised, zone), s.label].filter(Boolean).join(" "), metric, s.observed);
  return s.peak === s.observed ? raised : `${raised}; ${text.previewPeak(metric, s.peak, dateTime(s.peakTime, zone))}`;
}

// RulePreview says which signals a rule would have raised in the last 30 days.
export function RulePreview({ body, metric, zone }: { body: object | null; metric: Metric; zone?: string }) {
  const key = useDebounced(body && JSON.stringify(body), 500);
  const { data, error, loading, reload } = useLoad(key, () => post<Preview>("/manage/v1/rules/preview", JSON.parse(key!)));
  return (
    <Card title={text.preview}>
      <div aria-live="polite" aria-busy={loading} class="stack tight rule-preview">
        {error && <ErrorNotice error={error} retry={reload} />}
        {loading && !data && <p class="muted">{text.previewLoading}</p>}
        {data && !error && (
          <>
            <p>{data.almostAlways ? text.previewAlways : text.previewTimes(data.signals.length, data.capped)}</p>
            <ul class="small muted num">
              {[...data.signals].reverse().slice(0, listed).map((s) => (
                <li key={`${s.raised} ${s.kind} ${s.label}`}>{entryOf(s, metric, zone)}</li>
              ))}
              {data.signals.length > listed && <li>{text.previewMore(data.signals.length - listed)}</li>}
            </ul>
          </>
        )}
      </div>
    </Card>
  );
}
