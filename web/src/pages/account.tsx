import { useState } from "preact/hooks";
import { remove } from "../lib/api";
import { Link } from "../lib/router";
import { useSession, useUser } from "../lib/session";
import { chooseTheme, chosenTheme, useDark, type Theme } from "../lib/theme";
import { Card, PageHeader, SegmentedControl } from "../components/basics";
import { Confirm } from "../components/dialog";
import { PasswordForm } from "../components/passwordform";
import { toast } from "../components/toast";
import { common } from "../strings/common";
import { account } from "../strings/account";
import { share } from "../strings/share";

// AccountPage shows the signed-in user's profile and settings.
export function AccountPage() {
  return (
    <>
      <PageHeader title={common.pages.account} />
      <div class="columns">
        <div class="c6 stack">
          <Profile />
          <Appearance />
        </div>
        <div class="c6 stack">
          <Password />
          <SignOutEverywhere />
          <Card title={share.page} note={share.accountNote}>
            <Link href="/shares">{share.all}</Link>
          </Card>
          <About />
        </div>
      </div>
    </>
  );
}

function Profile() {
  const user = useUser();
  const name = [user.firstName, user.lastName].filter(Boolean).join(" ");
  return (
    <Card title={account.profile.title} note={account.profile.note}>
      <dl class="facts">
        <dt>{common.words.username}</dt>
        <dd>{user.username}</dd>
        <dt>{common.words.name}</dt>
        <dd>{name || <span class="muted">{account.profile.notSet}</span>}</dd>
        <dt>{common.words.email}</dt>
        <dd>{user.email || <span class="muted">{account.profile.notSet}</span>}</dd>
        <dt>{common.words.teams}</dt>
        <dd>{user.teams.map((t) => t.name).join(", ") || <span class="muted">{common.none}</span>}</dd>
        <dt>{common.words.permissions}</dt>
        <dd>{user.permissions.map((p) => common.permissions[p] ?? p).join(", ") || <span class="muted">{account.profile.noPermissions}</span>}</dd>
        <dt>{account.profile.apiAccess}</dt>
        <dd>{user.apiAccess ? <Link href="/connect">{account.profile.enabled}</Link> : <span class="muted">{account.profile.notEnabled}</span>}</dd>
      </dl>
    </Card>
  );
}

function About() {
  const { session } = useSession();
  return (
    <Card title={account.about.title}>
      <p>
        {account.about.version(session.version)} · <a href="/api/docs">{account.about.reference}</a>
      </p>
    </Card>
  );
}

function Appearance() {
  const [, setVersion] = useState(0);
  useDark(); // the layout has a button that changes it too
  return (
    <Card title={account.appearance.title} note={account.appearance.note}>
      <SegmentedControl<Theme>
        label={account.appearance.title}
        value={chosenTheme()}
        options={[
          { value: "light", name: account.appearance.light },
          { value: "dark", name: account.appearance.dark },
          { value: "system", name: account.appearance.system },
        ]}
        onChange={(theme) => {
          chooseTheme(theme);
          setVersion((n) => n + 1);
        }}
      />
    </Card>
  );
}

// Password changes the password, which ends all other sessions and revokes all tokens.
function Password() {
  const { refresh } = useSession();
  const user = useUser();
  const changed = async () => {
    await refresh();
    toast(account.password.changed);
  };
  return (
    <Card title={account.password.title} note={account.password.note}>
      <PasswordForm username={user.username} current={account.password.current} onChanged={changed} />
    </Card>
  );
}

function SignOutEverywhere() {
  const [confirming, setConfirming] = useState(false);
  const confirm = async () => {
    await remove("/manage/v1/tokens");
    window.location.assign("/signin");
  };
  return (
    <Card title={account.signOut.title} note={account.signOut.note}>
      <button type="button" class="button danger" onClick={() => setConfirming(true)}>
        {account.signOut.button}
      </button>
      {confirming && (
        <Confirm title={account.signOut.confirm} action={account.signOut.button} onConfirm={confirm} onClose={() => setConfirming(false)}>
          {account.signOut.warning}
        </Confirm>
      )}
    </Card>
  );
}
