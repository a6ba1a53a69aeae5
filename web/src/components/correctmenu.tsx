import { dateTime } from "../lib/format";
import type { CorrectedField, Correcting } from "../lib/correction";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { showError } from "./toast";
import { corrections as text } from "../strings/marks";

interface Props {
  field: CorrectedField;
  label: string; // what is corrected, for example Sentiment
  options: { value: string; name: string }[];
  current: string; // value
  correcting: Correcting;
  zone?: string; // of the page
}

// CorrectMenu replaces what a model says about a post, and undoes that. It marks corrected values.
export function CorrectMenu({ field, label, options, current, correcting, zone }: Props) {
  const { correction } = correcting.post;
  const corrected = correction?.[field] !== undefined;
  const note = corrected ? text.by(correction!.by, dateTime(correction!.time, zone)) : "";
  const act = (close: () => void, change: () => Promise<void>) => () => {
    close();
    change().catch(showError);
  };
  return (
    <Popover
      class={`button quiet tiny ${corrected ? "corrected" : ""}`}
      label={corrected ? text.changeCorrected(label, note) : text.change(label)}
      title={corrected ? note : text.change(label)}
      button={<Icon name={corrected ? "check" : "down"} />}
    >
      {(close) => (
        <div class="options">
          {note && <p class="small muted correct-note">{note}</p>}
          {options
            .filter((o) => o.value !== current)
            .map((o) => (
              <button key={o.value} type="button" onClick={act(close, () => correcting.correct(field, o.value))}>
                {text.changeTo(o.name)}
              </button>
            ))}
          {corrected && (
            <button type="button" onClick={act(close, () => correcting.undo(field))}>
              {text.undo}
            </button>
          )}
        </div>
      )}
    </Popover>
  );
}
