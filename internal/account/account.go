// Package account manages users and teams and authenticates callers by password, API token or
// browser session. Tokens and sessions are stateless: each is a signature over the user, the kind
// of token and its expiry. Verifying one needs only the user's record, which is in memory. The
// record also lists the few sessions that ended early.
package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// A Service manages users and teams and authenticates callers. It is safe for concurrent use.
type Service struct {
	catalog   *catalog.Catalog
	secret    []byte
	hasher    Hasher
	hashSlots chan struct{} // semaphore: limits the memory that concurrent sign-ins use
	now       func() time.Time

	failedUsers     *throttle
	failedAddresses *throttle
}

// Options configure a [Service].
type Options struct {
	Catalog *catalog.Catalog
	Secret  []byte           // signs tokens; must be the same in every process of an installation
	Hasher  Hasher           // zero: DefaultHasher
	Now     func() time.Time // nil: time.Now
}

// New returns a Service.
func New(o Options) *Service {
	if o.Hasher == (Hasher{}) {
		o.Hasher = DefaultHasher
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{
		catalog: o.Catalog, secret: o.Secret, hasher: o.Hasher, now: o.Now,
		hashSlots:       make(chan struct{}, 2),
		failedUsers:     newThrottle(10),
		failedAddresses: newThrottle(50), // many people may share an address
	}
}

// LoadSecret reads the signing secret from a file. If the file does not exist, LoadSecret creates
// it with a random secret, readable only by its owner.
func LoadSecret(file string) ([]byte, error) {
	secret, err := os.ReadFile(file)
	if err == nil && len(secret) < 32 {
		return nil, fmt.Errorf("secret file %s has %d bytes but needs at least 32", file, len(secret))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	secret = make([]byte, 32)
	rand.Read(secret) // crypto/rand never fails
	err = writeOnce(file, secret)
	if errors.Is(err, fs.ErrExist) {
		return LoadSecret(file) // another process created it first
	}
	return secret, err
}

// writeOnce creates a file atomically, even across a crash. It returns [fs.ErrExist] if the file
// exists.
func writeOnce(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	err = os.Link(tmp.Name(), file)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp.Name(), file) // the file system has no hard links
	}
	if err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// CreateAdmin creates the admin user if there are no users. If password is empty, it generates one
// and returns it so that it can be shown once.
func (s *Service) CreateAdmin(ctx context.Context, password string) (shown string, err error) {
	if len(s.catalog.Users.List()) > 0 {
		return "", nil
	}
	if password == "" {
		shown = rand.Text()
		password = shown
	} else if err := checkPassword(password); err != nil {
		return "", errors.New("the password in EARSHOT_ADMIN_PASSWORD must have 4 to 200 characters")
	}
	_, err = s.AddUser(ctx, NewUser{
		Username:    "admin",
		Password:    password,
		APIAccess:   true,
		Permissions: earshot.Permissions,
	})
	if errors.Is(err, catalog.ErrNameTaken) && len(s.catalog.Users.List()) > 0 {
		return "", nil // another process created it first
	}
	if errors.Is(err, catalog.ErrNameTaken) {
		return "", fmt.Errorf("%w: an earlier start was interrupted; try again in a minute", err)
	}
	return shown, err
}
