import { useState } from "preact/hooks";
import { post } from "../../lib/api";
import { moment } from "../../lib/format";
import { useUser } from "../../lib/session";
import type { TokenResponse } from "../../lib/types";
import { Card, Notice, Segments } from "../../parts/basics";
import { Confirm } from "../../parts/dialog";
import { Curl } from "../../parts/curl";

type Life = "day" | "permanent";

// TokenCard gives the user a token for programs, which is shown only when asked for.
export function TokenCard() {
  const user = useUser();
  const [life, setLife] = useState<Life>("day");
  const [token, setToken] = useState<TokenResponse | null>(null);
  const [error, setError] = useState("");
  const [asking, setAsking] = useState(false);
  if (!user.apiAccess) {
    return (
      <Card title="Your token">
        <Notice kind="warn">You may use these pages, but no programs: that needs API access, which an administrator can give you. The calls below work once you have a token.</Notice>
      </Card>
    );
  }
  const ask = (force: boolean) => post<TokenResponse>("/manage/v1/session/token", { permanent: life === "permanent", force }).then(setToken);
  const show = async () => {
    setError("");
    await ask(false).catch((err: Error) => setError(err.message));
  };
  const choose = (next: Life) => {
    setLife(next);
    setToken(null);
    setError("");
  };
  return (
    <Card title="Your token" note="A program that has it may do what you may. Keep it like a password.">
      <div class="stack">
        <div class="row">
          <Segments
            label="How long it lives"
            value={life}
            options={[
              { value: "day", name: "24 hours" },
              { value: "permanent", name: "Permanent" },
            ]}
            onChange={choose}
          />
          {token ? (
            <button type="button" class="button" onClick={() => setToken(null)}>
              Hide the token
            </button>
          ) : (
            <button type="button" class="button primary" onClick={show}>
              Show a token
            </button>
          )}
          {life === "permanent" && (
            <button type="button" class="button" onClick={() => setAsking(true)}>
              Make a new permanent one
            </button>
          )}
        </div>
        {error && <Notice kind="bad">{error}</Notice>}
        {token && (
          <div class="stack tight">
            <Curl text={`export TOKEN=${token.auth}`} name="Your token" label="Copy the token" copied={token.auth} />
            <p class="muted small">{token.expires ? `It ends on ${moment(token.expires, "UTC")} UTC.` : "It does not end until you make a new one, sign out everywhere or change your password."}</p>
          </div>
        )}
        {!token && <p class="muted small">{life === "day" ? "Each time you get a fresh one; those of before live on until they end." : "You have one permanent token, the same each time."}</p>}
      </div>
      {asking && (
        <Confirm title="Make a new permanent token?" action="Make a new one" onConfirm={() => ask(true)} onClose={() => setAsking(false)}>
          The permanent token of now ends at once, and programs that use it stop working until they have the new one. Tokens of 24 hours stay.
        </Confirm>
      )}
    </Card>
  );
}
