package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// A Target is the destination of a restore.
type Target struct {
	Data   string // data directory: empty, missing, or left by a failed restore
	Posts  string // directory of the post store, in Data
	Secret string // file with the key that signs tokens, in Data or elsewhere

	// Open opens the engines for the installation and the catalog revision of a backup. They must
	// all be empty.
	Open func(ctx context.Context, m *Manifest) (Engines, error)

	// Verify returns an error if what was restored is damaged. It is called when the engines are
	// closed. It may be nil.
	Verify func(ctx context.Context) error
}

// Engines are the stores that a backup is loaded into, except the post store.
type Engines struct {
	Journal journal.Archive
	Catalog kv.Store
	Streams feed.Archive
	Results *ledger.Ledger
	Sources kv.Store
	Close   func() // returns once everything is on disk
}

// unfinishedMarker is the name of a file that marks a data directory during a restore.
const unfinishedMarker = "restore-unfinished"

const markerText = "This directory is being restored from a backup. It is incomplete as long as this file exists.\n"

// Restore restores a backup. It verifies the whole backup before it writes anything, and everything
// that it has written. Until it succeeds, [Check] rejects the data directory. After an error Restore
// may be called again with the same target.
func (b *Backup) Restore(ctx context.Context, to Target) error {
	if err := b.Verify(ctx); err != nil {
		return err
	}
	secret, err := b.secret(ctx)
	if err != nil {
		return err
	}
	return firstError(
		func() error { return markUnfinished(to.Data) },
		func() error { return checkSecret(to.Secret, secret) },
		func() error { return b.load(ctx, to.Open) },
		func() error { return b.copyPosts(ctx, to.Posts) },
		func() error { return writeSecret(to.Secret, secret) },
		func() error { return to.verify(ctx) },
		func() error { return markFinished(to.Data) },
	)
}

func (t Target) verify(ctx context.Context) error {
	if t.Verify == nil {
		return nil
	}
	return t.Verify(ctx)
}

// Check returns an error if a data directory contains an unfinished restore.
func Check(data string) error {
	_, err := os.Lstat(filepath.Join(data, unfinishedMarker))
	switch {
	case err == nil:
		return fmt.Errorf("the directory %s is incomplete: a restore has not finished. Please run 'earshot restore' again", data)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // creating the directory will report the problem
		return nil
	}
	return err
}

// markUnfinished marks the data directory and removes the remains of a failed restore.
func markUnfinished(data string) error {
	if _, err := os.Lstat(filepath.Join(data, unfinishedMarker)); err == nil {
		return clearDir(data, unfinishedMarker)
	}
	if _, err := makeEmptyDir(data); err != nil {
		return err
	}
	return writeSynced(data, unfinishedMarker, strings.NewReader(markerText))
}

// markFinished makes the data directory usable.
func markFinished(data string) error {
	root, err := os.OpenRoot(data)
	if err != nil {
		return err
	}
	defer root.Close()
	return firstError(
		func() error { return syncTree(root) },
		func() error { return root.Remove(unfinishedMarker) },
		func() error { return syncDir(root, ".") },
	)
}

// load fills the engines.
func (b *Backup) load(ctx context.Context, open func(context.Context, *Manifest) (Engines, error)) error {
	e, err := open(ctx, &b.Manifest)
	if err != nil {
		return err
	}
	defer e.Close()
	span := journal.Span(b.Journal)
	return firstError(
		func() error { return catalog.Load(ctx, e.Catalog, b.keyValues(catalogDir)) },
		func() error { return e.Journal.Load(ctx, span, b.entries()) },
		func() error { return e.Journal.LoadDeadLetters(ctx, b.deadLetters()) },
		func() error { return b.loadStreams(ctx, e.Streams) },
		func() error { return e.Results.Load(ctx, b.keyValues(resultsDir)) },
		func() error { return b.loadSources(ctx, e.Sources) },
		func() error { return checkSpan(ctx, e.Journal, span) },
	)
}

// checkSpan returns an error unless the journal has the expected span, because the store would skip
// entries at positions that it already has.
func checkSpan(ctx context.Context, j journal.Archive, want journal.Span) error {
	got, err := j.Span(ctx)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the journal has positions %d to %d after the restore, want %d to %d", got.First, got.Last, want.First, want.Last)
	}
	return nil
}

// copyPosts writes the files of the post store.
func (b *Backup) copyPosts(ctx context.Context, dir string) error {
	files := b.filesIn(postsDir)
	if len(files) == 0 {
		return nil // the store had no files
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		name := strings.TrimPrefix(f.Name, postsDir+"/")
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := b.copyFile(ctx, f, root, name); err != nil {
			return err
		}
	}
	return syncTree(root)
}

// copyFile writes a synced copy, and verifies what it has written.
func (b *Backup) copyFile(ctx context.Context, f File, root *os.Root, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in, err := b.root.Open(f.Name)
	if err != nil {
		return err
	}
	defer in.Close()
	got, err := writeFile(root, name, in)
	if err != nil {
		return fmt.Errorf("copy %s: %w", f.Name, err)
	}
	return f.verify(got)
}

// secret returns the key that signs tokens.
func (b *Backup) secret(ctx context.Context) ([]byte, error) {
	var secret bytes.Buffer
	for _, f := range b.Files {
		if f.Name != secretFile {
			continue
		}
		if err := b.copy(ctx, f, &secret); err != nil {
			return nil, err
		}
	}
	return secret.Bytes(), nil
}

// checkSecret returns an error if the secret file contains another key, because a restore does not
// replace it.
func checkSecret(file string, secret []byte) error {
	existing, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !bytes.Equal(existing, secret):
		return fmt.Errorf("the secret file %s exists and contains a different key than the backup. Please move it first", file)
	}
	return err
}

// writeSecret writes the key unless the file exists.
func writeSecret(file string, secret []byte) error {
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	dir, name := filepath.Split(file)
	if dir == "" {
		dir = "."
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return writeSynced(dir, name, bytes.NewReader(secret))
}

// writeSynced writes a file, and syncs it and its directory.
func writeSynced(dir, name string, contents io.Reader) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := writeFile(root, name, contents); err != nil {
		return err
	}
	return syncDir(root, ".")
}
