package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// An importPosition records the progress of importing a file. It is valid only for the same file,
// server and options.
type importPosition struct {
	File     string    `json:"file"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Server   string    `json:"server"`
	Type     string    `json:"type"`
	Source   string    `json:"source"` // ID

	Lines    int64 `json:"lines"` // or records of a CSV file
	Accepted int64 `json:"accepted"`
	Rejected int64 `json:"rejected"`
}

// A checkpoint stores the position of an import in the user's cache directory, so an interrupted
// import can resume.
type checkpoint struct {
	path string // empty: positions are not stored
	job  importPosition
}

// newCheckpoint returns the checkpoint of a file. Positions are not stored for standard input, or
// if the user has no cache directory.
func (p *program) newCheckpoint(in *input, job importJob) *checkpoint {
	b := &checkpoint{job: importPosition{
		File:     in.path,
		Size:     in.size,
		Modified: in.modified.UTC(),
		Server:   job.client.Server,
		Type:     job.options.Type,
		Source:   job.query.Get("documentType"),
	}}
	dir, err := p.cacheDir()
	if err != nil || in.path == "" {
		return b
	}
	sum := sha256.Sum256([]byte(in.path))
	b.path = filepath.Join(dir, "earshot", "import", hex.EncodeToString(sum[:16])+".json")
	return b
}

// load returns the stored position, or the start of the file if no stored position matches.
func (b *checkpoint) load(restart bool) (importPosition, error) {
	if b.path == "" || restart {
		return b.job, nil
	}
	data, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return b.job, nil
	}
	if err != nil {
		return importPosition{}, fmt.Errorf("read the position of the interrupted import: %w", err)
	}
	var saved importPosition
	if json.Unmarshal(data, &saved) != nil {
		return b.job, nil // incomplete, or written by another version: start over
	}
	same := saved
	same.Lines, same.Accepted, same.Rejected = 0, 0, 0
	if same != b.job {
		return b.job, nil
	}
	return saved, nil
}

// save stores the position. It replaces the file atomically, so a crash leaves either the old
// position or the new one.
func (b *checkpoint) save(lines, accepted, rejected int64) error {
	if b.path == "" {
		return nil
	}
	at := b.job
	at.Lines, at.Accepted, at.Rejected = lines, accepted, rejected
	data, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return fmt.Errorf("save the position of the import: %w", err)
	}
	next := b.path + ".new"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return fmt.Errorf("save the position of the import: %w", err)
	}
	return os.Rename(next, b.path)
}

// remove deletes the position after a complete import.
func (b *checkpoint) remove() error {
	if b.path == "" {
		return nil
	}
	if err := os.Remove(b.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
