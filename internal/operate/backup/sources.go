package backup

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"earshot/internal/state/kv"
)

// A sourceCopy is a temporary file with the records of live sources, which may not fit in memory.
type sourceCopy struct{ file *os.File }

// copySources copies the records of live sources to a temporary file.
func (s *Service) copySources(ctx context.Context) (c sourceCopy, err error) {
	if s.Sources == nil {
		return c, nil
	}
	if c.file, err = os.CreateTemp(s.Dir, checkpointPrefix); err != nil {
		return c, fmt.Errorf("copy the records of live sources: %w", err)
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := bufio.NewWriter(c.file)
	var failed error
	var record bytes.Buffer
	done := false
	watchErr := s.Sources.Watch(ctx, func(e kv.Entry) {
		if done || failed != nil || e.Value == nil {
			return
		}
		record.Reset()
		if failed = appendRecord(&record, header{Key: e.Key}, e.Value); failed == nil {
			_, failed = w.Write(record.Bytes())
		}
		if failed != nil {
			cancel()
		}
	}, func(uint64) { done = true; cancel() })
	switch {
	case failed != nil:
		err = failed
	case !done:
		err = watchErr
	default:
		err = w.Flush()
	}
	if err == nil {
		_, err = c.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return c, fmt.Errorf("copy the records of live sources: %w", err)
	}
	return c, nil
}

// Close removes the file.
func (c sourceCopy) Close() {
	if c.file != nil {
		c.file.Close()
		os.Remove(c.file.Name())
	}
}

func (p *packer) addSources(from sourceCopy) error {
	if from.file == nil {
		return nil
	}
	c := chunks{packer: p, dir: sourcesDir}
	for r := newRecordReader(from.file); ; {
		h, data, err := r.next()
		if errors.Is(err, io.EOF) {
			return c.flush()
		}
		if err == nil {
			err = c.add(header{Key: h.Key}, data)
		}
		if err != nil {
			return fmt.Errorf("record of a live source: %w", err)
		}
	}
}

// loadSources loads the records of live sources. Backups before format 3 have none.
func (b *Backup) loadSources(ctx context.Context, to kv.Store) error {
	if to == nil {
		return nil
	}
	for e, err := range b.keyValues(sourcesDir) {
		if err != nil {
			return err
		}
		if _, err := to.Set(ctx, e.Key, e.Value); err != nil {
			return fmt.Errorf("load the record %s of a live source: %w", e.Key, err)
		}
	}
	return nil
}
