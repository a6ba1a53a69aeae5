import { shortCategory } from "../../lib/color";
import { formatFilter, withValue, type Filter } from "../../lib/filter";
import { urlOf } from "../../lib/api";
import type { AnalysisDetail } from "../../lib/types";
import type { Options } from "../../components/addfilter";
import type { LoadedResult } from "./layout";
import { sourceName } from "./request";
import type { TimeSpan } from "./volume";

// postsHref returns the URL of the posts of an analysis that match a filter, or of some time.
export const postsHref = (id: string, filter: Filter, span?: TimeSpan) => urlOf(`/analysis/${id}/posts`, { filter: formatFilter(filter), ...span });

// categoryFilter selects the posts with a sentiment or an emotion, for example positive or Joy.
export function categoryFilter(list: AnalysisDetail["categories"], name: string): Filter {
  const found = list.find((c) => shortCategory(c.name).toLowerCase() === name.toLowerCase());
  return found ? { category: [String(found.id)] } : {};
}

// interestFilter selects the posts with an interest. The result counts only those of microblogs.
export function interestFilter({ analysis, result, choices }: LoadedResult, name: string): Filter {
  const found = analysis.interests.find((i) => i.name === name);
  if (!found) return {};
  const sources = result.request.sources.map((s) => sourceName(s, choices.sources)).filter((s) => choices.microblogs.includes(s));
  return sources.reduce<Filter>((f, s) => withValue(f, "source", s), { interest: [String(found.id)] });
}

// chipNames returns the names of interests, for the chips of a filter.
export const chipNames = (analysis: AnalysisDetail) => Object.fromEntries(analysis.interests.map((i) => [`interest:${i.id}`, i.name]));

// filterOptions returns the values that a filter of an analysis offers first: those of its request and
// of its result.
export function filterOptions({ analysis, result, choices }: LoadedResult): Options {
  const sources = result.request.sources.map((s) => sourceName(s, choices.sources));
  return {
    source: sources.map((name) => ({ id: name, name })),
    interest: analysis.interests.map((i) => ({ id: String(i.id), name: i.name })),
  };
}
