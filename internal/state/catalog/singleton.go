package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/model/interest"
)

// Keys of singletons: tables with one record, which is read on demand.
const (
	contractKey = "contract"
	baselineKey = "baseline"
	modelsKey   = "models"
	pictureKey  = "pictures"
	secretKey   = "secret"
)

// pictures is how far the pictures of posts have been looked at.
type pictures struct {
	Position earshot.Position
	Started  bool `json:",omitempty"` // distinguishes position 0 from no position
}

// Models contains the model version that the inferred attributes of stored posts should have, and
// the version that they have. If several nodes have stores, each records in its store which request
// it has finished, and Done is the version for which opinion monitors are trained.
type Models struct {
	Wanted, Done uint32
	Generation   uint32 // number of requests to reinfer all posts
	Requests     int64  `json:",omitempty"` // number of requests to reinfer
}

// Contract returns the contract, or the zero contract, which limits nothing, if none is set.
func (c *Catalog) Contract(ctx context.Context) (earshot.Contract, error) {
	return singleton[earshot.Contract](ctx, c, contractKey)
}

// SetContract replaces the contract.
func (c *Catalog) SetContract(ctx context.Context, contract earshot.Contract) error {
	return setSingleton(ctx, c, contractKey, contract)
}

// Baseline returns the stored baseline of interests.
func (c *Catalog) Baseline(ctx context.Context) (interest.Baseline, error) {
	return singleton[interest.Baseline](ctx, c, baselineKey)
}

// SetBaseline saves the baseline of interests.
func (c *Catalog) SetBaseline(ctx context.Context, b interest.Baseline) error {
	return setSingleton(ctx, c, baselineKey, b)
}

// Models returns the progress of reinferring stored posts.
func (c *Catalog) Models(ctx context.Context) (Models, error) {
	return singleton[Models](ctx, c, modelsKey)
}

// UpdateModels changes the value that Models returns, and returns the new value. It calls change
// again if another writer changes the value first.
func (c *Catalog) UpdateModels(ctx context.Context, change func(*Models)) (m Models, err error) {
	err = c.update(ctx, modelsKey, func(value []byte) ([]byte, error) {
		m = Models{}
		if value != nil {
			if err := json.Unmarshal(value, &m); err != nil {
				return nil, err
			}
		}
		change(&m)
		return json.Marshal(m)
	})
	return m, err
}

// PictureCursor returns the journal position up to which the pictures of posts are dealt with. ok is
// false if there is none.
func (c *Catalog) PictureCursor(ctx context.Context) (at earshot.Position, ok bool, err error) {
	p, err := singleton[pictures](ctx, c, pictureKey)
	return p.Position, p.Started || p.Position > 0, err
}

// SetPictureCursor saves the position that PictureCursor returns.
func (c *Catalog) SetPictureCursor(ctx context.Context, at earshot.Position) error {
	return setSingleton(ctx, c, pictureKey, pictures{Position: at, Started: true})
}

// ResetPictureCursor removes the position that PictureCursor returns.
func (c *Catalog) ResetPictureCursor(ctx context.Context) error {
	return setSingleton(ctx, c, pictureKey, pictures{})
}

// A Secret identifies the secret that all nodes of a cluster share.
type Secret struct {
	Fingerprint string
}

// AgreeOnSecret returns the fingerprint of the secret of the cluster. The first caller determines it.
func (c *Catalog) AgreeOnSecret(ctx context.Context, fingerprint string) (agreed string, err error) {
	err = c.update(ctx, secretKey, func(value []byte) ([]byte, error) {
		s := Secret{fingerprint}
		if value != nil {
			if err := json.Unmarshal(value, &s); err != nil {
				return nil, err
			}
		}
		agreed = s.Fingerprint
		return json.Marshal(s)
	})
	return agreed, err
}

// SetSecretFingerprint replaces the fingerprint of the secret of the cluster.
func (c *Catalog) SetSecretFingerprint(ctx context.Context, fingerprint string) error {
	return setSingleton(ctx, c, secretKey, Secret{fingerprint})
}

// singleton returns a record, or the zero value if it does not exist.
func singleton[T any](ctx context.Context, c *Catalog, key string) (value T, err error) {
	e, err := c.store.Get(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return value, nil
	}
	if err == nil {
		err = json.Unmarshal(e.Value, &value)
	}
	if err != nil {
		return value, fmt.Errorf("read %s: %w", key, err)
	}
	return value, nil
}

func setSingleton[T any](ctx context.Context, c *Catalog, key string, value T) error {
	return c.update(ctx, key, func([]byte) ([]byte, error) { return json.Marshal(value) })
}
