import { urlOf } from "../../lib/api";
import { Link } from "../../lib/router";
import type { Source } from "../../lib/types";
import { Notice } from "../../components/basics";
import { sources as text } from "../../strings/sources";

// monitorOf returns what the form of a monitor of a source begins with: all of its posts if all are
// stored. Otherwise, only the network is known: it has far more posts than anyone wants.
function monitorOf(s: Source): Record<string, string> {
  if (s.contentSource) return { source: s.name };
  if (s.keep === "all") return { name: s.name, keywords: s.networks.map((n) => `source:"${n}"`).join(" OR ") };
  return { network: s.networks.join(",") };
}

// NextStep leads from a new source to a monitor.
export function NextStep({ source: s }: { source: Source }) {
  return (
    <div class="spaced">
      <Notice kind="good">
        <div class="spread">
          <span class="break">{text.nextStep(s.name)}</span>
          <Link class="button primary small" href={urlOf("/monitors/new", { team: s.team, ...monitorOf(s) })}>
            {text.monitorFrom}
          </Link>
        </div>
      </Notice>
    </div>
  );
}
