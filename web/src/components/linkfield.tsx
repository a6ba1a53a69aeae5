import { useRef } from "preact/hooks";
import { copy } from "../lib/copy";
import { Icon } from "./icon";
import { common } from "../strings/common";

// LinkField shows a secret link, so that it can be copied.
export function LinkField({ url }: { url: string }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="row nowrap-row">
      <input ref={field} class="grow" readOnly value={url} aria-label={common.link} onFocus={() => field.current?.select()} />
      <button type="button" class="button primary" onClick={() => copy(url)}>
        <Icon name="copy" />
        {common.copyLink}
      </button>
    </div>
  );
}
