import type { Source } from "../../lib/types";
import { Card, Notice } from "../../components/basics";
import { Curl } from "../../components/curl";
import { sources as text } from "../../strings/sources";

// secrets of the sources that were added on this page. The server never returns them.
const secrets = new Map<number, string>();

// rememberSecret keeps the secret of a new source until the user leaves the app.
export const rememberSecret = (id: number, secret: string) => secrets.set(id, secret);

// WebhookCard shows how programs send posts to a source.
export function WebhookCard({ source: s }: { source: Source }) {
  const secret = secrets.get(s.id);
  const url = window.location.origin + s.endpoint;
  const item = JSON.stringify([{ guid: "1", date: new Date().toISOString().slice(0, 19) + "Z", contents: text.exampleText }]);
  const example = (token: string) => `curl -X POST '${url}' \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${item}'`;
  return (
    <Card title={text.endpoint}>
      <div class="stack">
        <Curl text={url} name={text.endpoint} label={text.copyEndpoint} />
        {secret && (
          <div class="stack tight">
            <Notice kind="warn">{text.secretOnce}</Notice>
            <Curl text={secret} name={text.newSecret} label={text.copySecret} />
          </div>
        )}
        <div class="stack tight">
          <h3>{text.example}</h3>
          <Curl text={example(secret ?? text.secretPlaceholder)} name={text.example} label={text.copyExample} />
        </div>
      </div>
    </Card>
  );
}
