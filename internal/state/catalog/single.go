package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/model/interest"
)

// Records of which there is one, read when they are needed.
const (
	contractKey = "contract"
	baselineKey = "baseline"
	modelsKey   = "models"
)

// Models says which version of the models stored posts are wanted to have been seen by,
// and up to which that is done.
type Models struct {
	Wanted, Done uint32
	Generation   uint32 // how often all posts were wanted to be seen again
}

// Contract returns the contract; without one nothing is limited.
func (c *Catalog) Contract(ctx context.Context) (earshot.Contract, error) {
	return single[earshot.Contract](ctx, c, contractKey)
}

// SetContract replaces the contract.
func (c *Catalog) SetContract(ctx context.Context, contract earshot.Contract) error {
	return setSingle(ctx, c, contractKey, contract)
}

// Baseline returns the baseline of interests, as it was last saved.
func (c *Catalog) Baseline(ctx context.Context) (interest.Baseline, error) {
	return single[interest.Baseline](ctx, c, baselineKey)
}

// SetBaseline saves the baseline of interests.
func (c *Catalog) SetBaseline(ctx context.Context, b interest.Baseline) error {
	return setSingle(ctx, c, baselineKey, b)
}

// Models returns how far stored posts are with newer models.
func (c *Catalog) Models(ctx context.Context) (Models, error) {
	return single[Models](ctx, c, modelsKey)
}

// UpdateModels changes what Models returns, and returns what it is then. change may be
// called several times, while others change it as well.
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

// single returns a record, the zero value when there is none.
func single[T any](ctx context.Context, c *Catalog, key string) (value T, err error) {
	r, err := c.store.Get(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return value, nil
	}
	if err == nil {
		err = json.Unmarshal(r.Value, &value)
	}
	if err != nil {
		return value, fmt.Errorf("read %s: %w", key, err)
	}
	return value, nil
}

func setSingle[T any](ctx context.Context, c *Catalog, key string, value T) error {
	return c.update(ctx, key, func([]byte) ([]byte, error) { return json.Marshal(value) })
}
