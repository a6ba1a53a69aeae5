import { useState } from "preact/hooks";
import { get, listAll } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link, useQuery } from "../lib/router";
import type { DetectionInfo, Monitor, RuleInfo } from "../lib/types";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { Icon } from "../components/icon";
import { draftOf, newDraft } from "./rules/draft";
import { RuleEditor } from "./rules/editor";
import { MonitorRow, RuleRow } from "./rules/list";
import { SignalsLayout } from "./signals/layout";
import { rules as text } from "../strings/signals";

const shownMonitors = 10;

// RulesPage lists how each monitor is watched for unusual activity, and the rules that people made.
export function RulesPage() {
  return (
    <SignalsLayout
      title={text.title}
      lead={text.lead}
      tools={
        <Link href="/signals/rules/new" class="button primary">
          <Icon name="plus" />
          {text.new}
        </Link>
      }
    >
      <Rules />
    </SignalsLayout>
  );
}

function Rules() {
  const { data, error, reload } = useLoad("rules and monitors", async () => {
    const [rules, monitors] = await Promise.all([listAll<RuleInfo>("/manage/v1/rules"), listAll<Monitor>("/manage/v1/monitors")]);
    return { rules, monitors };
  });
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  if (error) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="24rem" label={text.loading} />;
  const term = search.trim().toLowerCase();
  const own = data.rules.filter((r) => r.kind !== "unusual" && `${r.name} ${r.monitor.name}`.toLowerCase().includes(term));
  const unusual = new Map(data.rules.filter((r) => r.kind === "unusual").map((r) => [r.monitor.id, r]));
  const filters = data.rules.filter((r) => r.kind === "unusual" && r.monitor.parent !== null);
  const watched = [...data.monitors.map((m) => ({ id: m.id, name: m.name })), ...filters.map((r) => ({ id: r.monitor.id, name: r.monitor.name }))]
    .filter((m) => m.name.toLowerCase().includes(term))
    .sort((a, b) => Number(unusual.has(b.id)) - Number(unusual.has(a.id)) || a.name.localeCompare(b.name));
  const hasOwn = data.rules.some((r) => r.kind !== "unusual");
  const shown = all || term ? watched : watched.slice(0, shownMonitors);
  return (
    <div class="stack">
      {data.monitors.length + data.rules.length > 6 && (
        <div class="home-tools">
          <input type="search" aria-label={text.find} placeholder={text.find} value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        </div>
      )}
      <Card title={text.ownTitle}>
        {!hasOwn && (
          <EmptyState
            title={text.none}
            actions={
              <Link href="/signals/rules/new?kind=threshold" class="button">
                {text.new}
              </Link>
            }
          >
            {text.noneHint}
          </EmptyState>
        )}
        <ul class="rule-list">
          {own.map((r) => (
            <RuleRow key={r.id} r={r} onChanged={reload} />
          ))}
        </ul>
      </Card>
      <Card title={text.unusualTitle} note={text.unusualNote}>
        <ul class="rule-list">
          {shown.map((m) => (
            <MonitorRow key={m.id} id={m.id} name={m.name} rule={unusual.get(m.id)} onChanged={reload} />
          ))}
        </ul>
        {watched.length > shown.length && (
          <button type="button" class="button small" onClick={() => setAll(true)}>
            {text.more(watched.length - shown.length)}
          </button>
        )}
      </Card>
    </div>
  );
}

// NewRulePage creates a rule. The URL may name its kind and monitor. The settings of a monitor for
// unusual activity begin with those that apply to it now.
export function NewRulePage() {
  const [query] = useQuery();
  const kind = query.get("kind") ?? "";
  const monitor = Number(query.get("monitor")) || 0;
  const isDetection = kind === "unusual" && monitor > 0;
  const { data, error, reload } = useLoad(isDetection ? `detection ${monitor}` : null, () => get<DetectionInfo>(`/manage/v1/monitors/${monitor}/detection`));
  if (error) return <Loaded title={text.new} error={error} reload={reload} />;
  if (isDetection && !data) return <Loaded title={text.new} />;
  if (data) return <RuleEditor first={draftOf(data.rule)} saved={data.rule.id === null ? undefined : data.rule} detection={data} />;
  return <RuleEditor first={newDraft(kind, monitor)} />;
}

// EditRulePage changes a rule.
export function EditRulePage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`rule ${id}`, () => get<RuleInfo>(`/manage/v1/rules/${id}`));
  if (!data) return <Loaded title={text.edit} error={error} reload={reload} />;
  return <RuleEditor key={data.revision} first={draftOf(data)} saved={data} onReload={reload} />;
}

function Loaded({ title, error, reload }: { title: string; error?: Error; reload?: () => void }) {
  return (
    <SignalsLayout title={title} lead={text.lead}>
      {error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton height="30rem" label={text.loading} />}
    </SignalsLayout>
  );
}
