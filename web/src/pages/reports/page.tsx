import { useEffect, useState } from "preact/hooks";
import { get, patch, post, remove, urlOf } from "../../lib/api";
import { dateTime } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link, navigate } from "../../lib/router";
import type { ScheduledReport } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { titleOf } from "../../components/cards/card";
import { Confirm } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";
import { showError, toast } from "../../components/toast";
import { SignalsLayout } from "../signals/layout";
import { draftOf, ReportDialog } from "./form";
import { Runs } from "./runs";
import { channels as channelText } from "../../strings/channels";
import { common } from "../../strings/common";
import { reports as text } from "../../strings/reports";

const refresh = 5000; // milliseconds

// ReportPage shows a scheduled report: what it looks like now, its settings, and what was sent.
export function ReportPage({ id }: { id: string }) {
  const path = `/manage/v1/reports/${id}`;
  const { data: r, error, reload } = useLoad(`report ${id}`, (signal) => get<ScheduledReport>(path, {}, signal));
  const [dialog, setDialog] = useState<"edit" | "send" | "remove">();
  const [version, setVersion] = useState(0); // of the runs
  useInterval(error ? 0 : refresh, reload);
  useEffect(() => {
    if (r) document.title = common.documentTitle(r.name);
  }, [r?.name]);
  const close = () => setDialog(undefined);
  const toggle = async () => {
    try {
      await patch(path, { disabled: !r!.disabled, revision: r!.revision });
      toast((r!.disabled ? text.resumedToast : text.pausedToast)(r!.name));
      reload();
    } catch (err) {
      showError(err);
    }
  };
  const tools = r && (
    <>
      <button type="button" class="button primary" disabled={r.channels.length === 0} title={r.channels.length === 0 ? text.noChannels : undefined} onClick={() => setDialog("send")}>
        <Icon name="mail" />
        {text.sendNow}
      </button>
      <button type="button" class="button" onClick={() => setDialog("edit")}>
        <Icon name="edit" />
        {common.actions.edit}
      </button>
      <Popover label={text.actions(r.name)} title={text.actions(r.name)} right button={<Icon name="more" />}>
        {(closeMenu) => (
          <div class="options nowrap">
            <button
              type="button"
              onClick={() => {
                closeMenu();
                void toggle();
              }}
            >
              {r.disabled ? text.resume : text.pause}
            </button>
            <button
              type="button"
              onClick={() => {
                closeMenu();
                setDialog("remove");
              }}
            >
              {text.remove}
            </button>
          </div>
        )}
      </Popover>
    </>
  );
  return (
    <SignalsLayout title={r?.name ?? text.title} lead={r?.schedule ?? text.lead} tools={tools}>
      {error && <ErrorNotice error={error} retry={reload} undo={{ name: text.back, act: () => navigate("/signals/reports") }} />}
      {!r && !error && <Skeleton height="30rem" />}
      {r && (
        <div class="columns">
          <div class="c7">
            <Preview report={r} />
          </div>
          <div class="c5 stack">
            <Settings report={r} />
            <Runs report={r} version={version} />
          </div>
        </div>
      )}
      {r && dialog === "edit" && (
        <ReportDialog
          report={r}
          start={draftOf(r)}
          onClose={close}
          onSaved={(saved) => {
            toast(common.savedItem(saved.name));
            reload();
          }}
        />
      )}
      {r && dialog === "send" && (
        <Confirm
          title={text.sendNowTitle(r.name)}
          action={text.sendNow}
          danger={false}
          onClose={close}
          onConfirm={async () => {
            await post(`${path}/send`);
            toast(text.sending);
            setVersion((n) => n + 1);
          }}
        >
          {text.sendNowText(r.channels.map((c) => c.name))}
        </Confirm>
      )}
      {r && dialog === "remove" && (
        <Confirm
          title={text.removeTitle(r.name)}
          action={text.removeAction}
          onClose={close}
          onConfirm={async () => {
            await remove(path);
            toast(text.removed(r.name));
            navigate("/signals/reports");
          }}
        >
          {text.removeText}
        </Confirm>
      )}
    </SignalsLayout>
  );
}

// Preview shows the report as it would be sent now. The frame cannot run scripts and has no access to
// the session; its links open in a new tab.
function Preview({ report: r }: { report: ScheduledReport }) {
  const path = `/manage/v1/reports/${r.id}/preview`;
  const [shown, setShown] = useState(-1); // revision
  const loading = shown !== r.revision;
  return (
    <Card
      class="fill"
      title={text.preview}
      note={text.previewNote}
      tools={(["pdf", "xlsx"] as const).map((format) => (
        <a key={format} class="button small" href={urlOf(path, { format })} download>
          <Icon name="download" />
          {text[format]}
        </a>
      ))}
    >
      <div class="report-preview">
        {loading && <Skeleton height="100%" label={text.previewLoading} />}
        <iframe key={r.revision} hidden={loading} onLoad={() => setShown(r.revision)} sandbox="allow-popups allow-popups-to-escape-sandbox" title={text.previewFrame} src={urlOf(path, { format: "html" })} />
      </div>
    </Card>
  );
}

function Settings({ report: r }: { report: ScheduledReport }) {
  const files = [r.pdf && text.files.pdf, r.xlsx && text.files.xlsx].filter(Boolean).join(", ");
  return (
    <Card title={text.settings}>
      <dl class="facts">
        <dt>{text.facts.contents}</dt>
        <dd>
          <ul>
            {r.monitors.map((m) => (
              <li key={m.id}>{m.removed ? <span class="muted">{text.removedPart}</span> : <Link href={`/monitors/${m.id}`}>{m.name}</Link>}</li>
            ))}
            {r.dashboards.map((d) => (
              <li key={d.id}>{d.removed ? <span class="muted">{text.removedPart}</span> : <Link href={`/dashboards/${d.id}`}>{d.name}</Link>}</li>
            ))}
          </ul>
        </dd>
        {r.compare.length > 0 && (
          <>
            <dt>{text.facts.compare}</dt>
            <dd>{r.compare.map((m) => (m.removed ? text.removedPart : m.name)).join(", ")}</dd>
          </>
        )}
        {r.cards.length > 0 && (
          <>
            <dt>{text.facts.cards}</dt>
            <dd>{r.cards.map(titleOf).join(", ")}</dd>
          </>
        )}
        <dt>{text.facts.dates}</dt>
        <dd>{common.dateRange.rolling[r.range]}</dd>
        <dt>{text.facts.next}</dt>
        <dd>
          {r.disabled && text.paused}
          <ul class="next-list">
            {r.next.map((time) => (
              <li key={time}>{dateTime(time, r.timezone)}</li>
            ))}
          </ul>
        </dd>
        <dt>{text.facts.channels}</dt>
        <dd>
          {r.channels.length === 0 && <span class="bad">{text.noChannels}</span>}
          <ul>
            {r.channels.map((c) => (
              <li key={c.id}>
                {c.name} <span class="small muted">{c.disabled ? channelText.disabled : channelText.kinds[c.kind]}</span>
              </li>
            ))}
          </ul>
        </dd>
        <dt>{text.facts.files}</dt>
        <dd>{files || text.noFiles}</dd>
        <dt>{text.facts.edited}</dt>
        <dd>{text.editedBy(r.editedBy, dateTime(r.edited))}</dd>
      </dl>
    </Card>
  );
}
