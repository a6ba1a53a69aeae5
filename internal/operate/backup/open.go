package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

// A Backup is a backup in a directory, as written by [Unpack].
type Backup struct {
	Manifest
	root *os.Root
}

// Open opens a backup. It fails if the directory contains no complete backup.
func Open(dir string) (*Backup, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(root)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("%s is not a complete backup: %w", dir, err)
	}
	return &Backup{*m, root}, nil
}

func readManifest(root *os.Root) (*Manifest, error) {
	sum, err := readListed(root, sumFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the last file, %s, is missing", sumFile)
	}
	if err != nil {
		return nil, err
	}
	manifest, err := readListed(root, manifestFile)
	if err != nil {
		return nil, err
	}
	return decodeManifest(manifest, sum)
}

func readListed(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSmall(f)
}

// Close closes the directory.
func (b *Backup) Close() error { return b.root.Close() }

// Verify reads every file and fails if one is damaged. The error names the file.
func (b *Backup) Verify(ctx context.Context) error {
	for _, f := range b.Files {
		if err := b.copy(ctx, f, io.Discard); err != nil {
			return err
		}
	}
	return nil
}

// copy writes a file to w. It fails if the contents differ from the manifest, but only after it has
// written to w.
func (b *Backup) copy(ctx context.Context, f File, w io.Writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in, err := b.root.Open(f.Name)
	if err != nil {
		return fmt.Errorf("read backup file %s: %w", f.Name, err)
	}
	defer in.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), in)
	if err != nil {
		return fmt.Errorf("copy %s: %w", f.Name, err)
	}
	return f.verify(File{Name: f.Name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
}

// records yields the records in the files of a directory. The sequence ends after the first error.
func (b *Backup) records(dir string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, f := range b.filesIn(dir) {
			if !b.recordsOf(f, yield) {
				return
			}
		}
	}
}

type record struct {
	header
	data []byte
}

// recordsOf yields the records of a file, and reports whether to continue with the next file.
func (b *Backup) recordsOf(f File, yield func(record, error) bool) bool {
	in, err := b.root.Open(f.Name)
	if err != nil {
		yield(record{}, err)
		return false
	}
	defer in.Close()
	r := newRecordReader(in)
	for {
		h, data, err := r.next()
		switch {
		case err == io.EOF:
			return true
		case err != nil:
			yield(record{}, fmt.Errorf("read %s: %w", f.Name, err))
			return false
		case !yield(record{h, data}, nil):
			return false
		}
	}
}

// keyValues yields the entries of the catalog or the ledger.
func (b *Backup) keyValues(dir string) iter.Seq2[kv.Entry, error] {
	return convert(b.records(dir), func(r record) kv.Entry { return kv.Entry{Key: r.Key, Value: r.data} })
}

func (b *Backup) entries() iter.Seq2[journal.StoredEntry, error] {
	return convert(b.records(journalDir), record.stored)
}

func (b *Backup) deadLetters() iter.Seq2[journal.StoredDeadLetter, error] {
	return convert(b.records(deadLettersDir), func(r record) journal.StoredDeadLetter {
		return journal.StoredDeadLetter{StoredEntry: r.stored(), RejectedAt: r.RejectedAt, Reason: r.Reason}
	})
}

func (r record) stored() journal.StoredEntry {
	return journal.StoredEntry{Position: r.Position, Time: r.Time, ID: r.ID, Data: r.data}
}

func convert[A, B any](from iter.Seq2[A, error], to func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range from {
			if err != nil {
				yield(*new(B), err)
				return
			}
			if !yield(to(a), nil) {
				return
			}
		}
	}
}
