import { listAll } from "../lib/api";
import { useInterval, useLoad } from "../lib/load";
import { useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import type { Channel } from "../lib/types";
import { EmptyState, ErrorNotice, SelectField, Skeleton } from "../components/basics";
import { Icon } from "../components/icon";
import { ChannelDialog } from "./channels/form";
import { ChannelRow } from "./channels/row";
import { SignalsLayout } from "./signals/layout";
import { channels as text } from "../strings/channels";
import { common } from "../strings/common";

const refresh = 5000; // milliseconds

// ChannelsPage lists the channels of the user's teams, and whether messages arrive there. ?new=1 opens
// the form of a new one.
export function ChannelsPage() {
  const { teams } = useUser();
  const [query, change] = useQuery();
  const team = teams.find((t) => String(t.id) === query.get("team"));
  const { data, error, reload } = useLoad(`channels ${team?.id ?? ""}`, () => listAll<Channel>("/manage/v1/channels", { team: team?.id }));
  useInterval(refresh, reload);
  const add = (
    <button type="button" class="button primary" onClick={() => change({ new: "1" })}>
      <Icon name="plus" />
      {text.add}
    </button>
  );
  return (
    <SignalsLayout
      title={text.title}
      lead={text.lead}
      tools={
        <>
          {teams.length > 1 && (
            <SelectField label={common.words.team} value={team ? String(team.id) : ""} onChange={(id) => change({ team: id })} options={[{ value: "", name: common.allTeams }, ...teams.map((t) => ({ value: String(t.id), name: t.name }))]} />
          )}
          {(!data || data.length > 0) && add}
        </>
      }
    >
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {error && data && <p class="small bad spaced">{text.notUpToDate(error.message)}</p>}
      {!data && !error && <Skeleton height="16rem" label={text.loading} />}
      {data && data.length === 0 && (
        <EmptyState title={text.empty} actions={add}>
          {text.emptyHint}
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <ul class="sources" aria-label={text.list}>
          {data.map((c) => (
            <li key={c.id}>
              <ChannelRow channel={c} team={!team && teams.length > 1 ? teams.find((t) => t.id === c.team)?.name : undefined} onChanged={reload} />
            </li>
          ))}
        </ul>
      )}
      {query.get("new") === "1" && <ChannelDialog team={team?.id ?? teams[0].id} onClose={() => change({ new: null }, { replace: true })} onSaved={reload} />}
    </SignalsLayout>
  );
}
