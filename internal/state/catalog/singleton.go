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
)

// pictures is how far the pictures of posts have been looked at.
type pictures struct {
	Position earshot.Position
}

// Models contains the model version that the inferred attributes of stored posts should have, and
// the version that they have.
type Models struct {
	Wanted, Done uint32
	Generation   uint32 // number of requests to reinfer all posts
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

// PictureCursor returns the journal position up to which the pictures of posts are dealt with, or 0.
func (c *Catalog) PictureCursor(ctx context.Context) (earshot.Position, error) {
	p, err := singleton[pictures](ctx, c, pictureKey)
	return p.Position, err
}

// SetPictureCursor saves the value that PictureCursor returns.
func (c *Catalog) SetPictureCursor(ctx context.Context, at earshot.Position) error {
	return setSingleton(ctx, c, pictureKey, pictures{at})
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
