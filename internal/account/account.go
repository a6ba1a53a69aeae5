// Package account manages users, teams and invitations, and authenticates callers by password, API token or
// browser session. Tokens and sessions are stateless: each is a signature over the user, the kind
// of token and its expiry. Verifying one needs only the user's record, which is in memory. The
// record also lists the few sessions that ended early.
package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
)

// A Service manages users and teams and authenticates callers. It is safe for concurrent use.
type Service struct {
	catalog *catalog.Catalog
	secret  []byte
	hasher  password.Hasher
	now     func() time.Time
	log     *slog.Logger

	hashing   Hashing
	mailer    Mailer
	throttle  *throttle
	penalties *penalties
	recording sync.WaitGroup // background writes
}

// Options configure a [Service].
type Options struct {
	Catalog *catalog.Catalog
	Secret  []byte           // signs tokens; must be the same in every process of an installation
	Hasher  password.Hasher  // zero: password.DefaultHasher
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: nothing is logged
	Hashing Hashing          // nil: two hashes at a time
	Mailer  Mailer           // for MailInvitation
}

// A Mailer sends a message to an email address at once. The error is for people.
type Mailer interface {
	Mail(ctx context.Context, to string, m earshot.Message) error
}

// Hashing limits and schedules the hashing of passwords. See [limit.Queue].
type Hashing interface {
	Do(ctx context.Context, t limit.Turn, f func()) error
}

// New returns a Service.
func New(o Options) *Service {
	if o.Hasher == (password.Hasher{}) {
		o.Hasher = password.DefaultHasher
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hashing == nil {
		o.Hashing = limit.NewQueue(2)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		catalog: o.Catalog, secret: o.Secret, hasher: o.Hasher, now: o.Now, log: o.Log,
		hashing:   o.Hashing,
		mailer:    o.Mailer,
		throttle:  newThrottle(),
		penalties: newPenalties(),
	}
}

// Close waits for background writes. The service must not be used any more.
func (s *Service) Close() { s.recording.Wait() }

// CreateAdmin creates the admin user if there are no users. If none is chosen, it generates one
// and returns it so that it can be shown once.
func (s *Service) CreateAdmin(ctx context.Context, chosen string) (shown string, err error) {
	if len(s.catalog.Users.List()) > 0 {
		return "", nil
	}
	if chosen == "" {
		shown = rand.Text()
		chosen = shown
	} else if reason := password.Weakness("admin", chosen); reason != "" {
		return "", fmt.Errorf("the password in EARSHOT_ADMIN_PASSWORD %s", reason)
	}
	_, err = s.AddUser(ctx, NewUser{
		Username:    "admin",
		Password:    chosen,
		APIAccess:   true,
		Permissions: earshot.Permissions,
	})
	if errors.Is(err, catalog.ErrNameTaken) && s.waitForUser(ctx) {
		return "", nil // another process created it first
	}
	if errors.Is(err, catalog.ErrNameTaken) {
		return "", fmt.Errorf("%w: an earlier start was interrupted; try again in a minute", err)
	}
	return shown, err
}

// creationTimeout is how long another process that has reserved the name of the first user may take to
// create it.
const creationTimeout = 5 * time.Second

// waitForUser waits until there is a user, and reports whether there is.
func (s *Service) waitForUser(ctx context.Context) bool {
	changed := make(chan struct{}, 1)
	defer s.catalog.Users.Notify(changed)()
	timeout := time.NewTimer(creationTimeout)
	defer timeout.Stop()
	for len(s.catalog.Users.List()) == 0 {
		select {
		case <-changed:
		case <-timeout.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}
