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

// pageSize is the number of items that List requests per page, the server's maximum.
const pageSize = "1000"

// List iterates over a list of /manage/v1. It requests the next page when the previous one is
// consumed. It yields an error at most once, as the last element.
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
				yield(nil, fmt.Errorf("the server returned the same next page twice, so the list would never end"))
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
		return nil, "", fmt.Errorf("read list: %w", err)
	}
	return page.Items, page.Next, nil
}
