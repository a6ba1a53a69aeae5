package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
)

// pageSize is how many items one call of List asks for: the most a server gives.
const pageSize = "1000"

// List walks a list of /manage/v1, asking for the next page when the one before
// is used up. An error ends the walk.
func (c *Client) List(ctx context.Context, path string, query url.Values) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		query := maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		query.Set("limit", pageSize)
		for {
			items, next, err := c.page(ctx, path, query)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			if next == query.Get("cursor") {
				yield(nil, fmt.Errorf("the list does not end: the server names the same next page twice"))
				return
			}
			query.Set("cursor", next)
		}
	}
}

func (c *Client) page(ctx context.Context, path string, query url.Values) ([]json.RawMessage, string, error) {
	response, err := c.Call(ctx, Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return nil, "", err
	}
	var page struct {
		Items []json.RawMessage `json:"items"`
		Next  string            `json:"next"`
	}
	if err := json.Unmarshal(response, &page); err != nil {
		return nil, "", fmt.Errorf("read the list: %w", err)
	}
	return page.Items, page.Next, nil
}
