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

// A Name is a name that only one thing of its kind may have, whatever the case
// of its letters.
type Name struct {
	Kind string // user, team, source.<team id>
	Text string
}

// A claim is what is stored under a name.
type claim struct {
	ID   int64
	Time time.Time
}

// abandoned is how old a claim must be before it may be taken over when its
// owner does not bear the name: the process that made it died on the way.
const abandoned = time.Minute

// ErrNameTaken says that a name belongs to something else.
var ErrNameTaken = errors.New("catalog: name is taken")

// Claim takes the name for id, or fails with ErrNameTaken. bears tells whether
// the present owner still bears the name: a process may have died between a
// change and the release of the old name.
func (c *Catalog) Claim(ctx context.Context, n Name, id int64, bears func(id int64) bool) error {
	return c.update(ctx, n.key(), func(value []byte) ([]byte, error) {
		if value != nil {
			var owner claim
			if err := json.Unmarshal(value, &owner); err != nil {
				return nil, err
			}
			if owner.ID != id && (bears(owner.ID) || time.Since(owner.Time) < abandoned) {
				return nil, ErrNameTaken
			}
		}
		return json.Marshal(claim{ID: id, Time: time.Now().UTC()})
	})
}

// Release gives the name up if it belongs to id.
func (c *Catalog) Release(ctx context.Context, n Name, id int64) error {
	r, err := c.store.Get(ctx, n.key())
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var owner claim
	if err := json.Unmarshal(r.Value, &owner); err != nil {
		return fmt.Errorf("decode %s: %w", r.Key, err)
	}
	if owner.ID != id {
		return nil
	}
	return c.store.Delete(ctx, r.Key, r.Revision)
}

// Fold returns what two spellings of a name have in common: it is by this that
// names are compared.
func Fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// key hashes the name, because keys have a small alphabet and names do not.
func (n Name) key() string {
	sum := sha256.Sum256([]byte(Fold(n.Text)))
	return "name." + n.Kind + "." + hex.EncodeToString(sum[:16])
}
