import { copy } from "../lib/copy";
import { Icon } from "./icon";

// Curl is a command for a terminal, with a button that copies it, or what of it is worth copying.
export function Curl({ text, name = "Command", label = "Copy the command", copied = text }: { text: string; name?: string; label?: string; copied?: string }) {
  return (
    <div class="curl">
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
      <button type="button" class="button small" aria-label={label} title="Copy" onClick={() => copy(copied)}>
        <Icon name="copy" />
      </button>
    </div>
  );
}
