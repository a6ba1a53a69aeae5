package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"earshot/internal/sleep"
)

// An ImportResult is the server's response to an import.
type ImportResult struct {
	Accepted int64       `json:"accepted"`
	Rejected int64       `json:"rejected"`
	Errors   []LineError `json:"errors"` // the first errors, one per rejected line
}

// A LineError is the reason why a line was rejected. Lines are numbered from 1.
type LineError struct {
	Line    int64  `json:"line"`
	Message string `json:"message"`
}

// retryWaits is how long to wait after each response that asks for a retry without saying when. The
// attempt after the last wait is final.
var retryWaits = []time.Duration{1 * time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second}

// maxWait caps the wait that a server may ask for.
const maxWait = 2 * time.Minute

// SendPosts imports posts, given as one JSON object per line. When it returns without an error, the
// accepted posts are on the server's disk. If the server is busy, SendPosts retries after the time
// that the server asks for. Sending posts twice is harmless. query may name the content source to
// import into (documentType).
func (c *Client) SendPosts(ctx context.Context, lines []byte, query url.Values) (ImportResult, error) {
	compressed, err := compress(lines)
	if err != nil {
		return ImportResult{}, err
	}
	return retry(ctx, c, func() (ImportResult, error) { return c.sendCompressed(ctx, compressed, query) })
}

// SendPicture uploads a picture and returns the URL by which imported posts refer to it. If the server
// is busy, it retries as SendPosts does.
func (c *Client) SendPicture(ctx context.Context, body []byte) (url string, err error) {
	return retry(ctx, c, func() (string, error) {
		header := http.Header{}
		header.Set("Content-Type", "application/octet-stream")
		response, err := c.send(ctx, Request{Method: http.MethodPost, Path: "/manage/v1/pictures"}, header, body)
		if err != nil {
			return "", err
		}
		var uploaded struct{ URL string }
		if err := json.Unmarshal(response, &uploaded); err != nil || uploaded.URL == "" {
			return "", errors.New("the response to the upload of a picture has no URL")
		}
		return uploaded.URL, nil
	})
}

// retry calls send again while the server asks for it.
func retry[T any](ctx context.Context, c *Client, send func() (T, error)) (T, error) {
	for _, wait := range retryWaits {
		result, err := send()
		var refused *Error
		if !errors.As(err, &refused) || !refused.Temporary() {
			return result, err
		}
		if refused.RetryAfter > 0 {
			wait = min(refused.RetryAfter, maxWait)
		}
		if err := c.Pause(ctx, wait); err != nil {
			var none T
			return none, err
		}
	}
	return send()
}

func (c *Client) sendCompressed(ctx context.Context, compressed []byte, query url.Values) (ImportResult, error) {
	header := http.Header{}
	header.Set("Content-Type", "application/x-ndjson")
	header.Set("Content-Encoding", "gzip")
	response, err := c.send(ctx, Request{Method: http.MethodPost, Path: "/manage/v1/posts", Query: query}, header, compressed)
	if err != nil {
		return ImportResult{}, err
	}
	var result ImportResult
	if err := json.Unmarshal(response, &result); err != nil {
		return ImportResult{}, fmt.Errorf("read response to an import: %w", err)
	}
	return result, nil
}

// Pause waits for d using c.Wait, or a timer if c.Wait is nil.
func (c *Client) Pause(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	sleep.For(ctx, d)
	return ctx.Err()
}

func compress(lines []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(lines); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
