package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"earshot/internal/http/client"
)

// importSnapshots sends lines with date, followers and likes as snapshots of a monitor's account.
// The server accepts or rejects each request as a whole.
func (p *program) importSnapshots(ctx context.Context, monitor string, names []string) error {
	c := p.client()
	summaries := []*summary{}
	for _, name := range names {
		s := &summary{File: name}
		summaries = append(summaries, s)
		if err := p.sendSnapshots(ctx, c, monitor, s); err != nil {
			return errors.Join(p.printSummaries(summaries), fmt.Errorf("import %s: %w", name, err))
		}
	}
	return errors.Join(p.printSummaries(summaries), noneAccepted(summaries))
}

// sendSnapshots sends one file in chunks within the server's limits.
func (p *program) sendSnapshots(ctx context.Context, c *client.Client, monitor string, s *summary) error {
	return p.eachChunk(s.File, maxChunkLines, func(piece *chunk) error {
		snapshots, err := piece.elements()
		if err != nil {
			return err
		}
		if len(snapshots) > 0 {
			path := client.Path("manage", "v1", monitors.path, monitor, "snapshots")
			if _, err := c.Call(ctx, client.Request{Method: "POST", Path: path, Body: snapshots}); err != nil {
				return err
			}
		}
		s.add(*piece, client.ImportResult{Accepted: int64(len(snapshots))})
		return nil
	})
}

// elements returns the lines of a chunk as the elements of a JSON array.
func (c *chunk) elements() (list []json.RawMessage, err error) {
	rest := c.text
	for _, at := range c.lines {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if !json.Valid(line) {
			return nil, fmt.Errorf("line %d is not JSON", at)
		}
		list = append(list, line)
	}
	return list, nil
}
