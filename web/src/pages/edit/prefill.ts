// What the URL of the form for a new monitor fills in:
//
//	/monitors/new?analysis=2147483812          the conditions of an ad hoc analysis
//	/monitors/new?source=Survey&team=1         all documents of a content source
//	/monitors/new?network=Bluesky              posts of networks, separated by commas
//	/monitors/new?keywords=coffee              a query
//
// name, team, and start set the name, the team, and the first day.
import { get } from "../../lib/api";
import type { AnalysisDetail, SessionTeam } from "../../lib/types";
import { isDate } from "../../lib/view";
import { newDraft, type Draft } from "./draft";

const names = ["name", "analysis", "source", "network", "keywords", "team", "start"];

// prefillKey returns the part of a URL that fills in the form, or "" if there is none.
export function prefillKey(query: URLSearchParams): string {
  return new URLSearchParams(names.filter((n) => query.get(n)).map((n) => [n, query.get(n)!])).toString();
}

// prefill returns the form that a URL fills in.
export async function prefill(key: string, teams: SessionTeam[]): Promise<Draft> {
  const query = new URLSearchParams(key);
  const team = (id: number) => (teams.find((t) => t.id === id) ?? teams[0]).id;
  const draft = newDraft(team(Number(query.get("team"))));
  const start = query.get("start");
  if (isDate(start) && start < draft.start) draft.start = start;
  const analysis = query.get("analysis");
  if (analysis) {
    const { monitor } = await get<AnalysisDetail>(`/manage/v1/analyses/${encodeURIComponent(analysis)}`);
    return { ...draft, ...monitor, team: team(monitor.team ?? draft.team) };
  }
  const source = query.get("source");
  if (source) return { ...draft, name: source, keywords: `source:"${source.replaceAll('"', "")}"`, sources: [source] };
  return { ...draft, name: query.get("name") ?? "", keywords: query.get("keywords") ?? "", sources: query.get("network")?.split(",").filter(Boolean) ?? [] };
}
