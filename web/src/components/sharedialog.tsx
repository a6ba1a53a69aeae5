import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { dateRange } from "../lib/format";
import { Link } from "../lib/router";
import type { ShareTarget } from "../lib/share";
import type { NewShareLink } from "../lib/types";
import { isRolling } from "../lib/view";
import { Checkbox, Notice, TextField } from "./basics";
import { Dialog } from "./dialog";
import { LinkField } from "./linkfield";
import { ExpiryField, expiryTime, type Expiry } from "./shareexpiry";
import { ShareLinks } from "./sharelinks";
import { common } from "../strings/common";
import { share } from "../strings/share";

// cardsWithoutPosts are the cards of a monitor that name no one and quote nothing.
const cardsWithoutPosts = ["figures", "volume", "sentiment", "places", "sources", "hashtags", "words", "languages", "emotions"];

// ShareDialog creates share links to a dashboard or monitor, and lists those that exist. The link
// itself is shown only once.
export function ShareDialog({ target, onClose }: { target: ShareTarget; onClose: () => void }) {
  const [name, setName] = useState(target.name);
  const [expiry, setExpiry] = useState<Expiry>({ kind: "30", date: "" });
  const [password, setPassword] = useState("");
  const [withPosts, setWithPosts] = useState(false);
  const [created, setCreated] = useState<NewShareLink>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      const shown = target.dashboard ? { dashboard: target.dashboard } : { monitor: target.monitor, ...target.params, cards: withPosts ? [] : cardsWithoutPosts };
      setCreated(await post<NewShareLink>("/manage/v1/shares", { ...shown, name, password, expires: expiryTime(expiry) }));
      setPassword("");
    } catch (err) {
      setError((err as Error).message);
    }
    setBusy(false);
  };
  return (
    <Dialog title={share.title(target.name)} onClose={onClose} wide>
      <div class="stack">
        {created ? (
          <CreatedLink link={created} onAnother={() => setCreated(undefined)} />
        ) : (
          <form class="stack" onSubmit={submit}>
            <p class="muted">
              {share.intro} {target.dashboard ? share.introDashboard : share.introMonitor(datesOf(target))}
            </p>
            {error && <Notice kind="bad">{error}</Notice>}
            <TextField label={share.name} value={name} onInput={setName} required />
            <div class="field-pair">
              <ExpiryField value={expiry} onChange={setExpiry} />
              <TextField label={share.password} value={password} onInput={setPassword} hint={share.passwordHint} autocomplete="off" />
            </div>
            {!target.dashboard && <Checkbox label={share.withPosts} checked={withPosts} onChange={setWithPosts} />}
            <div>
              <button type="submit" class="button primary" disabled={busy || !name.trim() || (expiry.kind === "date" && !expiry.date)}>
                {busy ? common.pleaseWait : share.create}
              </button>
            </div>
          </form>
        )}
        <section class="stack tight" aria-label={share.existing}>
          <div class="spread">
            <h3>{share.existing}</h3>
            <Link href="/shares" onClick={onClose}>
              {share.all}
            </Link>
          </div>
          <ShareLinks key={created?.id} query={{ dashboard: target.dashboard, monitor: target.monitor }} empty={<p class="muted">{share.none}</p>} brief />
        </section>
      </div>
    </Dialog>
  );
}

// datesOf describes the dates that a link to a monitor shows.
function datesOf({ params }: ShareTarget): string {
  if (params && isRolling(params.range)) return common.dateRange.rolling[params.range];
  return params?.start ? dateRange(params.start, params.end) : share.latest;
}

// CreatedLink shows a new link, so that it can be copied.
function CreatedLink({ link, onAnother }: { link: NewShareLink; onAnother: () => void }) {
  const url = new URL(link.path, window.location.href).href;
  return (
    <div class="stack">
      <Notice kind="good">{share.created}</Notice>
      <LinkField url={url} />
      <div class="row">
        <a class="button" href={url} target="_blank" rel="noopener noreferrer">
          {share.open}
        </a>
        <button type="button" class="button quiet" onClick={onAnother}>
          {share.another}
        </button>
      </div>
    </div>
  );
}
