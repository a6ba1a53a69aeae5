import { common } from "../strings/common";

// QueryHelp is a collapsible summary of the query language. docs/query-language.md is the full
// reference.
export function QueryHelp() {
  return (
    <details class="small">
      <summary>{common.queryEditor.help}</summary>
      <dl class="examples">
        {common.queryEditor.examples.map(([written, means]) => (
          <div key={written}>
            <dt>
              <code>{written}</code>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">{common.queryEditor.rules}</p>
    </details>
  );
}
