import type { Hours, Metric, RuleInfo, RuleKind, Severity, SignalKind } from "../../lib/types";
import { isShare, rules as text } from "../../strings/signals";

// A Draft is a rule in the editor. Numbers are texts while people type them.
export interface Draft {
  kind: RuleKind;
  monitor: number;
  name: string;
  filter: string;
  falseAlarms: number;
  kinds: SignalKind[]; // empty: all
  minPosts: string;
  metric: Metric;
  below: boolean;
  value: string | null; // in percent for shares; null: the limit that the server suggests
  windowHours: number;
  of: string;
  shareMinPosts: number;
  severity: Severity;
  channels: number[];
  active: Hours[];
  quiet: Hours[];
  coolDownMinutes: number;
  enabled: boolean;
}

export const allDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const isKind = (kind: string): kind is RuleKind => ["unusual", "threshold", "post"].includes(kind);

// newDraft returns a new rule of a kind and monitor, both of which may be missing.
export function newDraft(kind: string, monitor: number): Draft {
  return {
    kind: isKind(kind) ? kind : "threshold",
    monitor,
    name: "",
    filter: "",
    falseAlarms: 12,
    kinds: [],
    minPosts: "10",
    metric: "posts",
    below: false,
    value: null,
    windowHours: 24,
    of: "",
    shareMinPosts: 10,
    severity: "warning",
    channels: [],
    active: [],
    quiet: [],
    coolDownMinutes: 0,
    enabled: true,
  };
}

// draftOf returns the draft of an existing rule.
export function draftOf(r: RuleInfo): Draft {
  const d = { ...newDraft(r.kind, r.monitor.id), name: r.name, filter: r.filter, severity: r.severity, channels: r.channels, active: r.active, quiet: r.quiet, coolDownMinutes: r.coolDownMinutes, enabled: r.enabled };
  if (r.unusual) return { ...d, falseAlarms: r.unusual.falseAlarms, kinds: r.unusual.kinds, minPosts: String(r.unusual.minPosts) };
  const t = r.threshold;
  if (!t) return d;
  const value = isShare(t.metric) ? Math.round(t.value * 1000) / 10 : t.value;
  return { ...d, metric: t.metric, below: t.below, value: String(value), windowHours: t.windowHours, of: t.of, shareMinPosts: t.minPosts };
}

// hasOf reports whether a metric is about a category, country or language.
export const hasOf = (m: Metric) => m === "category" || m === "country" || m === "language";

// limitOf returns the limit of a threshold as the server expects it.
const limitOf = (d: Draft) => (isShare(d.metric) ? Number(d.value) / 100 : Number(d.value));

// isComplete reports whether a draft can be saved.
export function isComplete(d: Draft): boolean {
  if (d.monitor === 0) return false;
  if (d.kind === "unusual") return /^\d+$/.test(d.minPosts) && Number(d.minPosts) > 0;
  if (d.kind === "post") return true;
  if (hasOf(d.metric) && d.of === "") return false;
  return Boolean(d.value?.trim()) && Number(d.value) >= 0 && (!isShare(d.metric) || Number(d.value) <= 100);
}

// bodyOf returns the body of a request that saves or previews a draft.
export function bodyOf(d: Draft, name: string): object {
  return {
    name: d.name.trim() || name,
    severity: d.severity,
    channels: d.channels,
    active: d.active,
    quiet: d.quiet,
    coolDownMinutes: d.coolDownMinutes,
    enabled: d.enabled,
    ...(d.kind === "unusual" ? { unusual: { falseAlarms: d.falseAlarms, kinds: d.kinds, minPosts: Number(d.minPosts) } } : { filter: d.filter }),
    ...(d.kind === "threshold"
      ? { threshold: { metric: d.metric, below: d.below, value: limitOf(d), windowHours: d.windowHours, of: hasOf(d.metric) ? d.of : "", minPosts: isShare(d.metric) ? d.shareMinPosts || 10 : 0 } }
      : {}),
  };
}

// sentenceOf says in a sentence what a draft does. of is the name of its category, country or
// language.
export function sentenceOf(d: Draft, monitor: string, of: string): string {
  if (d.kind === "unusual") return text.sentence.unusual(monitor, d.falseAlarms);
  if (d.kind === "post") return text.sentence.post(monitor, d.filter !== "");
  return text.sentence.threshold(monitor, text.metricOf(d.metric, of), d.below, d.value?.trim() ? text.value(d.metric, limitOf(d) || 0) : "…", d.windowHours);
}

// ruleSentence says in a sentence what a rule does.
export const ruleSentence = (r: RuleInfo) => sentenceOf(draftOf(r), r.monitor.name, r.threshold?.of ?? "");
