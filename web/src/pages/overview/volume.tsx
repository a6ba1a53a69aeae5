import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Chart, type Colors, type Mark } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { annotatedDays, annotationNotes, pinsOf, type Pin } from "../../lib/annotations";
import { daysOf, postsHref, whyHref, type Period } from "../../lib/drill";
import { addDays, daysBetween, monthDay } from "../../lib/format";
import { gapNotes, gapRange, markGaps, type GapMark } from "../../lib/gaps";
import { periodOf, when } from "../../lib/period";
import { Link, useQuery } from "../../lib/router";
import { signalDays, signalHref, signalMarks, signalNotes } from "../../lib/signals";
import { defaultStep, hourlyDays, spans, stepsFor, sum, type Dated, type Span, type Step } from "../../lib/steps";
import { incidentMarks, incidentNotes } from "../../lib/incidents";
import type { OverviewGap, SignalMark } from "../../lib/types";
import type { View } from "../../lib/view";
import { AnnotateButton, AnnotationDialog, AnnotationList, type AnnotationEditor } from "../../components/annotations";
import { SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { Icon } from "../../components/icon";
import type { ChartProps, Incidents } from "./props";
import { common } from "../../strings/common";
import { annotations as annotationText } from "../../strings/marks";
import { overview } from "../../strings/overview";
import { signals as signalText } from "../../strings/signals";
import { why } from "../../strings/why";

// useStep returns the step of the time charts, a function that sets it, and the steps to choose
// from. The step is part of the URL.
export function useStep(o: Dated, hours?: boolean): [Step, (s: Step) => void, { value: Step; name: string }[]] {
  const [query, change] = useQuery();
  const options = stepsFor(o, hours);
  const requested = query.get("by") as Step;
  const step = options.some((s) => s.value === requested) ? requested : options.some((s) => s.value === defaultStep(o.days.length)) ? defaultStep(o.days.length) : "day";
  return [step === "hour" && o.hours.length === 0 ? "day" : step, (s) => change({ by: s }), options];
}

// useHours reports whether to load hours: if they are chosen, or for a few days, whose charts have
// hours by default.
export function useHours(view: View): boolean {
  const [query] = useQuery();
  const by = query.get("by");
  const few = view.range === "yesterday" || (view.start !== "" && defaultStep(daysBetween(view.start, view.end)) === "hour");
  return by ? by === "hour" : few;
}

// LinkProps are what charts need to link to other pages of the monitor. Without them, there are no links.
export interface LinkProps {
  view?: View;
  id?: string; // of the monitor
}

// Volume shows the number of posts over time. A click on a step, or dragging over several, narrows
// the date range to them. With an editor, people can annotate days.
export function Volume({ o, file, view, id, onRange, editor, incidents }: ChartProps & LinkProps & { onRange?: (start: string, end: string) => void; editor?: AnnotationEditor }) {
  const [step, setStep, options] = useStep(o, o.days.length <= hourlyDays);
  const steps = useMemo(() => spans(o, step), [o, step]);
  const values = useMemo(() => steps.map((s) => (step === "hour" ? o.hours[s.from].posts : sum(o.days, s, (d) => d.posts))), [steps]);
  const gaps = useGaps(o, steps);
  const annotated = useAnnotations(o, steps);
  const signaled = useSignals(o, steps, incidents);
  const [annotating, setAnnotating] = useState<{ start: string; end: string } | null>(null);
  const [picked, setPicked] = useState<Period | null>(null); // hours
  useEffect(() => setPicked(null), [o, step]);
  const unusual = useMemo(() => steps.map((s) => (step === "day" ? o.unusual.find((d) => d.date === s.start) : undefined)), [o, steps]);
  const notes = steps.map((_, i) => [unusual[i] && why.ratio(unusual[i].posts, unusual[i].expected.posts), annotated.notes[i], signaled.notes[i], gaps.notes[i]].filter(Boolean).join("\n"));
  const pick = (a: number, b: number) => {
    if (!steps[a] || !steps[b]) return;
    if (step === "hour") setPicked(periodOf({ from: steps[a].csv, to: steps[b + 1]?.csv ?? `${o.end}T00:00:00` }));
    else onRange?.(steps[a].start, steps[b].end);
  };
  const option = useCallback(
    (c: Colors) => timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), notes, pins: annotated.pins, series: [{ name: common.words.posts, values, color: c.accent, highlighted: unusual.map((d) => d && (d.posts < d.expected.posts ? "fewer" : "more")) }], kind: steps.length > 200 ? "areas" : "bars", pointer: Boolean(onRange) }, c),
    [steps, values, signaled],
  );
  const largest = values.indexOf(Math.max(...values));
  return (
    <ChartCard
      pin="volume"
      title={common.words.volume}
      note={steps[largest] && overview.volume.peak(values[largest], step, steps[largest].title)}
      file={`${file}-volume-${step}`}
      table={{ dates: true, head: [overview.timeColumn(step), common.words.posts], rows: steps.map((s, i) => [s.csv, values[i]]), links: view && id ? steps.map((s, i) => postsHref(id, view, step === "hour" ? periodOf({ from: s.csv, to: steps[i + 1]?.csv ?? `${o.end}T00:00:00` }) : { start: s.start, end: s.end }, "")) : undefined }}
      tools={
        <>
          {editor && <AnnotateButton editor={editor} days={daysToAnnotate(o)} />}
          {view && id && (
            <Link class="button small" href={whyHref(id, view, daysOf(view))} title={overview.volume.whyTitle}>
              {overview.volume.why}
            </Link>
          )}
          <SegmentedControl small label={overview.volume.groupBy} value={step} options={options} onChange={setStep} />
        </>
      }
    >
      <Chart
        label={overview.volume.label(step, o.posts) + annotated.label}
        option={option}
        bands={gaps.marks}
        marks={signaled.marks}
        onBrush={onRange && pick}
      />
      {picked && view && id && (
        <p class="row picked" role="status">
          <span>{overview.volume.picked(when(picked))}</span>
          <Link class="button small primary" href={whyHref(id, view, picked)}>
            {overview.volume.why}
          </Link>
          <Link class="button small" href={postsHref(id, view, picked, "")}>
            {overview.volume.viewPosts}
          </Link>
          {editor && (
            <button type="button" class="button small" onClick={() => setAnnotating({ start: picked.start!, end: picked.end! })}>
              {annotationText.addTitle}
            </button>
          )}
        </p>
      )}
      <AnnotationList list={o.annotations} editor={editor} />
      {annotating && editor && <AnnotationDialog editor={editor} days={annotating} onClose={() => setAnnotating(null)} />}
      <SignalNote o={o} list={signaled.shown} />
      <GapNote gaps={gaps.marks.map((m) => m.gap)} zone={o.monitor.timezone} linked={Boolean(view)} />
    </ChartCard>
  );
}

const annotatedAtOnce = 3; // days

// daysToAnnotate returns the days that a new annotation has at first: all of a few days, otherwise
// the latest unusual one or the last.
function daysToAnnotate({ start, end, days, unusual }: ChartProps["o"]): { start: string; end: string } {
  if (days.length <= annotatedAtOnce) return { start, end };
  const day = unusual.map((d) => d.date).sort().at(-1) ?? addDays(end, -1);
  return { start: day, end: addDays(day, 1) };
}

// useAnnotations returns where a chart has pins, what tooltips say about annotations, and what its
// label adds.
export function useAnnotations(o: ChartProps["o"], steps: Span[]): { pins: Pin[]; notes: string[]; label: string } {
  return useMemo(() => {
    const list = o.annotations.map((a) => annotationText.entry(annotatedDays(a), a.text)).join("; ");
    return { pins: pinsOf(o.annotations, steps), notes: annotationNotes(o.annotations, steps), label: list && annotationText.chart(list) };
  }, [o, steps]);
}

// useSignals returns where a chart has marks of incidents and signals, what tooltips say about them, and
// the signals that are not part of an incident.
export function useSignals(o: ChartProps["o"], steps: Span[], incidents?: Incidents): { marks: Mark[]; notes: string[]; shown: SignalMark[] } {
  return useMemo(() => {
    const shown = o.signals.filter((s) => !incidents?.list.some((i) => i.signals.includes(s.id)));
    const [about, alone] = [incidentNotes(incidents?.list ?? [], steps), signalNotes(shown, steps)];
    const marks = incidents ? incidentMarks(incidents.list, steps, incidents.href) : [];
    return {
      marks: [...marks, ...signalMarks(shown, steps, o.monitor.id).filter((s) => !marks.some((m) => m.at === s.at))],
      notes: steps.map((_, i) => [about[i], alone[i]].filter(Boolean).join("\n")),
      shown,
    };
  }, [o, steps, incidents]);
}

const namedSignals = 3; // that the note names; the others it counts

// SignalNote names the newest signals, with links to them.
function SignalNote({ o, list }: { o: ChartProps["o"]; list: SignalMark[] }) {
  if (list.length === 0) return null;
  const newest = [...list].reverse();
  return (
    <div class="small muted signal-note">
      <Icon name="bell" />
      <span class="sr">{signalText.marks.lead}</span>
      <div class="row">
        {newest.slice(0, namedSignals).map((s) => (
          <Link key={s.id} href={signalHref(s)} class="badge warn">
            {signalText.marks.chip(monthDay(signalDays(s).start), titleWithout(o.monitor.name, s.title))}
          </Link>
        ))}
        {newest.length > namedSignals && <Link href={`/signals?monitor=${o.monitor.id}&days=365`}>{signalText.marks.andMore(newest.length - namedSignals)}</Link>}
      </div>
    </div>
  );
}

// titleWithout leaves the name of the monitor out of a title, because the page is about it.
function titleWithout(monitor: string, title: string): string {
  return title.startsWith(`${monitor}: `) ? title.slice(monitor.length + 2) : title;
}

// useGaps returns where the steps of a chart have gaps, and what tooltips say about them.
export function useGaps(o: ChartProps["o"], steps: Span[]): { marks: GapMark[]; notes: string[] } {
  return useMemo(() => {
    const marks = markGaps(o.gaps, steps, o.monitor.timezone);
    return { marks, notes: gapNotes(marks, steps, o.monitor.timezone) };
  }, [o, steps]);
}

const namedGaps = 3; // gaps that the note describes; the others it counts

// GapNote says in words which sources were down, newest first.
function GapNote({ gaps, zone, linked }: { gaps: OverviewGap[]; zone: string; linked: boolean }) {
  if (gaps.length === 0) return null;
  const newest = [...gaps].reverse();
  return (
    <p class="small muted gap-note">
      <i aria-hidden="true" />
      <span>
        {overview.gaps.lead}{" "}
        {newest.slice(0, namedGaps).map((g) => (
          <span key={`${g.source} ${g.from}`}>
            {linked ? <Link href={`/sources/${g.source}`}>{g.name}</Link> : g.name}
            {overview.gaps.sentence(gapRange(g, zone), g.reason, g.open)}{" "}
          </span>
        ))}
        {gaps.length > namedGaps && overview.gaps.more(gaps.length - namedGaps)}
      </span>
    </p>
  );
}
