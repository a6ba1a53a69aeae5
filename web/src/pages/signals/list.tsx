import { useState } from "preact/hooks";
import { dateTime, timeAgo } from "../../lib/format";
import { Link } from "../../lib/router";
import { lengthOf } from "../../lib/signals";
import type { SignalInfo } from "../../lib/types";
import { AcknowledgeButton, AssignMenu, Expectation, SeverityBadge, StateBadge, useSignalActions } from "../../components/signals";
import { Icon } from "../../components/icon";
import { signals as text } from "../../strings/signals";

// SignalList lists signals, with what people can do about them at once.
export function SignalList({ list }: { list: SignalInfo[] }) {
  return (
    <ul class="signals" aria-label={text.title}>
      {list.map((s) => (
        <li key={s.id}>
          <SignalRow loaded={s} />
        </li>
      ))}
    </ul>
  );
}

function SignalRow({ loaded }: { loaded: SignalInfo }) {
  const [changed, setChanged] = useState<{ of: SignalInfo; to: SignalInfo }>(); // dropped when the list is reloaded
  const s = changed?.of === loaded ? changed.to : loaded;
  const { busy, change } = useSignalActions(s, (to) => setChanged({ of: loaded, to }));
  return (
    <article class={`card signal ${s.severity} ${s.state}`} aria-label={s.title}>
      <div class="signal-head">
        <div class="row">
          <SeverityBadge severity={s.severity} />
          <StateBadge s={s} />
          <span class="small muted" title={dateTime(s.raised, s.timezone)}>
            {s.state === "firing" ? timeAgo(s.raised) : text.lasted(timeAgo(s.raised), lengthOf(s))}
          </span>
        </div>
        <h2 class="break">
          <Link href={`/signals/${s.id}`}>{s.title}</Link>
        </h2>
        <p class="small muted row">
          <span class="clip">{s.monitor.name}</span>
          <span aria-hidden="true">·</span>
          <span>{text.kinds[s.kind]}</span>
          {s.commentCount > 0 && (
            <>
              <span aria-hidden="true">·</span>
              <span class="row">
                <Icon name="memo" />
                {text.comments(s.commentCount)}
              </span>
            </>
          )}
        </p>
      </div>
      <Expectation s={s} />
      <div class="row signal-actions">
        <AcknowledgeButton s={s} busy={busy} change={change} small />
        <AssignMenu s={s} busy={busy} change={change} small />
      </div>
    </article>
  );
}
