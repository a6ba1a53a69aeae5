import { useState } from "preact/hooks";
import { post } from "../../lib/api";
import { useUser } from "../../lib/session";
import type { TokenResponse } from "../../lib/types";
import { Card, Notice, SegmentedControl } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { Curl } from "../../components/curl";
import { api } from "../../strings/api";

type Lifetime = "day" | "permanent";

// TokenCard shows an API token on request.
export function TokenCard() {
  const user = useUser();
  const [lifetime, setLifetime] = useState<Lifetime>("day");
  const [token, setToken] = useState<TokenResponse | null>(null);
  const [error, setError] = useState("");
  const [confirming, setConfirming] = useState(false);
  if (!user.apiAccess) {
    return (
      <Card title={api.tokenTitle}>
        <Notice kind="warn">{api.noAccess}</Notice>
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
    <Card title={api.tokenTitle} note={api.tokenNote}>
      <div class="stack">
        <div class="row">
          <SegmentedControl
            label={api.lifetime}
            value={lifetime}
            options={[
              { value: "day", name: api.lifetimes.day },
              { value: "permanent", name: api.lifetimes.permanent },
            ]}
            onChange={setLifetimeTo}
          />
          {token ? (
            <button type="button" class="button" onClick={() => setToken(null)}>
              {api.hideToken}
            </button>
          ) : (
            <button type="button" class="button primary" onClick={show}>
              {api.showToken}
            </button>
          )}
          {lifetime === "permanent" && (
            <button type="button" class="button" onClick={() => setConfirming(true)}>
              {api.replace}
            </button>
          )}
        </div>
        {error && <Notice kind="bad">{error}</Notice>}
        {token && (
          <div class="stack tight">
            <Curl text={`export TOKEN=${token.auth}`} name={api.tokenTitle} label={api.copyToken} copied={token.auth} />
            <p class="muted small">{token.expires ? api.expires(token.expires) : api.noExpiry}</p>
          </div>
        )}
        {!token && <p class="muted small">{lifetime === "day" ? api.dayHint : api.permanentHint}</p>}
      </div>
      {confirming && (
        <Confirm title={api.replaceTitle} action={api.replaceAction} onConfirm={() => request(true)} onClose={() => setConfirming(false)}>
          {api.replaceText}
        </Confirm>
      )}
    </Card>
  );
}
