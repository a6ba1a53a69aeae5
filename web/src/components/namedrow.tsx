import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon";
import { showError } from "./toast";
import { common } from "../strings/common";

interface Props {
  name: string;
  label: string; // of the field
  renameLabel: string;
  maxLength: number;
  onRename: (name: string) => Promise<void>;
  onRemove: () => void;
  children: ComponentChildren;
}

// NamedRow is a row of a list of things that have a name. It can rename its thing in place.
export function NamedRow({ name, label, renameLabel, maxLength, onRename, onRemove, children }: Props) {
  const [value, setValue] = useState<string | null>(null); // null: not being renamed
  const [busy, setBusy] = useState(false);
  const save = async () => {
    const next = value!.trim();
    if (next === "" || next === name) return setValue(null);
    setBusy(true);
    try {
      await onRename(next);
      setValue(null);
    } catch (err) {
      showError(err);
    }
    setBusy(false);
  };
  return (
    <li class="row nowrap-row">
      {value === null ? (
        <>
          <span class="grow">{children}</span>
          <button type="button" class="button quiet small" aria-label={renameLabel} title={renameLabel} onClick={() => setValue(name)}>
            <Icon name="edit" />
          </button>
          <button type="button" class="button quiet small" aria-label={common.deleteItem(name)} title={common.actions.delete} onClick={onRemove}>
            <Icon name="trash" />
          </button>
        </>
      ) : (
        <form
          class="row nowrap-row grow"
          onSubmit={(e) => {
            e.preventDefault();
            save();
          }}
          onKeyDown={(e) => {
            if (e.key !== "Escape") return;
            e.preventDefault(); // the dialog stays open
            setValue(null);
          }}
        >
          <input aria-label={label} value={value} maxLength={maxLength} ref={(field) => field?.focus()} onInput={(e) => setValue(e.currentTarget.value)} />
          <button type="submit" class="button" disabled={busy}>
            {common.actions.save}
          </button>
        </form>
      )}
    </li>
  );
}
