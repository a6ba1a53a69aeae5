import { type ComponentChildren } from "preact";
import { capitalize } from "../lib/format";
import type { Source } from "../lib/types";
import { Icon, type IconName } from "./icon";
import { common } from "../strings/common";
import { sources } from "../strings/sources";

const kindIcons: Record<string, IconName> = { bluesky: "sky", feed: "news", mastodon: "federation", hackernews: "upvote", webhook: "webhook", folder: "folder" };

// KindIcon is the symbol of a kind of sources: an icon, or the first letter of its title.
export function KindIcon({ kind, title }: { kind: string; title: string }) {
  const icon = kindIcons[kind];
  return (
    <span class={`kind-icon kind-${kind}`} aria-hidden="true">
      {icon ? <Icon name={icon} /> : title.slice(0, 1)}
    </span>
  );
}

const tones: Record<string, string> = { live: "good", catchingUp: "accent", backingOff: "warn", attention: "bad" };

// SourceBadge shows what a source is doing.
export function SourceBadge({ source }: { source: Source }) {
  const { phase, lagSeconds, until } = source.state;
  if (source.paused) return <Badge>{common.paused}</Badge>;
  const wait = until ? (new Date(until).getTime() - Date.now()) / 1000 : 0;
  const text = phase === "catchingUp" && lagSeconds ? sources.behind(lagSeconds) : phase === "backingOff" && wait > 0 ? sources.retryIn(wait) : (sources.states[phase] ?? phase);
  return <Badge tone={tones[phase]}>{text}</Badge>;
}

function Badge({ tone = "", children }: { tone?: string; children: ComponentChildren }) {
  return (
    <span class={`badge state ${tone}`}>
      <i class="state-dot" />
      {children}
    </span>
  );
}

// SourceReason says why a source is not live, or what it does not do.
export function SourceReason({ source }: { source: Source }) {
  const { phase, reason } = source.state;
  if (source.paused || !reason || phase === "starting") return null;
  return <p class={`small break ${phase === "attention" ? "bad" : "muted"}`}>{capitalize(/[.!?]$/.test(reason) ? reason : `${reason}.`)}</p>;
}
