package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"earshot/internal/http/client"
)

// importFigures sends lines with date, followers and likes as figures of the account that a
// monitor watches. The server takes a request as a whole or not at all.
func (p *program) importFigures(ctx context.Context, monitor string, names []string) error {
	c := p.client()
	summaries := []*summary{}
	for _, name := range names {
		s := &summary{File: name}
		summaries = append(summaries, s)
		if err := p.sendFigures(ctx, c, monitor, s); err != nil {
			return errors.Join(p.printSummaries(summaries), fmt.Errorf("import %s: %w", name, err))
		}
	}
	return errors.Join(p.printSummaries(summaries), noneAccepted(summaries))
}

// sendFigures sends one file, in pieces that the server takes.
func (p *program) sendFigures(ctx context.Context, c *client.Client, monitor string, s *summary) error {
	in, err := p.openInput(s.File)
	if err != nil {
		return err
	}
	defer in.Close()
	lines, err := newLines(in, "")
	if err != nil {
		return err
	}
	for {
		piece, readErr := readChunk(lines, chunkLines)
		figures, err := piece.elements()
		if err != nil {
			return err
		}
		if len(figures) > 0 {
			path := client.Path("manage", "v1", monitors.path, monitor, "snapshots")
			if _, err := c.Call(ctx, client.Request{Method: "POST", Path: path, Body: figures}); err != nil {
				return err
			}
		}
		s.add(piece, client.ImportResult{Accepted: int64(len(figures))})
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

// elements returns the lines of a piece as the elements of a list.
func (c *chunk) elements() (list []json.RawMessage, err error) {
	rest := c.text
	for _, at := range c.lines {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if !json.Valid(line) {
			return nil, fmt.Errorf("line %d is no JSON", at)
		}
		list = append(list, line)
	}
	return list, nil
}
