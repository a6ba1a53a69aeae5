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

// A Target is where a backup is put back.
type Target struct {
	Data   string // the data directory; it must be empty or absent, or left by a restore that failed
	Posts  string // the directory of the post store, in Data
	Secret string // the file with the key of all tokens, in Data or elsewhere

	// Open opens the engines. All must be empty.
	Open func(ctx context.Context) (Engines, error)
}

// Engines are what a backup is loaded into, besides the posts.
type Engines struct {
	Journal journal.Archive
	Catalog kv.Store
	Streams feed.Archive
	Results *ledger.Ledger
	Close   func() // leaves everything on disk
}

// unfinishedMarker is a file that is in a data directory while it is being restored.
const unfinishedMarker = "restore-unfinished"

const markerText = "This directory is being restored from a backup. While this file is here, it is not complete.\n"

// Restore puts a backup back. Before it writes anything it verifies all of it.
// Until it has succeeded, Check refuses the data directory; after a failure it may
// be called again with the same one.
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
		func() error { return markFinished(to.Data) },
	)
}

// Check returns an error when a data directory is one that a restore has begun and
// not finished.
func Check(data string) error {
	_, err := os.Lstat(filepath.Join(data, unfinishedMarker))
	switch {
	case err == nil:
		return fmt.Errorf("the directory %s is not complete: a restore has not finished. Please run 'earshot restore' again", data)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // whoever makes the directory will say what is wrong
		return nil
	}
	return err
}

// markUnfinished marks the data directory. What a restore that failed has left there goes.
func markUnfinished(data string) error {
	if _, err := os.Lstat(filepath.Join(data, unfinishedMarker)); err == nil {
		return clearDir(data, unfinishedMarker)
	}
	if _, err := makeEmptyDir(data); err != nil {
		return err
	}
	return writeSynced(data, unfinishedMarker, strings.NewReader(markerText))
}

// markFinished makes the data directory one that can be used.
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
func (b *Backup) load(ctx context.Context, open func(context.Context) (Engines, error)) error {
	e, err := open(ctx)
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
		func() error { return checkSpan(ctx, e.Journal, span) },
	)
}

// checkSpan makes sure that the journal goes on where it should: entries at
// positions that the store has already would be skipped.
func checkSpan(ctx context.Context, j journal.Archive, want journal.Span) error {
	got, err := j.Span(ctx)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the journal has the positions %d to %d after the restore, it should have %d to %d", got.First, got.Last, want.First, want.Last)
	}
	return nil
}

// copyPosts writes the files of the post store.
func (b *Backup) copyPosts(ctx context.Context, dir string) error {
	files := b.filesIn(postsDir)
	if len(files) == 0 {
		return nil // the store had none
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

// copyFile makes a synced copy, and compares what it has written.
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

// secret returns the key of all tokens.
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

// checkSecret returns an error when another key is in the place of the secret: a
// restore does not replace it.
func checkSecret(file string, secret []byte) error {
	there, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !bytes.Equal(there, secret):
		return fmt.Errorf("the secret file %s is there and holds another key than the backup. Please move it away first", file)
	}
	return err
}

// writeSecret writes the key unless it is there.
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

// writeSynced writes a file that is on disk, with its name, when it returns.
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
