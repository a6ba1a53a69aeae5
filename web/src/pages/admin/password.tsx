import { Field } from "../../components/basics";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";

const letters = "abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679";

// randomPassword returns a random password of 20 characters in groups of five, without characters
// that look alike.
function randomPassword(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(20));
  return [...numbers].map((n, i) => (i > 0 && i % 5 === 0 ? "-" : "") + letters[n % letters.length]).join("");
}

// PasswordField sets the password of another user. The password is visible because the
// administrator has to pass it on.
export function PasswordField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  return (
    <Field label={common.words.password} hint={admin.passwordHint}>
      {(id, described) => (
        <div class="row nowrap-row">
          <input id={id} class="mono" value={value} autocomplete="off" spellcheck={false} aria-describedby={described} onInput={(e) => onInput(e.currentTarget.value)} />
          <button type="button" class="button" onClick={() => onInput(randomPassword())}>
            {admin.generate}
          </button>
        </div>
      )}
    </Field>
  );
}
