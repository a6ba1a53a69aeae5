import { useState } from "preact/hooks";
import { post } from "../../lib/api";
import { dateTime } from "../../lib/format";
import { useUser } from "../../lib/session";
import type { TokenResponse } from "../../lib/types";
import { Card, Notice, SegmentedControl } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { Curl } from "../../components/curl";

type Lifetime = "day" | "permanent";

// TokenCard gives the user a token for programs, which is shown only when asked for.
export function TokenCard() {
  const user = useUser();
  const [lifetime, setLifetime] = useState<Lifetime>("day");
  const [token, setToken] = useState<TokenResponse | null>(null);
  const [error, setError] = useState("");
  const [confirming, setConfirming] = useState(false);
  if (!user.apiAccess) {
    return (
      <Card title="Your token">
        <Notice kind="warn">You may use these pages, but no programs: that needs API access, which an administrator can give you. The calls below work once you have a token.</Notice>
      </Card>
    );
  }
  const request = (force: boolean) => post<TokenResponse>("/manage/v1/session/token", { permanent: lifetime === "permanent", force }).then(setToken);
  const show = async () => {
    setError("");
    await request(false).catch((err: Error) => setError(err.message));
  };
  const setLifetimeTo = (next: Lifetime) => {
    setLifetime(next);
    setToken(null);
    setError("");
  };
  return (
    <Card title="Your token" note="A program that has it may do what you may. Keep it like a password.">
      <div class="stack">
        <div class="row">
          <SegmentedControl
            label="How long it lives"
            value={lifetime}
            options={[
              { value: "day", name: "24 hours" },
              { value: "permanent", name: "Permanent" },
            ]}
            onChange={setLifetimeTo}
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
          {lifetime === "permanent" && (
            <button type="button" class="button" onClick={() => setConfirming(true)}>
              Make a new permanent one
            </button>
          )}
        </div>
        {error && <Notice kind="bad">{error}</Notice>}
        {token && (
          <div class="stack tight">
            <Curl text={`export TOKEN=${token.auth}`} name="Your token" label="Copy the token" copied={token.auth} />
            <p class="muted small">{token.expires ? `It ends on ${dateTime(token.expires, "UTC")} UTC.` : "It does not end until you make a new one, sign out everywhere or change your password."}</p>
          </div>
        )}
        {!token && <p class="muted small">{lifetime === "day" ? "Each time you get a fresh one; those of before live on until they end." : "You have one permanent token, the same each time."}</p>}
      </div>
      {confirming && (
        <Confirm title="Make a new permanent token?" action="Make a new one" onConfirm={() => request(true)} onClose={() => setConfirming(false)}>
          The permanent token of now ends at once, and programs that use it stop working until they have the new one. Tokens of 24 hours stay.
        </Confirm>
      )}
    </Card>
  );
}
