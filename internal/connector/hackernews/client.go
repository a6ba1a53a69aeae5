package hackernews

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"earshot/internal/connector"
	"earshot/internal/fetch"
	"earshot/internal/parallel"
)

const (
	maxItemSize = 1 << 20 // far above the size of real items
	maxListSize = 1 << 20 // of updates.json
	parallelism = 8       // requests at once; the network has no limit of its own
	timeout     = 30 * time.Second
)

// retryWaits is how long to wait after each failed attempt of a request. The attempt after the last
// wait is final.
var retryWaits = []time.Duration{time.Second, 3 * time.Second}

// A client sends requests to the network.
type client struct {
	connector.Env
	base  string
	count func(connector.Counters)
}

// get returns the body of a response. It retries after temporary errors.
func (c *client) get(ctx context.Context, url string, limit int64) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		body, err := c.try(ctx, url, limit)
		var retry *connector.RetryError
		final := errors.As(err, &retry) || errors.Is(err, connector.ErrAttention) || errors.Is(err, fetch.ErrRefused) || errors.Is(err, fetch.ErrTooLarge)
		if err == nil || final || ctx.Err() != nil || attempt == len(retryWaits) {
			return body, err
		}
		c.count(connector.Counters{Reconnects: 1})
		if err := c.Wait(ctx, retryWaits[attempt]); err != nil {
			return nil, err
		}
	}
}

func (c *client) try(ctx context.Context, url string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	if err := connector.ResponseError(resp, c.Now()); err != nil {
		resp.Body.Close()
		return nil, err
	}
	body, err := fetch.ReadAll(resp, limit)
	c.count(connector.Counters{Bytes: int64(len(body))})
	return body, err
}

// maxItem returns the number of the newest item.
func (c *client) maxItem(ctx context.Context) (id int64, err error) {
	body, err := c.get(ctx, c.base+"/v0/maxitem.json", 1<<10)
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(body, &id); err != nil || id < 1 {
		return 0, fmt.Errorf("%s did not return the number of the newest item", c.base)
	}
	return id, nil
}

// updates returns the numbers of items that changed in the last minutes.
func (c *client) updates(ctx context.Context) ([]int64, error) {
	body, err := c.get(ctx, c.base+"/v0/updates.json", maxListSize)
	if err != nil {
		return nil, err
	}
	return decodeUpdates(body)
}

func decodeUpdates(body []byte) ([]int64, error) {
	var list struct {
		Items []int64 `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("decode the list of changed items: %w", err)
	}
	return list.Items, nil
}

// A result is an item that was read.
type result struct {
	id   int64
	item *item  // nil: not visible, or skip says why it is not usable
	skip string // reason for connector.Counters
}

// items reads items, several at once, and returns them in the given order.
func (c *client) items(ctx context.Context, ids []int64) ([]result, error) {
	results := make([]result, len(ids))
	err := parallel.For(ctx, len(ids), parallelism, func(ctx context.Context, i int) error {
		results[i].id = ids[i]
		body, err := c.get(ctx, fmt.Sprintf("%s/v0/item/%d.json", c.base, ids[i]), maxItemSize)
		if errors.Is(err, fetch.ErrTooLarge) {
			results[i].skip = "too large"
			return nil
		}
		if err != nil {
			return err
		}
		if results[i].item, err = decodeItem(body, ids[i]); err != nil {
			results[i].skip = "cannot be decoded"
		}
		return nil
	})
	c.count(connector.Counters{Events: int64(len(ids))})
	return results, err
}
