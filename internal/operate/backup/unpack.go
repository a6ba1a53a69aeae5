package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Unpack reads the output of [Service.Write] into a directory, which must be empty or missing, and
// checks every file against the manifest. The directory becomes a valid backup only once everything
// is complete, correct and synced. If Unpack fails, it removes what it has written. A killed
// process leaves a directory that Open rejects.
func Unpack(r io.Reader, dir string) (*Manifest, error) {
	made, err := makeEmptyDir(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	u := &unpacker{root: root, files: map[string]File{}}
	err = firstError(func() error { return u.read(tar.NewReader(r)) }, u.check, u.finish)
	if err != nil {
		root.Close()
		removeUnpacked(dir, made)
		return nil, err
	}
	return u.manifest, nil
}

// An unpacker collects the files of a tar file.
type unpacker struct {
	root          *os.Root
	files         map[string]File // as received
	manifestBytes []byte
	sum           []byte
	manifest      *Manifest
}

// read writes the files and reads the manifest.
func (u *unpacker) read(t *tar.Reader) error {
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF && u.sum == nil, errors.Is(err, io.ErrUnexpectedEOF):
			return errTruncated
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read the backup: %w", err)
		case u.sum != nil:
			return fmt.Errorf("the backup continues after its last file with %.200q", h.Name)
		}
		if err := u.unpackFile(h, t); err != nil {
			return err
		}
	}
}

var errTruncated = errors.New("the backup is incomplete: the manifest is missing")

// maxReasonBytes limits the reason of a failed backup.
const maxReasonBytes = 64 << 10

// unpackFile writes one file, or reads it if it is part of the manifest.
func (u *unpacker) unpackFile(h *tar.Header, r io.Reader) (err error) {
	switch {
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%.200q is not a backup file", h.Name)
	case h.Name == manifestFile && u.manifestBytes == nil:
		u.manifestBytes, err = readSmall(r)
		return err
	case h.Name == sumFile && u.manifestBytes != nil:
		u.sum, err = readSmall(r)
		return err
	case h.Name == failureFile:
		reason, err := io.ReadAll(io.LimitReader(r, maxReasonBytes))
		if err != nil {
			return errTruncated
		}
		return fmt.Errorf("the backup failed: %s", bytes.ToValidUTF8(reason, []byte("?")))
	}
	if err := checkName(h.Name); err != nil {
		return err
	}
	if err := u.root.MkdirAll(path.Dir(h.Name), 0o700); err != nil {
		return err
	}
	f, err := writeFile(u.root, h.Name, r)
	if err != nil {
		return err
	}
	u.files[h.Name] = f
	return nil
}

// check compares the files with the manifest.
func (u *unpacker) check() (err error) {
	if u.manifest, err = decodeManifest(u.manifestBytes, u.sum); err != nil {
		return err
	}
	for _, want := range u.manifest.Files {
		got, ok := u.files[want.Name]
		if !ok {
			return fmt.Errorf("the backup is missing the file %s", want.Name)
		}
		if err := want.verify(got); err != nil {
			return err
		}
	}
	if len(u.files) != len(u.manifest.Files) {
		return fmt.Errorf("the backup has %d files, but its manifest lists %d", len(u.files), len(u.manifest.Files))
	}
	return nil
}

// finish makes the directory a valid backup.
func (u *unpacker) finish() error {
	if err := syncTree(u.root); err != nil {
		return err
	}
	if _, err := writeFile(u.root, manifestFile, bytes.NewReader(u.manifestBytes)); err != nil {
		return err
	}
	const unfinished = sumFile + ".new"
	if _, err := writeFile(u.root, unfinished, bytes.NewReader(u.sum)); err != nil {
		return err
	}
	if err := u.root.Rename(unfinished, sumFile); err != nil {
		return err
	}
	return syncDir(u.root, ".")
}

// readSmall reads a small file into memory.
func readSmall(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifestBytes+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errTruncated
	case err != nil:
		return nil, fmt.Errorf("read the backup: %w", err)
	case len(data) > maxManifestBytes:
		return nil, fmt.Errorf("the manifest is larger than %d bytes", maxManifestBytes)
	}
	return data, nil
}

// writeFile creates a file, syncs it, and returns its description.
func writeFile(root *os.Root, name string, r io.Reader) (File, error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return File{}, fmt.Errorf("the backup contains the file %s twice", name)
	}
	if err != nil {
		return File{}, err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), r)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errTruncated
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return File{}, err
	}
	return File{Name: name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// verify returns an error that names the file unless got matches the manifest.
func (f File) verify(got File) error {
	switch {
	case got.Size != f.Size:
		return fmt.Errorf("backup file %s is damaged: it has %d bytes, but the manifest lists %d", f.Name, got.Size, f.Size)
	case got.SHA256 != f.SHA256:
		return fmt.Errorf("backup file %s is damaged: its SHA-256 does not match the manifest", f.Name)
	}
	return nil
}
