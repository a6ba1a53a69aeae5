import { useEffect } from "preact/hooks";
import { ApiError, post } from "../../lib/api";
import { rulesSetting } from "../../lib/livesource";
import type { SourceRules } from "../../lib/types";
import { useDebounced, useLoad } from "../../lib/load";
import { Checkbox, ErrorNotice, Skeleton } from "../../components/basics";
import { sources as text } from "../../strings/sources";

export interface SourceRequest {
  team: number;
  id?: number;
  kind: string;
  settings: Record<string, string>;
  secret?: string;
}

const typingPause = 700; // milliseconds without a change before the server is asked

// Rules shows the rules of the server that a source will read, with a checkbox to accept them. It
// loads them again when the settings change.
export function Rules({ request, ready, accepted, error, onAccept }: { request: SourceRequest; ready: boolean; accepted: string; error?: string; onAccept: (version: string) => void }) {
  const { [rulesSetting]: _, ...settings } = request.settings;
  const key = useDebounced(ready ? JSON.stringify({ ...request, settings }) : "", typingPause);
  const rules = useLoad(key || null, () => post<SourceRules>("/manage/v1/sources/rules", JSON.parse(key)));
  const { data } = rules;
  useEffect(() => {
    if (accepted && data && data.version !== accepted) onAccept(""); // the rules have changed
  }, [data]);
  if (!ready) return <p class="small muted">{text.rulesLater}</p>;
  if (rules.error instanceof ApiError && rules.error.status === 400) return <p class="small muted">{text.rulesLater}</p>; // the settings are not complete
  if (rules.error) return <ErrorNotice error={rules.error} retry={rules.reload} />;
  if (!data) return <Skeleton height="5rem" label={text.rulesLoading} />;
  if (!data.required || !data.version) return null;
  const version = data.version;
  return (
    <fieldset class="rules">
      <legend class="label">{text.rules(hostName(settings) || text.theServer)}</legend>
      <p class="small">
        {text.rulesLead}{" "}
        {data.url && (
          <a href={data.url} target="_blank" rel="noreferrer">
            {text.rulesPage}
          </a>
        )}
      </p>
      {data.items && data.items.length > 0 && (
        <ol tabIndex={0} aria-label={text.rulesList}>
          {data.items.map((rule, i) => (
            <li key={i}>{rule}</li>
          ))}
        </ol>
      )}
      <Checkbox label={text.rulesAccept} checked={accepted === version} onChange={(on) => onAccept(on ? version : "")} />
      {error && accepted !== version && (
        <span class="error small" role="alert">
          {text.rulesMissing}
        </span>
      )}
    </fieldset>
  );
}

const hostName = (settings: Record<string, string>) => (settings.server ?? settings.url ?? "").replace(/^https?:\/\//, "").replace(/\/.*$/, "");
