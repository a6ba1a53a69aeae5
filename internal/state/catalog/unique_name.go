package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot/internal/state/kv"
)

// A UniqueName is a name that only one record of its kind may have. Case is ignored.
type UniqueName struct {
	Kind string // for example user, team, source.<team id>
	Text string
}

// A nameReservation is the value stored under a name.
type nameReservation struct {
	ID   int64
	Time time.Time
}

// ReservationTimeout is the age at which a reservation may be replaced if its owner does not have
// the name, because the process that reserved it then died before it wrote the record. It is longer
// than any write takes.
const ReservationTimeout = time.Minute

// ErrNameTaken means that a name belongs to another record.
var ErrNameTaken = errors.New("catalog: name is taken")

// ReserveName reserves a name for id, or fails with [ErrNameTaken]. hasName reports whether the
// current owner still has the name, because a process may have died between changing a record and
// releasing its old name.
func (c *Catalog) ReserveName(ctx context.Context, n UniqueName, id int64, hasName func(id int64) bool) error {
	return c.update(ctx, n.key(), func(value []byte) ([]byte, error) {
		if value != nil {
			var owner nameReservation
			if err := json.Unmarshal(value, &owner); err != nil {
				return nil, err
			}
			if owner.ID != id && (hasName(owner.ID) || time.Since(owner.Time) < ReservationTimeout) {
				return nil, ErrNameTaken
			}
		}
		return json.Marshal(nameReservation{ID: id, Time: time.Now().UTC()})
	})
}

// ReleaseName releases the name if id owns it.
func (c *Catalog) ReleaseName(ctx context.Context, n UniqueName, id int64) error {
	for range maxTries {
		e, err := c.store.Get(ctx, n.key())
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		var owner nameReservation
		if err := json.Unmarshal(e.Value, &owner); err != nil {
			return fmt.Errorf("decode %s: %w", e.Key, err)
		}
		if owner.ID != id {
			return nil
		}
		if err := c.store.Delete(ctx, e.Key, e.Revision); !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
	return errBusy
}

// Fold returns the form of a name that is used to compare names.
func Fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// key hashes the name, because names may contain characters that keys do not allow.
func (n UniqueName) key() string {
	sum := sha256.Sum256([]byte(Fold(n.Text)))
	return "name." + n.Kind + "." + hex.EncodeToString(sum[:16])
}
