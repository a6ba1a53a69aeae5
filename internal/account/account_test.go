package account_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A world is a service and its clock.
type world struct {
	*account.Service
	catalog *catalog.Catalog
	hasher  password.Hasher
	now     time.Time
}

// useClock makes the service use the clock of the test's bubble instead of w.now.
func (w *world) useClock() {
	w.Service = account.New(account.Options{Catalog: w.catalog, Secret: []byte("0123456789abcdef0123456789abcdef"), Hasher: w.hasher})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := &world{catalog: c, hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1}, now: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}
	w.Service = account.New(account.Options{
		Catalog: c,
		Secret:  []byte("0123456789abcdef0123456789abcdef"),
		Hasher:  w.hasher,
		Now:     func() time.Time { return w.now },
	})
	return w
}

func (w *world) add(t *testing.T, n account.NewUser) *earshot.User {
	t.Helper()
	u, err := w.AddUser(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w *world) token(t *testing.T, in account.Credentials) string {
	t.Helper()
	token, err := w.SignIn(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return token.Text
}

func (w *world) valid(token string) bool {
	_, err := w.Authenticate(context.Background(), token)
	return err == nil
}

var ann = account.NewUser{Username: "ann", Password: "password-1", APIAccess: true, Permissions: []earshot.Permission{"content"}}

var annSignsIn = account.Credentials{Username: "ann", Password: "password-1", Address: "127.0.0.1"}

func TestTokenAuthenticatesItsUser(t *testing.T) {
	w := newWorld(t)
	u := w.add(t, ann)
	c, err := w.Authenticate(t.Context(), w.token(t, annSignsIn))
	if err != nil || c.User != u.ID || c.Name != "ann" || !c.May("content") || c.May("streams") || c.Admin() {
		t.Errorf("got %+v %v, want ann with the content permission", c, err)
	}
}

func TestTokenRevocationAndExpiry(t *testing.T) {
	permanent := annSignsIn
	permanent.Permanent = true
	no, other := false, "password-2"
	f := func(name string, in account.Credentials, what func(w *world, u *earshot.User) error, want bool) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			u := w.add(t, ann)
			token := w.token(t, in)
			if !w.valid(token) {
				t.Fatal("a fresh token is not valid")
			}
			if err := what(w, u); err != nil {
				t.Fatal(err)
			}
			if got := w.valid(token); got != want {
				t.Errorf("valid afterwards: got %v, want %v", got, want)
			}
		})
	}
	after := func(d time.Duration) func(*world, *earshot.User) error {
		return func(w *world, _ *earshot.User) error { w.now = w.now.Add(d); return nil }
	}
	edit := func(c account.UserChanges) func(*world, *earshot.User) error {
		return func(w *world, u *earshot.User) error { _, err := w.EditUser(context.Background(), u.ID, c); return err }
	}
	force := func(w *world, _ *earshot.User) error {
		in := permanent
		in.Force = true
		_, err := w.SignIn(context.Background(), in)
		return err
	}
	end := func(w *world, u *earshot.User) error { return w.RevokeTokens(context.Background(), u.ID) }
	remove := func(w *world, u *earshot.User) error { return w.RemoveUser(context.Background(), u.ID) }
	again := func(w *world, _ *earshot.User) error {
		_, err := w.SignIn(context.Background(), annSignsIn)
		return err
	}

	f("expiring token is valid for a day", annSignsIn, after(24*time.Hour-time.Second), true)
	f("expiring token expires after a day", annSignsIn, after(24*time.Hour), false)
	f("permanent token does not expire", permanent, after(1000*24*time.Hour), true)
	f("signing in again keeps expiring token", annSignsIn, again, true)
	f("force revokes permanent token", permanent, force, false)
	f("force keeps expiring token", annSignsIn, force, true)
	f("new password revokes expiring token", annSignsIn, edit(account.UserChanges{Password: &other}), false)
	f("new password revokes permanent token", permanent, edit(account.UserChanges{Password: &other}), false)
	f("removing API access revokes token", permanent, edit(account.UserChanges{APIAccess: &no}), false)
	f("changing email keeps token", permanent, edit(account.UserChanges{Email: &other}), true)
	f("revoking all tokens revokes token", annSignsIn, end, false)
	f("removing user revokes token", permanent, remove, false)
}

func TestPermanentTokenIsStable(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	in := annSignsIn
	in.Permanent = true
	first := w.token(t, in)
	if second := w.token(t, in); second != first {
		t.Error("got another token")
	}
	in.Force = true
	forced := w.token(t, in)
	in.Force = false
	if forced == first || w.token(t, in) != forced {
		t.Error("want a new token after force, and the same one after that")
	}
}

func TestForgedTokenIsRejected(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	token := w.token(t, annSignsIn)
	for i := range token {
		for _, c := range []byte("Az0_") {
			forged := token[:i] + string(c) + token[i+1:]
			if forged != token && w.valid(forged) && i < len(token)-1 { // the last character has unused bits
				t.Fatalf("valid with character %d changed", i)
			}
		}
	}
	for _, bad := range []string{"", "a", token + "a", token[:10], strings.Repeat("A", 88), "💥"} {
		if w.valid(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}

func TestSignInMessages(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	w.add(t, account.NewUser{Username: "noapi", Password: "password-1"})
	f := func(user, password, want string) {
		t.Helper()
		_, err := w.SignIn(t.Context(), account.Credentials{Username: user, Password: password})
		if err == nil || err.Error() != want || !earshot.IsKind(err, earshot.Unauthenticated) {
			t.Errorf("%s %s: got %v, want %s", user, password, err, want)
		}
	}
	f("ann", "wrong", "Invalid credentials")
	f("nobody", "password-1", "Invalid credentials")
	f("noapi", "wrong", "Invalid credentials")
	f("noapi", "password-1", "Unauthorized")
}

func TestFailedSignInsAreThrottled(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	wrong := account.Credentials{Username: "ann", Password: "wrong", Address: "127.0.0.1"}
	for i := range 10 {
		if _, err := w.SignIn(t.Context(), wrong); !earshot.IsKind(err, earshot.Unauthenticated) {
			t.Fatalf("failure %d: got %v, want Invalid credentials", i, err)
		}
	}
	if _, err := w.SignIn(t.Context(), annSignsIn); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("first retry: got %v, want a throttling error", err)
	}
	w.now = w.now.Add(time.Second)
	if _, err := w.SignIn(t.Context(), annSignsIn); err != nil {
		t.Errorf("one second later: got %v, want a token", err)
	}
	if _, err := w.SignIn(t.Context(), wrong); !earshot.IsKind(err, earshot.Unauthenticated) {
		t.Errorf("failure after a success: got %v, want no throttling", err)
	}
}

func TestSignInsAreThrottledPerAddress(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	for i := range 50 {
		w.SignIn(t.Context(), account.Credentials{Username: string(rune('a' + i)), Password: "x", Address: "127.0.0.9"})
	}
	in := annSignsIn
	in.Address = "127.0.0.9"
	if _, err := w.SignIn(t.Context(), in); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("same address: got %v, want a throttling error", err)
	}
	if _, err := w.SignIn(t.Context(), annSignsIn); err != nil {
		t.Errorf("another address: got %v, want a token", err)
	}
}

func TestUserValidation(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	f := func(n account.NewUser, want string) {
		t.Helper()
		_, err := w.AddUser(t.Context(), n)
		if err == nil || !strings.HasPrefix(err.Error(), "Invalid request body: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f(account.NewUser{Password: "password-1"}, "username must have 1 to 100 characters")
	f(account.NewUser{Username: "bo", Password: "abc"}, "password must have 10 to 200 characters")
	f(account.NewUser{Username: "bo", Password: "password-1", Teams: []earshot.TeamID{9}}, "teams[0]: Team 9 does not exist")
	f(account.NewUser{Username: "bo", Password: "password-1", Permissions: []earshot.Permission{"root"}}, "permissions[0] must be content, streams or admin, not 'root'")
	if _, err := w.AddUser(t.Context(), account.NewUser{Username: "ANN", Password: "password-1"}); !earshot.IsKind(err, earshot.Conflict) {
		t.Errorf("a taken username: got %v, want a conflict", err)
	}
}

func TestLastAdministratorCannotBeRemoved(t *testing.T) {
	w := newWorld(t)
	if _, err := w.CreateAdmin(t.Context(), "password-1"); err != nil {
		t.Fatal(err)
	}
	admin := w.ListUsers()[0]
	no, none := false, []earshot.Permission{}
	if err := w.RemoveUser(t.Context(), admin.ID); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("remove: got %v, want an error", err)
	}
	if _, err := w.EditUser(t.Context(), admin.ID, account.UserChanges{Permissions: &none}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("remove permission: got %v, want an error", err)
	}
	if _, err := w.EditUser(t.Context(), admin.ID, account.UserChanges{APIAccess: &no}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("remove API access: got %v, want an error", err)
	}
	w.add(t, account.NewUser{Username: "second", Password: "password-1", APIAccess: true, Permissions: earshot.Permissions})
	if err := w.RemoveUser(t.Context(), admin.ID); err != nil {
		t.Errorf("with a second administrator: %v", err)
	}
}

func TestCreateAdminOnce(t *testing.T) {
	w := newWorld(t)
	shown, err := w.CreateAdmin(t.Context(), "")
	if err != nil || len(shown) < 20 {
		t.Fatalf("got password %q %v, want a generated one", shown, err)
	}
	w.token(t, account.Credentials{Username: "admin", Password: shown})
	if again, err := w.CreateAdmin(t.Context(), ""); again != "" || err != nil || len(w.ListUsers()) != 1 {
		t.Errorf("second start: got %q %v and %d users", again, err, len(w.ListUsers()))
	}
}

func TestRenamedUserReleasesName(t *testing.T) {
	w := newWorld(t)
	u := w.add(t, ann)
	name := "anna"
	if _, err := w.EditUser(t.Context(), u.ID, account.UserChanges{Username: &name}); err != nil {
		t.Fatal(err)
	}
	w.add(t, ann)
}

func TestConcurrentSignInsAreThrottled(t *testing.T) {
	w := newWorld(t)
	w.add(t, ann)
	var wait sync.WaitGroup
	var tried, slowed atomic.Int64
	for range 100 {
		wait.Go(func() {
			_, err := w.SignIn(context.Background(), account.Credentials{Username: "ann", Password: "guess", Address: "127.0.0.1"})
			if earshot.IsKind(err, earshot.OverLimit) {
				slowed.Add(1)
			} else {
				tried.Add(1)
			}
		})
	}
	wait.Wait()
	if tried.Load() > 12 { // the first ten are not throttled, and two are checked concurrently
		t.Errorf("%d guesses tried, %d throttled, want at most 12 tried", tried.Load(), slowed.Load())
	}
}

func TestInterruptedRenameReleasesName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		u := w.add(t, ann)
		// Simulate a crash between the change and the release of the old name.
		_, err := w.catalog.Users.Update(t.Context(), u.ID, func(u *earshot.User) error { u.Username = "anna"; return nil })
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute) // virtual
		w.add(t, ann)
	})
}

func TestCreateAdminReportsInterruptedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		// Simulate a crash between reserving the name and adding the user.
		if err := w.catalog.ReserveName(t.Context(), catalog.UniqueName{Kind: "user", Text: "admin"}, 1, func(int64) bool { return false }); err != nil {
			t.Fatal(err)
		}
		if _, err := w.CreateAdmin(t.Context(), "password-1"); err == nil || !strings.Contains(err.Error(), "try again in a minute") {
			t.Errorf("got %v, want Unavailable", err)
		}
	})
}

func TestTwoAdministratorsCannotRemoveEachOtherConcurrently(t *testing.T) {
	w := newWorld(t)
	no := false
	var ids []earshot.UserID
	for _, name := range []string{"one", "two", "three"} {
		ids = append(ids, w.add(t, account.NewUser{Username: name, Password: "password-1", APIAccess: true, Permissions: earshot.Permissions}).ID)
	}
	var wait sync.WaitGroup
	for i, id := range ids {
		wait.Go(func() {
			if i == 2 {
				w.RemoveUser(context.Background(), id)
				return
			}
			w.EditUser(context.Background(), id, account.UserChanges{APIAccess: &no})
		})
	}
	wait.Wait()
	left := 0
	for _, u := range w.ListUsers() {
		if u.APIAccess {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d administrators remain, want 1", left)
	}
}
