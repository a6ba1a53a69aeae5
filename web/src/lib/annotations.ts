// Annotations: what people noted on the time axis.
import { addDays, shortDay } from "./format";
import type { Span } from "./steps";
import type { Annotation } from "./types";

// A Pin marks where annotations begin on a chart. Annotations that begin in the same step share a
// pin.
export interface Pin {
  at: number; // index of the step
  to: number; // index of the last step of the longest of them
  label: string; // numbers of the annotations in the list below the chart
}

// stepsOf returns the first and the last step that an annotation is about, or null if there is none.
function stepsOf(a: Annotation, steps: Span[]): [first: number, last: number] | null {
  const first = steps.findIndex((s) => s.end > a.start);
  const last = steps.findLastIndex((s) => s.start < a.end);
  return first < 0 || last < first ? null : [first, last];
}

// pinsOf returns the pins of a chart with the given steps.
export function pinsOf(annotations: Annotation[], steps: Span[]): Pin[] {
  const pins = new Map<number, Pin>();
  annotations.forEach((a, i) => {
    const found = stepsOf(a, steps);
    if (!found) return;
    const [at, to] = found;
    const pin = pins.get(at);
    pins.set(at, { at, to: Math.max(to, pin?.to ?? 0), label: pin ? `${pin.label},${i + 1}` : String(i + 1) });
  });
  return [...pins.values()];
}

// annotationNotes returns the lines that the tooltip of each step shows about annotations, or "".
export function annotationNotes(annotations: Annotation[], steps: Span[]): string[] {
  const lines = steps.map((): string[] => []);
  for (const a of annotations) {
    const found = stepsOf(a, steps);
    for (let i = found?.[0] ?? 0; found && i <= found[1]; i++) lines[i].push(`⚑ ${a.text}`);
  }
  return lines.map((list) => list.join("\n"));
}

// annotatedDays formats the days of an annotation: "Tue, Mar 10" or "Mon, Mar 9 – Wed, Mar 11".
export function annotatedDays(a: Pick<Annotation, "start" | "end">): string {
  const last = addDays(a.end, -1);
  return last === a.start ? shortDay(a.start) : `${shortDay(a.start)} – ${shortDay(last)}`;
}
