import { useState } from "preact/hooks";
import { post } from "../../lib/api";
import { useUser } from "../../lib/session";
import type { TokenResponse } from "../../lib/types";
import { Card, Notice, SegmentedControl, TextField } from "../../components/basics";
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
  const [confirming, setConfirming] = useState<{ replace: boolean } | null>(null);
  const [password, setPassword] = useState("");
  if (!user.apiAccess) {
    return (
      <Card title={api.tokenTitle}>
        <Notice kind="warn">{api.noAccess}</Notice>
      </Card>
    );
  }
  const request = (body: { permanent?: boolean; force?: boolean; password?: string }) => post<TokenResponse>("/manage/v1/session/token", body).then(setToken);
  const confirm = (replace: boolean) => {
    setPassword("");
    setConfirming({ replace });
  };
  const show = async () => {
    setError("");
    if (lifetime === "permanent") {
      confirm(false); // a permanent token requires the password
      return;
    }
    await request({}).catch((err: Error) => setError(err.message));
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
            <button type="button" class="button" onClick={() => confirm(true)}>
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
        <Confirm
          title={confirming.replace ? api.replaceTitle : api.confirmTitle}
          action={confirming.replace ? api.replaceAction : api.showToken}
          danger={confirming.replace}
          disabled={password === ""}
          onConfirm={() => request({ permanent: true, force: confirming.replace, password })}
          onClose={() => setConfirming(null)}
        >
          <div class="stack">
            <p>{confirming.replace ? api.replaceText : api.confirmText}</p>
            <TextField label={api.password} type="password" value={password} onInput={setPassword} autocomplete="current-password" required />
          </div>
        </Confirm>
      )}
    </Card>
  );
}
