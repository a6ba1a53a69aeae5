package account_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// oldToken is a permanent token issued before sessions existed.
const oldToken = "AXAAAAAAAAAABwAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAFa-clfCMGuh6dLY9QN3gaHniUMS6l40XayIm4xasPyS"

var noAPI = account.NewUser{Username: "noapi", Password: "password-1"}

var noAPISignsIn = account.Credentials{Username: "noapi", Password: "password-1", Address: "127.0.0.1"}

func (w *world) session(t *testing.T, in account.Credentials) account.Session {
	t.Helper()
	s, err := w.StartSession(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) alive(s account.Session) bool {
	_, err := w.FindSession(context.Background(), s.Cookie)
	return err == nil
}

func TestSessionDoesNotNeedAPIAccess(t *testing.T) {
	w := newWorld(t)
	u := w.add(t, noAPI)
	s := w.session(t, noAPISignsIn)
	found, err := w.FindSession(t.Context(), s.Cookie)
	if err != nil || found.Caller.User != u.ID || found.CSRF != s.CSRF || !found.Expires.Equal(s.Expires) {
		t.Errorf("got %+v %v, want %+v", found, err, s)
	}
	if want := w.now.Add(7 * 24 * time.Hour); !s.Expires.Equal(want) {
		t.Errorf("ends at %v, want %v", s.Expires, want)
	}
}

func TestSessionRevocationAndExpiry(t *testing.T) {
	no, other, teams := false, "password-2", []earshot.TeamID{}
	f := func(name string, what func(w *world, u *earshot.User, s account.Session) error, want bool) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			u := w.add(t, ann)
			s := w.session(t, annSignsIn)
			if err := what(w, u, s); err != nil {
				t.Fatal(err)
			}
			if got := w.alive(s); got != want {
				t.Errorf("alive afterwards: got %v, want %v", got, want)
			}
		})
	}
	type change = func(*world, *earshot.User, account.Session) error
	ctx := context.Background()
	after := func(d time.Duration) change {
		return func(w *world, _ *earshot.User, _ account.Session) error { w.now = w.now.Add(d); return nil }
	}
	edit := func(c account.UserChanges) change {
		return func(w *world, u *earshot.User, _ account.Session) error {
			_, err := w.EditUser(ctx, u.ID, c)
			return err
		}
	}
	f("session is valid for a week", after(7*24*time.Hour-time.Second), true)
	f("session expires after a week", after(7*24*time.Hour), false)
	f("signing out ends session", func(w *world, _ *earshot.User, s account.Session) error { return w.EndSession(ctx, s.Cookie) }, false)
	f("signing out twice is not an error", func(w *world, _ *earshot.User, s account.Session) error {
		if err := w.EndSession(ctx, s.Cookie); err != nil {
			return err
		}
		return w.EndSession(ctx, s.Cookie)
	}, false)
	f("signing out of another session keeps session", func(w *world, _ *earshot.User, _ account.Session) error {
		second, err := w.StartSession(ctx, annSignsIn)
		if err != nil {
			return err
		}
		return w.EndSession(ctx, second.Cookie)
	}, true)
	f("revoking all tokens ends session", func(w *world, u *earshot.User, _ account.Session) error { return w.RevokeTokens(ctx, u.ID) }, false)
	f("new password ends session", edit(account.UserChanges{Password: &other}), false)
	f("removing API access ends session", edit(account.UserChanges{APIAccess: &no}), false)
	f("changing teams keeps session", edit(account.UserChanges{Teams: &teams}), true)
	f("removing user ends session", func(w *world, u *earshot.User, _ account.Session) error { return w.RemoveUser(ctx, u.ID) }, false)
	f("issuing a token keeps session", func(w *world, _ *earshot.User, s account.Session) error {
		_, err := w.IssueToken(ctx, s.Caller, account.TokenRequest{Permanent: true, Force: true, Password: "password-1"})
		return err
	}, true)
}

func TestEditWithoutChangeOfAccessKeepsSessions(t *testing.T) {
	w := newWorld(t)
	u := w.add(t, noAPI)
	s := w.session(t, noAPISignsIn)
	no := false
	if _, err := w.EditUser(t.Context(), u.ID, account.UserChanges{APIAccess: &no}); err != nil || !w.alive(s) {
		t.Errorf("got %v, alive %v", err, w.alive(s))
	}
}

func TestEndedSessionStaysEnded(t *testing.T) {
	w := newWorld(t)
	u := w.add(t, ann)
	s := w.session(t, annSignsIn)
	if err := w.EndSession(t.Context(), s.Cookie); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(6 * 24 * time.Hour)
	second := w.session(t, annSignsIn)
	if err := w.EndSession(t.Context(), second.Cookie); err != nil {
		t.Fatal(err)
	}
	if w.alive(s) || w.alive(second) {
		t.Error("an ended session is alive")
	}
	if u, _ := w.FindUser(u.ID); len(u.EndedSessions) != 2 {
		t.Errorf("%d ended sessions are stored, want 2", len(u.EndedSessions))
	}
	w.now = w.now.Add(24 * time.Hour) // the first would have expired by now
	third := w.session(t, annSignsIn)
	if err := w.EndSession(t.Context(), third.Cookie); err != nil {
		t.Fatal(err)
	}
	if u, _ := w.FindUser(u.ID); len(u.EndedSessions) != 2 || w.alive(s) || w.alive(second) || w.alive(third) {
		t.Errorf("%d ended sessions are stored, want 2", len(u.EndedSessions))
	}
}

func TestEndedSessionsAreBounded(t *testing.T) {
	w := newWorld(t)
	u := w.add(t, ann)
	token := w.token(t, annSignsIn)
	kept := w.session(t, annSignsIn)
	var ended []account.Session
	for range 100 {
		s := w.session(t, annSignsIn)
		if err := w.EndSession(t.Context(), s.Cookie); err != nil {
			t.Fatal(err)
		}
		ended = append(ended, s)
	}
	if !w.alive(kept) {
		t.Fatal("100 ended sessions ended another one")
	}
	last := w.session(t, annSignsIn)
	if err := w.EndSession(t.Context(), last.Cookie); err != nil {
		t.Fatal(err)
	}
	if w.alive(kept) || w.alive(last) || slices.ContainsFunc(ended, w.alive) {
		t.Error("the session survived the end of 101 others")
	}
	if u, _ := w.FindUser(u.ID); len(u.EndedSessions) != 0 || u.SessionEpoch != 1 {
		t.Errorf("%d ended sessions in epoch %d, want 0 in 1", len(u.EndedSessions), u.SessionEpoch)
	}
	if !w.valid(token) || !w.alive(w.session(t, annSignsIn)) {
		t.Error("tokens or new sessions are not valid")
	}
}

func TestTokensAndSessionsAreNotInterchangeable(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	permanent := annSignsIn
	permanent.Permanent = true
	for _, token := range []string{w.token(t, annSignsIn), w.token(t, permanent)} {
		if w.alive(account.Session{Cookie: token}) {
			t.Error("a token is accepted as a session")
		}
		if err := w.EndSession(t.Context(), token); err != nil || !w.valid(token) {
			t.Errorf("end a token as a session: got %v, valid %v", err, w.valid(token))
		}
	}
	if s := w.session(t, annSignsIn); w.valid(s.Cookie) || w.valid(s.CSRF) || w.alive(account.Session{Cookie: s.CSRF}) {
		t.Error("a session or its CSRF token is accepted as a token")
	}
}

func TestCSRFTokenIsPerSession(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	a, b := w.session(t, annSignsIn), w.session(t, annSignsIn)
	if a.CSRF == b.CSRF || a.Cookie == b.Cookie || len(a.CSRF) != 43 || strings.Contains(a.Cookie, a.CSRF) {
		t.Errorf("got %+v and %+v", a, b)
	}
}

func TestForgedSessionIsRejected(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	cookie := w.session(t, annSignsIn).Cookie
	for i := range cookie {
		for _, c := range []byte("Az0_\n\x00\xff") {
			if forged := cookie[:i] + string(c) + cookie[i+1:]; forged != cookie && w.alive(account.Session{Cookie: forged}) {
				t.Fatalf("valid with character %d changed", i)
			}
		}
	}
	for _, bad := range []string{"", "a", cookie + "a", cookie + "\n", cookie + "=", cookie[:10], strings.Repeat("A", 88), strings.Repeat("A", 1<<20), "💥"} {
		if w.alive(account.Session{Cookie: bad}) {
			t.Errorf("%.20q is valid", bad)
		}
		if err := w.EndSession(t.Context(), bad); err != nil {
			t.Errorf("end %.20q: %v", bad, err)
		}
	}
}

func TestSessionSignedWithAnotherSecretIsRejected(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	s := w.session(t, annSignsIn)
	w.Service = account.New(account.Options{Catalog: w.catalog, Secret: []byte("another secret of thirty-two bytes"), Now: func() time.Time { return w.now }})
	if w.alive(s) {
		t.Error("it is valid")
	}
}

func TestSessionsAndTokensShareThrottling(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	wrong := account.Credentials{Username: "ann", Password: "wrong", Address: "127.0.0.1"}
	for i := range 5 {
		_, err := w.StartSession(t.Context(), wrong)
		if err == nil || err.Error() != "Invalid credentials" || !earshot.IsKind(err, earshot.Unauthenticated) {
			t.Fatalf("failure %d: got %v", i, err)
		}
		if _, err := w.SignIn(t.Context(), wrong); !earshot.IsKind(err, earshot.Unauthenticated) {
			t.Fatalf("failure %d: got %v", i, err)
		}
	}
	if _, err := w.StartSession(t.Context(), annSignsIn); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("first retry: got %v, want a throttling error", err)
	}
	w.now = w.now.Add(time.Second)
	w.session(t, annSignsIn)
}

func TestIssueToken(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	w.add(t, noAPI)
	c := w.session(t, annSignsIn).Caller
	issue := func(permanent, force bool) account.Token {
		t.Helper()
		token, err := w.IssueToken(t.Context(), c, account.TokenRequest{Permanent: permanent, Force: force, Password: "password-1", Address: "127.0.0.1"})
		if err != nil || !w.valid(token.Text) {
			t.Fatalf("got %v, valid %v", err, w.valid(token.Text))
		}
		return token
	}
	if token := issue(false, false); !token.Expires.Equal(w.now.Add(24 * time.Hour)) {
		t.Errorf("expires at %v, want after a day", token.Expires)
	}
	first := issue(true, false)
	if again := issue(true, false); again != first || !first.Expires.IsZero() {
		t.Error("the permanent token changed or expires")
	}
	if forced := issue(true, true); forced == first || w.valid(first.Text) {
		t.Error("force did not replace the token")
	}
	_, err := w.IssueToken(t.Context(), w.session(t, noAPISignsIn).Caller, account.TokenRequest{})
	if err == nil || err.Error() != "This user has no API access" || !earshot.IsKind(err, earshot.Forbidden) {
		t.Errorf("without access: got %v", err)
	}
}

func TestChangePassword(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	s, token := w.session(t, annSignsIn), w.token(t, annSignsIn)
	change := func(old, fresh string) (account.Session, error) {
		return w.ChangePassword(t.Context(), s.Caller, account.PasswordChange{Old: old, New: fresh, Address: "127.0.0.1"})
	}
	if _, err := change("wrong", "password-2"); err == nil || err.Error() != "The old password is incorrect" || !earshot.IsKind(err, earshot.Forbidden) {
		t.Errorf("wrong old password: got %v", err)
	}
	if _, err := change("password-1", "abc"); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("short new password: got %v", err)
	}
	if !w.alive(s) || !w.valid(token) {
		t.Error("a rejected change ended a session or token")
	}
	fresh, err := change("password-1", "password-2")
	if err != nil || !w.alive(fresh) || w.alive(s) || w.valid(token) || fresh.CSRF == s.CSRF {
		t.Errorf("got %v; new session alive %v, old %v, token %v", err, w.alive(fresh), w.alive(s), w.valid(token))
	}
	if _, err := w.StartSession(t.Context(), annSignsIn); err == nil {
		t.Error("the old password still signs in")
	}
	w.session(t, account.Credentials{Username: "ann", Password: "password-2"})
}

func TestChangePasswordIsThrottled(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	s := w.session(t, annSignsIn)
	var err error
	for range 11 {
		_, err = w.ChangePassword(t.Context(), s.Caller, account.PasswordChange{Old: "guess", New: "password-2", Address: "192.0.2.1"})
	}
	if !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("guess 11: got %v, want a throttling error", err)
	}
	if err := w.attempt(t, "ann", "password-1", "192.0.2.1"); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("next sign-in: got %v, want a throttling error", err)
	}
}

func TestUserRecordWithoutSessionFields(t *testing.T) {
	store := kv.NewMemory()
	hash := password.Hasher{Memory: 64, Passes: 1, Threads: 1}.Hash("password-1")
	record := `{"ID":7,"Username":"old","PasswordHash":"` + hash + `","Email":"","FirstName":"","LastName":"","Teams":null,"APIAccess":true,"Permissions":null,"TokenEpoch":3,"TokenGeneration":4}`
	if _, err := store.Put(t.Context(), "user.7", []byte(record), 0); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := newWorld(t)
	w.Service = account.New(account.Options{Catalog: c, Secret: []byte("0123456789abcdef0123456789abcdef"), Now: func() time.Time { return w.now }})
	if !w.valid(oldToken) {
		t.Error("its permanent token is rejected")
	}
	s := w.session(t, account.Credentials{Username: "old", Password: "password-1"})
	if err := w.EndSession(t.Context(), s.Cookie); err != nil || w.alive(s) {
		t.Errorf("got %v, alive %v", err, w.alive(s))
	}
}

func FuzzFindSession(f *testing.F) {
	c, err := catalog.Open(context.Background(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	s := account.New(account.Options{Catalog: c, Secret: []byte("0123456789abcdef0123456789abcdef"), Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1}})
	if _, err := s.AddUser(context.Background(), ann); err != nil {
		f.Fatal(err)
	}
	real, err := s.StartSession(context.Background(), annSignsIn)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "AXM", real.Cookie[:87], real.CSRF, strings.Repeat("A", 88), "\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		if _, err := s.FindSession(context.Background(), cookie); err != earshot.ErrNotAuthenticated && cookie != real.Cookie {
			t.Errorf("%q: got %v", cookie, err)
		}
		if _, err := s.Authenticate(context.Background(), cookie); err != earshot.ErrNotAuthenticated {
			t.Errorf("%q as a token: got %v", cookie, err)
		}
	})
}

// TestTemporaryPassword signs in with a temporary password, which only allows choosing another one.
func TestTemporaryPassword(t *testing.T) {
	w := newWorld(t)
	temporary := ann
	temporary.Temporary = true
	u := w.add(t, temporary)
	wantError := func(what string, err error, kind earshot.Kind, message string) {
		t.Helper()
		if !earshot.IsKind(err, kind) || err.Error() != message {
			t.Errorf("%s: got %v, want %s", what, err, message)
		}
	}
	start := func(password string) (account.Session, error) {
		return w.StartSession(t.Context(), account.Credentials{Username: "ann", Password: password, Address: "127.0.0.1"})
	}
	_, err := w.SignIn(t.Context(), annSignsIn)
	wantError("token", err, earshot.Forbidden, "Please sign in to the web app and change your temporary password first")
	s, err := start("password-1")
	if err != nil || !s.Caller.MustChangePassword {
		t.Fatalf("got %+v %v, want a session of a caller who must change the password", s.Caller, err)
	}
	_, err = w.IssueToken(t.Context(), s.Caller, account.TokenRequest{})
	wantError("token of the session", err, earshot.Forbidden, "Please sign in to the web app and change your temporary password first")

	change := func(old, next string) error {
		_, err := w.ChangePassword(t.Context(), s.Caller, account.PasswordChange{Old: old, New: next, Address: "127.0.0.1"})
		return err
	}
	wantError("the same password", change("password-1", "password-1"), earshot.Invalid, "Invalid request body: password must not be the old one")
	w.now = w.now.Add(7*24*time.Hour - time.Second)
	if _, err := start("password-1"); err != nil {
		t.Errorf("a second before it expires: %v", err)
	}
	w.now = w.now.Add(time.Second)
	_, err = start("password-1")
	wantError("expired", err, earshot.Unauthenticated, "This temporary password has expired; ask an administrator for a new one")
	_, err = start("password-9")
	wantError("wrong", err, earshot.Unauthenticated, "Invalid credentials") // does not tell strangers about it

	again := "password-2"
	if _, err := w.EditUser(t.Context(), u.ID, account.UserChanges{Temporary: true}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("temporary without a password: got %v", err)
	}
	if _, err := w.EditUser(t.Context(), u.ID, account.UserChanges{Password: &again, Temporary: true}); err != nil {
		t.Fatal(err)
	}
	if s, err = start(again); err != nil || !s.Caller.MustChangePassword {
		t.Fatalf("got %+v %v, want a session with the new temporary password", s.Caller, err)
	}
	if err := change(again, "password-3"); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(30 * 24 * time.Hour)
	if s, err = start("password-3"); err != nil || s.Caller.MustChangePassword {
		t.Errorf("got %+v %v, want a session without restrictions", s.Caller, err)
	}
	if _, err := w.SignIn(t.Context(), account.Credentials{Username: "ann", Password: "password-3", Address: "127.0.0.1"}); err != nil {
		t.Errorf("token after the change: %v", err)
	}
}
