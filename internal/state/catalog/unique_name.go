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
)

// A UniqueName is a name that only one record of its kind may have. Case does not matter.
type UniqueName struct {
	Kind string // user, team, source.<team id>
	Text string
}

// A nameReservation is the value stored under a name.
type nameReservation struct {
	ID   int64
	Time time.Time
}

// reservationTimeout is how old a reservation must be before it may be replaced if its owner
// does not have the name: then the process that made it died before it wrote the record. It is
// longer than any write takes.
const reservationTimeout = time.Minute

// ErrNameTaken says that a name belongs to another record.
var ErrNameTaken = errors.New("catalog: name is taken")

// ReserveName reserves the name for id, or fails with ErrNameTaken. hasName reports whether the
// current owner still has the name: a process may have died between a change and the release of
// the old name.
func (c *Catalog) ReserveName(ctx context.Context, n UniqueName, id int64, hasName func(id int64) bool) error {
	return c.update(ctx, n.key(), func(value []byte) ([]byte, error) {
		if value != nil {
			var owner nameReservation
			if err := json.Unmarshal(value, &owner); err != nil {
				return nil, err
			}
			if owner.ID != id && (hasName(owner.ID) || time.Since(owner.Time) < reservationTimeout) {
				return nil, ErrNameTaken
			}
		}
		return json.Marshal(nameReservation{ID: id, Time: time.Now().UTC()})
	})
}

// ReleaseName releases the name if it belongs to id.
func (c *Catalog) ReleaseName(ctx context.Context, n UniqueName, id int64) error {
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
	return c.store.Delete(ctx, e.Key, e.Revision)
}

// Fold returns the form of a name by which names are compared.
func Fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// key hashes the name, because keys have a small alphabet and names do not.
func (n UniqueName) key() string {
	sum := sha256.Sum256([]byte(Fold(n.Text)))
	return "name." + n.Kind + "." + hex.EncodeToString(sum[:16])
}
