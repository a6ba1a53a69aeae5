import { useEffect, useId, useRef, useState } from "preact/hooks";
import { common } from "../strings/common";

export interface PickerOption {
  id: string;
  name: string;
  note?: string;
}

interface Props {
  label: string;
  hint?: string;
  values: PickerOption[];
  onChange: (values: PickerOption[]) => void;
  options?: PickerOption[]; // all options; with search, those offered before the user types
  search?: (text: string) => Promise<PickerOption[]>; // finds options for the text in the field
  free?: boolean; // any text is a valid value
  placeholder?: string;
  single?: boolean;
}

const fold = (s: string) => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// Picker selects one or more of many options. Typing searches, the arrow keys and Enter select,
// Backspace removes the last value. The list closes after each selection, so that it does not cover
// what follows; typing, a click or an arrow key opens it again.
export function Picker({ label, hint, values, onChange, options, search, free, placeholder, single }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [matches, setMatches] = useState<PickerOption[]>([]);

  useEffect(() => {
    if (!open) return;
    let stale = false;
    if (search) {
      const timer = setTimeout(() => {
        if (!text.trim()) return setMatches(options ?? []);
        search(text.trim())
          .then((list) => !stale && setMatches(list))
          .catch(() => !stale && setMatches([]));
      }, 120);
      return () => {
        stale = true;
        clearTimeout(timer);
      };
    }
    const prefix = fold(text.trim());
    setMatches((options ?? []).filter((o) => !prefix || fold(o.name).includes(prefix) || fold(o.id).startsWith(prefix)).slice(0, 200));
  }, [text, open, options]);
  useEffect(() => setActive(0), [text]);

  const chosen = new Set(values.map((v) => v.id));
  const shown = matches.filter((o) => !chosen.has(o.id));
  const pick = (o: PickerOption) => {
    onChange(single ? [o] : [...values, o]);
    setText("");
    setOpen(false);
    input.current?.focus();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      setOpen(true);
      if (shown.length) setActive((active + (e.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length);
    } else if (e.key === "Enter") {
      if (open && shown[active]) {
        e.preventDefault();
        pick(shown[active]);
      } else if (free && text.trim()) {
        e.preventDefault();
        if (!chosen.has(text.trim())) pick({ id: text.trim(), name: text.trim() });
      } else e.preventDefault(); // a second Enter does not submit the form
    } else if (e.key === "Escape" && open) {
      e.preventDefault();
      e.stopPropagation();
      setOpen(false);
    } else if (e.key === "Backspace" && !text && values.length) {
      onChange(values.slice(0, -1));
    }
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="anchor">
        <div class="picker">
          {values.map((v) => (
            <span key={v.id} class="chip">
              <span class="clip">{v.name}</span>
              <button type="button" aria-label={common.picker.remove(v.name)} onClick={() => onChange(values.filter((x) => x.id !== v.id))}>
                ×
              </button>
            </span>
          ))}
          <input
            ref={input}
            id={id}
            value={text}
            placeholder={values.length ? "" : placeholder}
            role="combobox"
            autocomplete="off"
            aria-expanded={open && shown.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={open && shown[active] ? `${id}-${active}` : undefined}
            aria-describedby={hint ? `${id}-hint` : undefined}
            onInput={(e) => {
              setText(e.currentTarget.value);
              setOpen(true);
            }}
            onFocus={() => setOpen(true)}
            onClick={() => setOpen(true)}
            onBlur={() => {
              setOpen(false);
              setText("");
              if (free && text.trim() && !chosen.has(text.trim())) onChange([...values, { id: text.trim(), name: text.trim() }]);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div id={`${id}-list`} class="popover options wide" role="listbox" aria-label={label} hidden={!open || shown.length === 0}>
          {shown.map((o, i) => (
            <div
              key={o.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              onMouseDown={(e) => {
                e.preventDefault();
                pick(o);
              }}
            >
              <span>{o.name}</span>
              {o.note && <span class="muted">{o.note}</span>}
            </div>
          ))}
        </div>
      </div>
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
