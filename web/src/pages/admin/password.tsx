import { Field } from "../../components/basics";

const letters = "abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679";

// randomPassword returns a password that nobody can guess, without letters that look alike.
function randomPassword(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(20));
  return [...numbers].map((n, i) => (i > 0 && i % 5 === 0 ? "-" : "") + letters[n % letters.length]).join("");
}

// PasswordField is where an administrator gives someone a password: it is seen, for it has to be passed on.
export function PasswordField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  return (
    <Field label="Password" hint="At least 4 characters. Tell it to the user, who can change it.">
      {(id, described) => (
        <div class="row nowrap-row">
          <input id={id} class="mono" value={value} autocomplete="off" spellcheck={false} aria-describedby={described} onInput={(e) => onInput(e.currentTarget.value)} />
          <button type="button" class="button" onClick={() => onInput(randomPassword())}>
            Make one up
          </button>
        </div>
      )}
    </Field>
  );
}
