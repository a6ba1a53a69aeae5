import { useEffect, useState } from "preact/hooks";
import { get } from "../../lib/api";
import { dateTime, number } from "../../lib/format";
import { incidentHref, shortTitle } from "../../lib/incidents";
import { useLoad } from "../../lib/load";
import { when } from "../../lib/period";
import { Link } from "../../lib/router";
import { monitorPage, signalDays, signalPeriod, signalPosts, signalWhy } from "../../lib/signals";
import type { Incidents, SignalPage as Signal } from "../../lib/types";
import { AnnotationDialog } from "../../components/annotations";
import { Card, ErrorNotice, PageHeader, Skeleton } from "../../components/basics";
import { Icon } from "../../components/icon";
import { AcknowledgeButton, AssignMenu, Expectation, SeverityBadge, StateBadge, useSignalActions } from "../../components/signals";
import { SignalChart } from "./chart";
import { Explanation, Matches } from "./explanation";
import { History } from "./history";
import { common } from "../../strings/common";
import { signals } from "../../strings/signals";

const text = signals.detail;

// SignalPage shows one signal: how unusual it is, what it is about, and what people do about it.
export function SignalPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`signal ${id}`, () => get<Signal>(`/manage/v1/signals/${id}`));
  const [changed, setChanged] = useState<{ of: Signal; to: Signal }>();
  const s = data && changed?.of === data ? changed.to : data;
  useEffect(() => {
    if (data) document.title = common.documentTitle(data.title);
  }, [data]);
  if (error && !data) {
    return (
      <>
        <PageHeader title={signals.title} />
        <ErrorNotice error={error} retry={reload} />
      </>
    );
  }
  if (!data || !s) return <Skeleton height="30rem" label={signals.loading} />;
  return <SignalView s={s} onChanged={(to) => setChanged({ of: data, to })} />;
}

function SignalView({ s, onChanged }: { s: Signal; onChanged: (s: Signal) => void }) {
  const { busy, change } = useSignalActions(s, onChanged);
  const [annotating, setAnnotating] = useState(false);
  return (
    <>
      <p class="small">
        <Link href="/signals">{text.back}</Link>
      </p>
      <PageHeader
        title={s.title}
        badge={
          <>
            <SeverityBadge severity={s.severity} />
            <StateBadge s={s} />
          </>
        }
        lead={s.text}
      />
      <div class="signal-toolbar">
        <div class="row">
          <AcknowledgeButton s={s} busy={busy} change={change} />
          <AssignMenu s={s} busy={busy} change={change} />
          {s.state === "firing" && (
            <button type="button" class="button" disabled={busy} onClick={() => change({ state: "resolved" })}>
              {signals.actions.resolve}
            </button>
          )}
          <button type="button" class="button" onClick={() => setAnnotating(true)}>
            <Icon name="flag" />
            {signals.actions.annotate}
          </button>
        </div>
        <Feedback s={s} busy={busy} change={change} />
      </div>
      <div class="columns">
        <div class="c8 stack">
          <Numbers s={s} />
          <SignalChart s={s} />
          {s.kind === "post" ? <Matches s={s} /> : <Explanation s={s} />}
        </div>
        <div class="c4">
          <History s={s} onChanged={onChanged} />
        </div>
      </div>
      {annotating && <AnnotationDialog editor={{ monitor: Number(monitorPage(s)), team: s.team, onChanged: () => {} }} days={signalDays(s)} words={s.title} onClose={() => setAnnotating(false)} />}
    </>
  );
}

// Feedback asks whether a signal was useful.
function Feedback({ s, busy, change }: { s: Signal; busy: boolean; change: (body: object) => Promise<void> }) {
  const choose = (useful: boolean) => change({ useful: s.useful === useful ? null : useful });
  const counted = s.feedback.useful + s.feedback.notUseful > 0;
  return (
    <div class="row" role="group" aria-label={signals.actions.feedback}>
      <span class="small muted">{signals.actions.feedback}</span>
      <button type="button" class="button small" aria-pressed={s.useful === true} disabled={busy} onClick={() => choose(true)}>
        {signals.actions.useful}
      </button>
      <button type="button" class="button small" aria-pressed={s.useful === false} disabled={busy} onClick={() => choose(false)}>
        {signals.actions.notUseful}
      </button>
      {counted && <span class="small muted num">{text.feedbackCounts(s.feedback.useful, s.feedback.notUseful)}</span>}
    </div>
  );
}

// IncidentLink links to the incident that a signal is part of, if there is one.
function IncidentLink({ s }: { s: Signal }) {
  const { start, end } = signalDays(s);
  const { data } = useLoad(`incident of ${s.id} ${end}`, () => get<Incidents>(`/manage/v1/monitors/${monitorPage(s)}/incidents`, { start, end }));
  const found = data?.incidents.find((i) => i.signals.includes(s.id));
  if (!found) return null;
  return (
    <>
      <dt>{text.incident}</dt>
      <dd>
        <Link href={incidentHref(found)}>{shortTitle(found)}</Link>
      </dd>
    </>
  );
}

// Numbers says what was observed and what was expected.
function Numbers({ s }: { s: Signal }) {
  return (
    <Card>
      <Expectation s={s} />
      <dl class="facts signal-facts">
        <dt>{text.when}</dt>
        <dd>
          {when(signalPeriod(s))} <span class="muted">({s.timezone})</span>
        </dd>
        {s.low !== null && s.expected !== null && (
          <>
            <dt>{text.expected}</dt>
            <dd class="num">{signals.observed(s.metric, s.expected)}</dd>
          </>
        )}
        {s.peakTime && s.peak !== s.observed && (
          <>
            <dt>{text.peak}</dt>
            <dd class="num">
              {signals.observed(s.metric, s.peak)} <span class="muted">{dateTime(s.peakTime, s.timezone)}</span>
            </dd>
          </>
        )}
        {s.windowHours > 0 && (
          <>
            <dt>{text.window}</dt>
            <dd class="num">{text.windowHours(Number(number(s.windowHours)))}</dd>
          </>
        )}
        <IncidentLink s={s} />
        <dt>{common.words.monitor}</dt>
        <dd>
          <Link href={`/monitors/${monitorPage(s)}`}>{s.monitor.name}</Link>
        </dd>
        <dt>{text.rule}</dt>
        <dd>
          {s.rule ? (
            <Link href={`/signals/rules/${s.rule.id}`}>{s.rule.name}</Link>
          ) : (
            <>
              {text.defaults} (<Link href={`/signals/rules/new?kind=unusual&monitor=${s.monitor.id}`}>{text.settings}</Link>)
            </>
          )}
        </dd>
      </dl>
      <div class="row">
        <Link class="button small" href={signalPosts(s)}>
          {text.viewPosts}
        </Link>
        <Link class="button small" href={signalWhy(s)}>
          {text.viewWhy}
        </Link>
      </div>
    </Card>
  );
}
