package account_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A mailer keeps the mails that it is given.
type mailer struct {
	to   []string
	sent []earshot.Message
	err  error
}

func (m *mailer) Mail(_ context.Context, to string, message earshot.Message) error {
	m.to, m.sent = append(m.to, to), append(m.sent, message)
	return m.err
}

// An invitingWorld is a world with an administrator and a team.
type invitingWorld struct {
	*world
	admin *earshot.Caller
	team  earshot.TeamID
}

func newInvitingWorld(t *testing.T) invitingWorld {
	t.Helper()
	return invite(t, newWorld(t))
}

func invite(t *testing.T, w *world) invitingWorld {
	t.Helper()
	u := w.add(t, account.NewUser{Username: "root", Password: "password-1", FirstName: "Ada", LastName: "Root", APIAccess: true, Permissions: earshot.Permissions})
	team, err := w.AddTeam(t.Context(), earshot.NewCaller(u), earshot.Team{Name: "Acme"})
	if err != nil {
		t.Fatal(err)
	}
	return invitingWorld{w, earshot.NewCaller(u), team.ID}
}

func (w invitingWorld) invite(t *testing.T, n account.NewInvitation) (*earshot.Invitation, string) {
	t.Helper()
	n.Team = w.team
	i, token, err := w.Invite(t.Context(), w.admin, n)
	if err != nil {
		t.Fatal(err)
	}
	return i, token
}

func accept(token, username string) account.Acceptance {
	return account.Acceptance{Token: token, Username: username, Password: "tea kettle whistle", Address: "192.0.2.1"}
}

const gone = "This invitation has expired or was already used. Ask for a new one."

func TestInvitationMakesAMember(t *testing.T) {
	w := newInvitingWorld(t)
	i, token := w.invite(t, account.NewInvitation{Username: " lizzy ", Email: "lizzy@example.com", Permissions: []earshot.Permission{"content"}})
	open, err := w.OpenInvitation(token, "192.0.2.1")
	if want := (account.OpenInvitation{Team: "Acme", Inviter: "Ada Root", Username: "lizzy", Expires: w.now.AddDate(0, 0, 7)}); err != nil || open != want {
		t.Fatalf("the invitation is %+v (%v), want %+v", open, err, want)
	}
	s, err := w.AcceptInvitation(t.Context(), accept(token, " Elizabeth "))
	if err != nil {
		t.Fatal(err)
	}
	u, err := w.FindUser(s.Caller.User)
	if err != nil || u.Username != "Elizabeth" || u.Email != i.Email || !slices.Equal(u.Teams, []earshot.TeamID{w.team}) ||
		!slices.Equal(u.Permissions, []earshot.Permission{"content"}) || u.APIAccess || u.HasTemporaryPassword() {
		t.Errorf("the user is %+v (%v)", u, err)
	}
	if _, err := w.FindSession(t.Context(), s.Cookie); err != nil {
		t.Errorf("the session does not work: %v", err)
	}
	if _, err := w.StartSession(t.Context(), account.Credentials{Username: "elizabeth", Password: "tea kettle whistle"}); err != nil {
		t.Errorf("the password does not work: %v", err)
	}
	if _, err := w.AcceptInvitation(t.Context(), accept(token, "jane")); err == nil || err.Error() != gone {
		t.Errorf("accepting it again: got %v", err)
	}
	if list := w.Invitations(w.admin); len(list) > 0 {
		t.Errorf("the invitation is still listed: %+v", list[0])
	}
}

// TestInvitationTokenIsNotStored searches the whole store for the token.
func TestInvitationTokenIsNotStored(t *testing.T) {
	store := kv.NewMemory()
	c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var log bytes.Buffer
	w := invite(t, &world{catalog: c, Service: account.New(account.Options{Catalog: c, Secret: []byte("0123456789abcdef0123456789abcdef"), Hasher: newWorld(t).hasher, Log: slog.New(slog.NewTextHandler(&log, nil))})})
	_, token := w.invite(t, account.NewInvitation{})
	if len(token) != 43 {
		t.Errorf("the token %q does not have 256 bits", token)
	}
	records := 0
	ctx, cancel := context.WithCancel(t.Context())
	err = store.Watch(ctx, func(e kv.Entry) {
		records++
		if strings.Contains(string(e.Value), token) {
			t.Errorf("%s contains the token", e.Key)
		}
	}, func(uint64) { cancel() })
	if !errors.Is(err, context.Canceled) || records == 0 {
		t.Fatalf("read %d records: %v", records, err)
	}
	w.OpenInvitation(token+"x", "192.0.2.1")
	if _, err := w.AcceptInvitation(t.Context(), accept(token, "lizzy")); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Contains(text, token) || !strings.Contains(text, "accepted an invitation") || !strings.Contains(text, "opening an invitation failed") {
		t.Errorf("the log is %s", text)
	}
}

func TestInvitationsThatCannotBeAccepted(t *testing.T) {
	f := func(name string, n account.NewInvitation, change func(w invitingWorld, i *earshot.Invitation) error) {
		t.Run(name, func(t *testing.T) {
			w := newInvitingWorld(t)
			w.add(t, account.NewUser{Username: "other", Password: "password-1", APIAccess: true, Permissions: earshot.Permissions})
			i, token := w.invite(t, n)
			if _, err := w.OpenInvitation(token, ""); err != nil {
				t.Fatalf("it cannot be opened at first: %v", err)
			}
			if err := change(w, i); err != nil {
				t.Fatal(err)
			}
			_, opened := w.OpenInvitation(token, "")
			_, accepted := w.AcceptInvitation(t.Context(), accept(token, "lizzy"))
			for _, err := range []error{opened, accepted} {
				if !earshot.IsKind(err, earshot.NotFound) || err.Error() != gone {
					t.Errorf("got %v, want %q", err, gone)
				}
			}
			if list := w.Invitations(w.admin); len(list) > 0 {
				t.Errorf("it is still listed: %+v", list[0])
			}
			if n := len(w.ListUsers()); n > 2 {
				t.Errorf("there are %d users", n)
			}
		})
	}
	ctx := context.Background()
	after := func(d time.Duration) func(invitingWorld, *earshot.Invitation) error {
		return func(w invitingWorld, _ *earshot.Invitation) error { w.now = w.now.Add(d); return nil }
	}
	f("after 7 days", account.NewInvitation{}, after(7*24*time.Hour))
	f("after the chosen days", account.NewInvitation{Days: 30}, after(30*24*time.Hour))
	f("revoked", account.NewInvitation{}, func(w invitingWorld, i *earshot.Invitation) error { return w.RevokeInvitation(ctx, w.admin, i.ID) })
	f("team deleted", account.NewInvitation{}, func(w invitingWorld, _ *earshot.Invitation) error { return w.RemoveTeam(ctx, w.team) })
	f("inviter deleted", account.NewInvitation{}, func(w invitingWorld, _ *earshot.Invitation) error {
		return w.RemoveUser(ctx, w.admin.User)
	})
	f("inviter no longer an administrator", account.NewInvitation{}, func(w invitingWorld, _ *earshot.Invitation) error {
		_, err := w.EditUser(ctx, w.admin.User, account.UserChanges{Permissions: &[]earshot.Permission{}})
		return err
	})
	t.Run("not yet expired", func(t *testing.T) {
		w := newInvitingWorld(t)
		_, token := w.invite(t, account.NewInvitation{Days: 1})
		w.now = w.now.Add(24*time.Hour - time.Second)
		if _, err := w.AcceptInvitation(t.Context(), accept(token, "lizzy")); err != nil {
			t.Error(err)
		}
	})
}

func TestWrongInvitations(t *testing.T) {
	w := newInvitingWorld(t)
	f := func(n account.NewInvitation, want string) {
		t.Helper()
		if n.Team == 0 {
			n.Team = w.team
		}
		if _, _, err := w.Invite(t.Context(), w.admin, n); err == nil || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", n, err, want)
		}
	}
	f(account.NewInvitation{Days: 31}, "Invalid request body: days must be from 1 to 30")
	f(account.NewInvitation{Days: -1}, "Invalid request body: days must be from 1 to 30")
	f(account.NewInvitation{Team: 7}, "Team 7 does not exist")
	f(account.NewInvitation{Username: strings.Repeat("x", 101)}, "Invalid request body: username must have 1 to 100 characters")
	f(account.NewInvitation{Username: "ROOT"}, "The username 'ROOT' is taken")
	f(account.NewInvitation{Permissions: []earshot.Permission{"content", "admin"}}, "Invalid request body: permissions must not contain admin: make the user an administrator after they have joined")
	f(account.NewInvitation{Permissions: []earshot.Permission{"all"}}, "Invalid request body: permissions[0] must be content, streams or admin, not 'all'")
}

// TestMistakesDoNotUseUpAnInvitation tries a taken username and a weak password first.
func TestMistakesDoNotUseUpAnInvitation(t *testing.T) {
	w := newInvitingWorld(t)
	_, token := w.invite(t, account.NewInvitation{})
	weak := accept(token, "lizzy")
	weak.Password = "short"
	for range 20 { // does not count as a wrong token
		if _, err := w.AcceptInvitation(t.Context(), weak); !earshot.IsKind(err, earshot.Invalid) {
			t.Fatalf("a weak password: got %v", err)
		}
		if _, err := w.AcceptInvitation(t.Context(), accept(token, "Root")); !earshot.IsKind(err, earshot.Conflict) {
			t.Fatalf("a taken username: got %v", err)
		}
	}
	if _, err := w.AcceptInvitation(t.Context(), accept(token, "lizzy")); err != nil {
		t.Error(err)
	}
}

func TestWrongTokensAreThrottled(t *testing.T) {
	w := newInvitingWorld(t)
	_, token := w.invite(t, account.NewInvitation{})
	for i := range 10 {
		if _, err := w.OpenInvitation(fmt.Sprintf("%043d", i), "192.0.2.1"); !earshot.IsKind(err, earshot.NotFound) {
			t.Fatalf("attempt %d: got %v", i, err)
		}
	}
	if _, err := w.OpenInvitation(token, "192.0.2.1"); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("after ten wrong tokens: got %v, want OverLimit", err)
	}
	if _, err := w.AcceptInvitation(t.Context(), accept(token, "lizzy")); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("after ten wrong tokens: got %v, want OverLimit", err)
	}
	if _, err := w.OpenInvitation(token, "192.0.2.2"); err != nil {
		t.Errorf("another network: %v", err)
	}
	w.now = w.now.Add(time.Minute)
	if _, err := w.OpenInvitation(token, "192.0.2.1"); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

// TestInvitationIsAcceptedOnce accepts an invitation on two nodes at the same time.
func TestInvitationIsAcceptedOnce(t *testing.T) {
	nodes := newNodes(t, 2)
	w := invite(t, nodes[0])
	i, token := w.invite(t, account.NewInvitation{})
	changed := make(chan struct{}, 1)
	defer nodes[1].catalog.Invitations.Notify(changed)()
	for _, ok := nodes[1].catalog.Invitations.Find(i.ID); !ok; _, ok = nodes[1].catalog.Invitations.Find(i.ID) {
		<-changed
	}
	errs := make([]error, 8)
	var running sync.WaitGroup
	for n := range errs {
		running.Go(func() {
			a := accept(token, fmt.Sprintf("user-%d", n))
			a.Address = fmt.Sprintf("192.0.2.%d", n)
			_, errs[n] = nodes[n%2].AcceptInvitation(t.Context(), a)
		})
	}
	running.Wait()
	accepted := 0
	for _, err := range errs {
		if err == nil {
			accepted++
		} else if !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("got %v, want NotFound", err)
		}
	}
	if accepted != 1 {
		t.Errorf("%d accepted the invitation, want 1", accepted)
	}
	_, token = w.invite(t, account.NewInvitation{})
	for n := range errs { // the names of the losers are free
		if errs[n] != nil {
			if _, err := w.AcceptInvitation(t.Context(), accept(token, fmt.Sprintf("user-%d", n))); err != nil {
				t.Error(err)
			}
			break
		}
	}
}

func TestExpiredInvitationsAreDeleted(t *testing.T) {
	w := newInvitingWorld(t)
	w.invite(t, account.NewInvitation{Days: 1})
	kept, _ := w.invite(t, account.NewInvitation{Days: 2})
	w.now = w.now.Add(24 * time.Hour)
	if err := w.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list := w.catalog.Invitations.List(); len(list) != 1 || list[0].ID != kept.ID {
		t.Errorf("%d invitations are left, want the one that has not expired", len(list))
	}
}

func TestMailInvitation(t *testing.T) {
	w := newInvitingWorld(t)
	m := &mailer{err: errors.New("no")}
	w.Service = account.New(account.Options{Catalog: w.catalog, Secret: []byte("0123456789abcdef0123456789abcdef"), Hasher: w.hasher, Now: func() time.Time { return w.now }, Mailer: m})
	i, token := w.invite(t, account.NewInvitation{Email: "lizzy@example.com"})
	if err := w.MailInvitation(t.Context(), i, token); err != m.err {
		t.Errorf("got %v, want the error of the mailer", err)
	}
	sent := m.sent[0]
	if m.to[0] != "lizzy@example.com" || sent.Title != "Ada Root invites you to Earshot" || sent.Path != "/invitation#token="+token ||
		!strings.Contains(sent.Text, "“Acme”") || !strings.Contains(sent.Text, "until Mar 22, 2026, 12:00 PM UTC") {
		t.Errorf("sent %+v to %s", sent, m.to)
	}
}
