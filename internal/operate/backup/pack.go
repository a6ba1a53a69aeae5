package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"

	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

// chunkBytes is the size of a file of records. Each file is built in memory, because the tar format
// has the size of a file before its contents.
const chunkBytes = 8 << 20

// A packer writes the files of a backup and adds them to its manifest.
type packer struct {
	out      io.Writer
	tar      *tar.Writer
	manifest *Manifest
	inFile   bool // a file is not completely written
}

func newPacker(w io.Writer, m *Manifest) *packer {
	return &packer{out: w, tar: tar.NewWriter(w), manifest: m}
}

// flush sends everything that is written.
func (p *packer) flush() error {
	if err := p.tar.Flush(); err != nil {
		return err
	}
	if f, ok := p.out.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// fail writes the reason why the backup failed, if a reader will find it there. It ignores errors,
// because without a manifest the reader knows that the backup failed.
func (p *packer) fail(reason error) {
	if len(p.manifest.Files) == 0 || p.inFile {
		return
	}
	text := []byte(reason.Error())
	if p.writeHeader(failureFile, int64(len(text))) != nil {
		return
	}
	if _, err := p.tar.Write(text); err != nil {
		return
	}
	_ = p.flush()
}

// add writes a file of a known size.
func (p *packer) add(name string, size int64, r io.Reader) error {
	if err := checkName(name); err != nil {
		return err
	}
	p.inFile = true
	if err := p.writeHeader(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(p.tar, sum), io.LimitReader(r, size))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("file %s has %d bytes, want %d", name, n, size)
	}
	p.inFile = false
	p.manifest.Files = append(p.manifest.Files, File{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (p *packer) writeHeader(name string, size int64) error {
	return p.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg,
		Name:     name,
		Size:     size,
		Mode:     0o600, // some files contain secrets
		ModTime:  p.manifest.Time,
		Format:   tar.FormatPAX,
	})
}

func (p *packer) addFile(name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return p.add(name, info.Size(), f)
}

// addTree adds the files of the subdirectory name of root. It adds nothing if root is empty.
func (p *packer) addTree(ctx context.Context, name, root string) error {
	if root == "" {
		return nil
	}
	root = filepath.Join(root, name)
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", file)
		}
		below, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return p.addFile(path.Join(name, filepath.ToSlash(below)), file)
	})
}

func (p *packer) addCatalog(records []kv.Entry) error {
	c := chunks{packer: p, dir: catalogDir}
	for _, r := range records {
		if err := c.add(header{Key: r.Key}, r.Value); err != nil {
			return fmt.Errorf("catalog record %s: %w", r.Key, err)
		}
	}
	return c.flush()
}

func (p *packer) addEntries(entries iter.Seq2[journal.StoredEntry, error]) error {
	c := chunks{packer: p, dir: journalDir}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := c.add(entryHeader(e), e.Data); err != nil {
			return fmt.Errorf("journal entry %d: %w", e.Position, err)
		}
	}
	return c.flush()
}

func (p *packer) addDeadLetters(letters iter.Seq2[journal.StoredDeadLetter, error]) error {
	c := chunks{packer: p, dir: deadLettersDir}
	for l, err := range letters {
		if err != nil {
			return err
		}
		h := entryHeader(l.StoredEntry)
		h.RejectedAt, h.Reason = l.RejectedAt, l.Reason
		if err := c.add(h, l.Data); err != nil {
			return fmt.Errorf("dead letter of journal entry %d: %w", l.Position, err)
		}
	}
	return c.flush()
}

func entryHeader(e journal.StoredEntry) header {
	return header{Position: e.Position, Time: e.Time, ID: e.ID}
}

// finish writes the manifest and completes the backup.
func (p *packer) finish() error {
	manifest, sum, err := p.manifest.encode()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{manifestFile, manifest}, {sumFile, sum}} {
		if err := p.writeHeader(f.name, int64(len(f.data))); err != nil {
			return err
		}
		if _, err := p.tar.Write(f.data); err != nil {
			return err
		}
	}
	return p.tar.Close()
}

// chunks writes records into numbered files of a directory.
type chunks struct {
	packer *packer
	dir    string
	number int
	buf    bytes.Buffer
}

func (c *chunks) add(h header, data []byte) error {
	if err := appendRecord(&c.buf, h, data); err != nil {
		return err
	}
	if c.buf.Len() < chunkBytes {
		return nil
	}
	return c.flush()
}

func (c *chunks) flush() error {
	if c.buf.Len() == 0 {
		return nil
	}
	c.number++
	err := c.packer.add(fmt.Sprintf("%s/%06d", c.dir, c.number), int64(c.buf.Len()), &c.buf)
	c.buf.Reset()
	return err
}
