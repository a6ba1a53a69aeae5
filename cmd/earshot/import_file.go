package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"earshot/internal/http/client"
	"earshot/internal/ingest/item/record"
)

// Limits for one request of an import: large enough to keep the overhead per request small, and
// small enough that an interrupted import repeats little.
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

// importFile imports one file. The summary includes everything sent before an error.
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
	pictures := newPictureSender(job.client, in)
	lines.edit = func(post []byte) ([]byte, error) { return pictures.replace(ctx, post) }
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

// send reads and sends chunks until the end of the file, including what was read before a read
// error. It calls onChunk after each chunk except the last one of the file.
func send(ctx context.Context, job importJob, lines *lineReader, s *summary, onChunk func() error) error {
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

// withResumeHint appends a hint to run the same command again, if that resumes the import.
func withResumeHint(ctx context.Context, err error, s *summary, b *checkpoint) error {
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if s.lines > 0 && b.path != "" {
		return fmt.Errorf("%w; %d lines are done, run the same command again to resume", err, s.lines)
	}
	return err
}

// A chunk is the list of posts for one request.
type chunk struct {
	text    []byte             // one JSON object per line
	lines   []int64            // line of the file for each post
	invalid []client.LineError // lines that cannot be sent
	read    int64              // number of records read, sent or not
}

// readChunk returns the next chunk of at most maxRecords records. With io.EOF it returns the last
// chunk, which may be empty.
func readChunk(lines *lineReader, maxRecords int64) (chunk, error) {
	var c chunk
	for c.read < maxRecords && len(c.text) < maxChunkBytes {
		post, at, err := lines.next()
		var bad *record.Bad
		switch {
		case errors.As(err, &bad):
			c.invalid = append(c.invalid, client.LineError{Line: at, Message: bad.Message})
		case err != nil:
			return c, err
		case len(post) > 0: // skip empty lines
			c.text = append(append(c.text, post...), '\n')
			c.lines = append(c.lines, at)
		}
		c.read++
	}
	return c, nil
}

// eachChunk opens a file and calls f with its chunks of at most maxRecords records until f fails.
// It also calls f with what was read before a read error.
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

// skip reads past the records that an earlier run has processed.
func skip(lines *lineReader, n int64) error {
	for range n {
		_, _, err := lines.next()
		var bad *record.Bad
		if err != nil && !errors.As(err, &bad) {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}
