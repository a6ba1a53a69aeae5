import { copy } from "../lib/copy";
import { Icon } from "./icon";
import { common } from "../strings/common";

// Curl shows a shell command with a copy button. copied is the text to copy if it differs from the
// text shown.
export function Curl({ text, name = common.curl.command, label = common.curl.copy, copied = text }: { text: string; name?: string; label?: string; copied?: string }) {
  return (
    <div class="curl">
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
      <button type="button" class="button small" aria-label={label} title={common.actions.copy} onClick={() => copy(copied)}>
        <Icon name="copy" />
      </button>
    </div>
  );
}
