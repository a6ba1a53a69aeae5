package account_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limit"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// newNodes returns services with their own views of one catalog.
func newNodes(t *testing.T, count int) (nodes []*world) {
	t.Helper()
	records := kv.NewMemory()
	for range count {
		c, err := catalog.Open(t.Context(), records, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		w := &world{catalog: c, now: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}
		w.Service = account.New(account.Options{
			Catalog: c,
			Secret:  []byte("0123456789abcdef0123456789abcdef"),
			Hasher:  password.Hasher{Memory: 64, Passes: 1, Threads: 1},
			Now:     func() time.Time { return w.now },
		})
		nodes = append(nodes, w)
	}
	return nodes
}

// settle waits until all nodes have read what one of them has written.
func settle(t *testing.T, nodes []*world, id earshot.UserID, done func(*earshot.User) bool) {
	t.Helper()
	for _, w := range nodes {
		changed := make(chan struct{}, 1)
		stop := w.catalog.Users.Notify(changed)
		for u, ok := w.catalog.Users.Find(id); !ok || !done(u); u, ok = w.catalog.Users.Find(id) {
			<-changed
		}
		stop()
	}
}

func TestNodesCreateOneFirstUser(t *testing.T) {
	nodes := newNodes(t, 3)
	var shown [3]string
	var starting sync.WaitGroup
	for i, w := range nodes {
		starting.Go(func() {
			var err error
			if shown[i], err = w.CreateAdmin(t.Context(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	var passwords []string
	for _, p := range shown {
		if p != "" {
			passwords = append(passwords, p)
		}
	}
	if len(passwords) != 1 {
		t.Fatalf("%d nodes show a password, want 1", len(passwords))
	}
	for i, w := range nodes {
		if got := len(w.ListUsers()); got != 1 {
			t.Errorf("node %d has %d users, want 1", i, got)
		}
		w.token(t, account.Credentials{Username: "admin", Password: passwords[0]})
	}
}

// TestTokensAndPasswordsOnAllNodes signs in on one node, uses the token on another, and changes the
// password there.
func TestTokensAndPasswordsOnAllNodes(t *testing.T) {
	nodes := newNodes(t, 2)
	u := nodes[0].add(t, ann)
	settle(t, nodes, u.ID, func(*earshot.User) bool { return true })
	token := nodes[0].token(t, account.Credentials{Username: ann.Username, Password: ann.Password})
	if c, err := nodes[1].Authenticate(t.Context(), token); err != nil || c.User != u.ID {
		t.Errorf("a token of the other node: got %+v and %v", c, err)
	}
	changed := "another-password-1"
	epoch := nodes[1].catalog.Users.List()[0].TokenEpoch
	if _, err := nodes[1].EditUser(t.Context(), u.ID, account.UserChanges{Password: &changed}); err != nil {
		t.Fatal(err)
	}
	settle(t, nodes, u.ID, func(u *earshot.User) bool { return u.TokenEpoch > epoch })
	if _, err := nodes[0].Authenticate(t.Context(), token); err == nil {
		t.Error("the token still works although the password was changed on another node")
	}
	nodes[0].token(t, account.Credentials{Username: ann.Username, Password: changed})
}

func TestFailedSignInsCountOnAllNodes(t *testing.T) {
	nodes := newNodes(t, 2)
	var exchanges []*limit.Exchange
	for _, w := range nodes {
		x := limit.NewExchange([]byte("secret"))
		w.ShareFailures(x)
		exchanges = append(exchanges, x)
	}
	u := nodes[0].add(t, ann)
	settle(t, nodes, u.ID, func(*earshot.User) bool { return true })
	wrong := account.Credentials{Username: ann.Username, Password: "wrong-password-1", Address: "192.0.2.1"}
	for i := range 10 { // five on each node
		if _, err := nodes[i%2].SignIn(t.Context(), wrong); !earshot.IsKind(err, earshot.Unauthenticated) {
			t.Fatalf("attempt %d: got %v, want Unauthenticated", i, err)
		}
	}
	for _, x := range exchanges {
		data := x.Message()
		for _, other := range exchanges {
			other.Receive(data, nodes[0].now)
		}
	}
	for i, w := range nodes {
		if _, err := w.SignIn(t.Context(), wrong); !earshot.IsKind(err, earshot.OverLimit) {
			t.Errorf("node %d: got %v, want OverLimit", i, err)
		}
	}
}
