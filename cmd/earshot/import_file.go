package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"earshot/internal/http/client"
)

// Limits of one request of an import: large enough that requests cost little, small enough that
// an interrupted import repeats little.
const (
	maxChunkLines = 10_000
	maxChunkBytes = 16 << 20
)

// An importJob is the import of one file.
type importJob struct {
	client  *client.Client
	query   url.Values
	options importOptions
	name    string
}

// importFile imports one file. The summary counts what was done, also when an
// error ended the import.
func (p *program) importFile(ctx context.Context, job importJob) (*summary, error) {
	s := &summary{File: job.name}
	in, err := p.openInput(job.name)
	if err != nil {
		return s, err
	}
	defer in.Close()
	cp := p.newCheckpoint(in, job)
	done, err := cp.load(job.options.restart)
	if err != nil {
		return s, err
	}
	s.resume(done)
	lines, err := newLines(in, job.options.Type)
	if err != nil {
		return s, err
	}
	if err := skip(lines, done.Lines); err != nil {
		return s, err
	}
	show := p.newProgress(in)
	err = send(ctx, job, lines, s, func() error {
		show.step(s)
		return cp.save(s.lines, s.Accepted, s.Rejected)
	})
	show.end()
	if err != nil {
		return s, withResumeHint(ctx, err, s, cp)
	}
	return s, cp.remove()
}

// send reads chunks and sends them until the file ends. What was read before an
// error is sent too. answered is called after each chunk that the server has
// taken and more may follow.
func send(ctx context.Context, job importJob, lines lineReader, s *summary, onChunk func() error) error {
	for {
		c, readErr := readChunk(lines, maxChunkLines)
		var imported client.ImportResult
		if len(c.lines) > 0 {
			var err error
			if imported, err = job.client.SendPosts(ctx, c.text, job.query); err != nil {
				return err
			}
		}
		s.add(c, imported)
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if c.read > 0 {
			if err := onChunk(); err != nil {
				return err
			}
		}
		if readErr != nil {
			return readErr
		}
	}
}

// withResumeHint adds where the import will go on, if there is such a place.
func withResumeHint(ctx context.Context, err error, s *summary, b *checkpoint) error {
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if s.lines > 0 && b.path != "" {
		return fmt.Errorf("%w; %d lines are done, the same command goes on there", err, s.lines)
	}
	return err
}

// A chunk is the posts of one request.
type chunk struct {
	text    []byte             // a JSON object a line
	lines   []int64            // where in the file each of them is
	invalid []client.LineError // lines that cannot be sent
	read    int64              // records read, sent or not
}

// readChunk returns the next chunk, of at most maxRecords records; with io.EOF it is the last
// one, and may be empty.
func readChunk(lines lineReader, maxRecords int64) (chunk, error) {
	var c chunk
	for c.read < maxRecords && len(c.text) < maxChunkBytes {
		post, at, err := lines.next()
		var bad *badLine
		switch {
		case errors.As(err, &bad):
			c.invalid = append(c.invalid, client.LineError{Line: at, Message: bad.message})
		case err != nil:
			return c, err
		case len(post) > 0: // an empty line is no post
			c.text = append(append(c.text, post...), '\n')
			c.lines = append(c.lines, at)
		}
		c.read++
	}
	return c, nil
}

// eachChunk opens a file and calls f with its chunks, of at most maxRecords records, until one
// fails. It also calls f with what was read before a read error.
func (p *program) eachChunk(name string, maxRecords int64, f func(c *chunk) error) error {
	in, err := p.openInput(name)
	if err != nil {
		return err
	}
	defer in.Close()
	lines, err := newLines(in, "")
	if err != nil {
		return err
	}
	for {
		c, readErr := readChunk(lines, maxRecords)
		if err := f(&c); err != nil {
			return err
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

// skip reads past what an earlier run has done.
func skip(lines lineReader, n int64) error {
	for range n {
		_, _, err := lines.next()
		var bad *badLine
		if err != nil && !errors.As(err, &bad) {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}
