import { timeAgo } from "../../lib/format";
import type { Channel, ChannelKind } from "../../lib/types";
import { Icon, type IconName } from "../../components/icon";
import { channels as text } from "../../strings/channels";

const icons: Record<ChannelKind, IconName> = { email: "mail", slack: "hash", teams: "people", discord: "chat", ntfy: "phone", webhook: "webhook" };

// ChannelIcon is the symbol of a kind of channels.
export function ChannelIcon({ kind }: { kind: ChannelKind }) {
  return (
    <span class="kind-icon" aria-hidden="true">
      <Icon name={icons[kind]} />
    </span>
  );
}

const tones = { working: "good", failing: "bad", disabled: "warn", unused: "" };

// ChannelState says whether messages arrive and, if they do not, why.
export function ChannelState({ channel: c }: { channel: Channel }) {
  const state = stateOf(c);
  const reason = state === "disabled" ? c.disabledReason || text.disabledByHand : c.lastError;
  return (
    <>
      <span class={`badge state ${tones[state]}`}>
        <i class="state-dot" />
        {text[state]}
      </span>
      {reason && <p class={`small break ${state === "failing" ? "bad" : "muted"}`}>{sentence(reason)}</p>}
    </>
  );
}

// LastDelivery says when the last message was sent, and how many are waiting.
export function LastDelivery({ channel: c }: { channel: Channel }) {
  return (
    <>
      <p class={c.lastSent ? "" : "muted"}>{c.lastSent ? text.lastSent(timeAgo(c.lastSent)) : text.never}</p>
      {(c.waiting > 0 || c.failed > 0) && <p class="small muted">{[c.waiting > 0 && text.waiting(c.waiting), c.failed > 0 && text.failed(c.failed)].filter(Boolean).join(" · ")}</p>}
    </>
  );
}

function stateOf(c: Channel): keyof typeof tones {
  if (!c.enabled) return "disabled";
  if (c.lastError) return "failing";
  return c.lastSent ? "working" : "unused";
}

// sentence turns the reason of an error into a sentence.
export const sentence = (reason: string) => {
  const start = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
};
