import { copy } from "../../lib/copy";
import { Checkbox, Field } from "../../components/basics";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";

// A password that an administrator sets for another user. Its owner has to change a temporary one.
export interface SetPassword {
  password: string;
  temporary: boolean;
}

export const newPassword = (): SetPassword => ({ password: randomPassword(), temporary: true });

const letters = "abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679";

// randomPassword returns a random password of 20 characters in groups of five, without characters
// that look alike.
function randomPassword(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(20));
  return [...numbers].map((n, i) => (i > 0 && i % 5 === 0 ? "-" : "") + letters[n % letters.length]).join("");
}

// PasswordField sets the password of another user. The password is visible because the
// administrator has to pass it on.
export function PasswordField({ value, onChange }: { value: SetPassword; onChange: (value: SetPassword) => void }) {
  return (
    <>
      <Field label={common.words.password} hint={value.temporary ? admin.temporaryHint : admin.passwordHint}>
        {(id, described) => (
          <div class="row nowrap-row">
            <input id={id} class="mono" value={value.password} autocomplete="off" spellcheck={false} aria-describedby={described} onInput={(e) => onChange({ ...value, password: e.currentTarget.value })} />
            <button type="button" class="button" onClick={() => copy(value.password)}>
              {common.actions.copy}
            </button>
          </div>
        )}
      </Field>
      <Checkbox label={admin.temporary} checked={value.temporary} onChange={(temporary) => onChange({ ...value, temporary })} />
    </>
  );
}
