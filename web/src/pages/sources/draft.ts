import { capitalize } from "../../lib/format";
import { rulesSetting } from "../../lib/livesource";
import type { Keep, Source, SourceKind, SourceSetting } from "../../lib/types";
import { sources as text } from "../../strings/sources";

// A Draft is what the form of a source holds.
export interface Draft {
  name: string;
  named: boolean; // the user has chosen the name, so it no longer follows the settings
  settings: Record<string, string>;
  secret: string;
  keep: Keep;
  retention: string; // days; empty: as the server is configured
  accepted: string; // version of the server's rules that the user has accepted
}

// A FieldError is an error of one field: the name of a setting, "name", "secret" or "retention". An
// error with the field "" concerns the whole form.
export interface FieldError {
  field: string;
  message: string;
}

// shownSettings returns the settings that have fields.
export const shownSettings = (kind: SourceKind) => kind.settings.filter((s) => s.name !== rulesSetting);

// isSwitch reports whether a setting can only be on or off.
export const isSwitch = (s: SourceSetting) => [...s.options].sort().join() === "off,on";

// isHidden reports whether a setting is hidden at first: those for experts, switches, and long
// optional texts.
export const isHidden = (s: SourceSetting) => s.advanced || isSwitch(s) || (s.long && !s.required);

// newDraft returns the form of a new source. taken are the names of the team's other sources.
export function newDraft(kind: SourceKind, taken: string[]): Draft {
  const settings = Object.fromEntries(shownSettings(kind).map((s) => [s.name, s.default ?? ""]));
  return { name: freeName(kind.title, taken), named: false, settings, secret: kind.receives ? newSecret() : "", keep: kind.keep || "matched", retention: "", accepted: "" };
}

// draftOf returns the form of an existing source.
export function draftOf(kind: SourceKind, s: Source): Draft {
  const settings = Object.fromEntries(shownSettings(kind).map((x) => [x.name, s.settings[x.name] ?? x.default ?? ""]));
  return { name: s.name, named: true, settings, secret: "", keep: s.keep, retention: s.retentionDays ? String(s.retentionDays) : "", accepted: s.settings[rulesSetting] ?? "" };
}

// withSetting returns the draft with a setting changed. The name of a new source follows the host
// of its address, unless the user has chosen a name.
export function withSetting(d: Draft, kind: SourceKind, name: string, value: string, taken: string[]): Draft {
  const next = { ...d, settings: { ...d.settings, [name]: value }, accepted: "" };
  const main = shownSettings(kind).find((s) => !isHidden(s));
  if (!d.named && main?.name === name) next.name = freeName(hostOf(value) || kind.title, taken);
  return next;
}

// hostOf returns the host of the first address in a text, or "" if there is none.
function hostOf(value: string): string {
  const first = value.trim().split(/\s+/)[0] ?? "";
  try {
    const { hostname } = new URL(/^[a-z]+:\/\//i.test(first) ? first : `https://${first}`);
    return hostname.includes(".") ? hostname.replace(/^www\./, "") : "";
  } catch {
    return "";
  }
}

// freeName returns a name that no other source has: "Bluesky", then "Bluesky 2".
function freeName(name: string, taken: string[]): string {
  const used = new Set(taken.map((t) => t.toLowerCase()));
  if (!used.has(name.toLowerCase())) return name;
  for (let n = 2; ; n++) {
    const next = text.nameOfSecond(name, n);
    if (!used.has(next.toLowerCase())) return next;
  }
}

// newSecret returns a random secret in the format of the Standard Webhooks specification.
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

// settingsOf returns the settings to send: those that differ from the defaults, and those that
// replace earlier values.
export function settingsOf(d: Draft, kind: SourceKind, before?: Source): Record<string, string> {
  const defaults = new Map(kind.settings.map((s) => [s.name, s.default]));
  const all = Object.entries({ ...d.settings, ...(d.accepted ? { [rulesSetting]: d.accepted } : {}) }).map(([name, value]) => [name, value.trim()]);
  return Object.fromEntries(all.filter(([name, value]) => before?.settings[name] || (value !== "" && value !== defaults.get(name))));
}

// check returns what is missing in a draft, before the server sees it.
export function check(d: Draft, kind: SourceKind, existing: boolean): FieldError | null {
  const missing = (field: string, label: string) => ({ field, message: text.missing(label) });
  for (const s of shownSettings(kind)) {
    if (s.required && !d.settings[s.name]?.trim()) return missing(s.name, s.title);
  }
  if (!d.name.trim()) return missing("name", text.nameField);
  if (d.retention.trim() && !(/^\d+$/.test(d.retention.trim()) && Number(d.retention) >= 1 && Number(d.retention) <= 36_500)) return { field: "retention", message: text.retentionInvalid };
  if (kind.receives && !existing && !d.secret) return missing("secret", text.newSecret);
  return null;
}

// errorOf finds the field that a message of the server is about: the setting that it names first.
export function errorOf(message: string, kind: SourceKind): FieldError {
  const position = (word: string) => (word === "" ? -1 : message.search(new RegExp(`(?<![\\p{L}\\p{N}_])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_])`, "iu")));
  const mentions = (word: string) => position(word) >= 0;
  const first = (word: (s: SourceSetting) => string) =>
    shownSettings(kind)
      .filter((s) => mentions(word(s)))
      .sort((a, b) => position(word(a)) - position(word(b)))[0];
  if (mentions(rulesSetting)) return { field: rulesSetting, message };
  const setting = first((s) => s.name) ?? first((s) => s.title);
  if (setting) return { field: setting.name, message: capitalize(message.replace(new RegExp(`^(setting )?'?${setting.name}\\b'?`, "i"), setting.title)) };
  if (mentions("retentionDays")) return { field: "retention", message };
  if (kind.secret && (mentions("secret") || mentions("token") || mentions(kind.secret))) return { field: "secret", message };
  if (mentions("name")) return { field: "name", message };
  return { field: "", message };
}
