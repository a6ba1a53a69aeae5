package account

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"earshot/internal/operate/disk"
	"earshot/internal/operate/integrity"
)

// minSecret is the minimum size of a secret in bytes.
const minSecret = 32

// A SecretFile is the file with the secret that signs tokens, and a file with its checksum. With
// another secret, every token and session is invalid, so a secret that does not match its checksum
// is damaged. Remove the checksum to change the secret on purpose.
//
// The checksum is one line of a SHA-256 in hex and the CRC-32C of that:
//
//	8d0f15a65c92fb0346d1d0e1e714d0b6e8e35d04a144608d97b553c7fffe9ea6 9c8b1f02
type SecretFile struct {
	Path     string
	Checksum string // path of the checksum
}

// Load reads the secret. If there is neither a secret nor a checksum, it creates a random secret,
// readable only by its owner. It creates a missing checksum and replaces an unreadable one, which
// proves nothing. If the secret is damaged or missing, Load changes nothing.
func (f SecretFile) Load() ([]byte, error) {
	findings, err := f.Check()
	if err != nil {
		return nil, err
	}
	if err := integrity.Stopping(findings); err != nil {
		return nil, err
	}
	secret, err := f.read()
	if err != nil {
		return nil, err
	}
	if secret == nil {
		if secret, err = f.create(); err != nil {
			return nil, err
		}
	}
	return secret, f.writeChecksum(secret)
}

// Exists reports whether there is a secret.
func (f SecretFile) Exists() bool {
	_, err := os.Stat(f.Path)
	return err == nil
}

// Restrict makes the secret readable only by its owner. It reports whether others could read it. If
// it returns an error, they still can.
func (f SecretFile) Restrict() (wasOpen bool, err error) {
	info, err := os.Stat(f.Path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return false, err
	}
	return true, os.Chmod(f.Path, info.Mode().Perm()&^0o077)
}

// Check reports whether the secret is damaged or missing. It changes nothing.
func (f SecretFile) Check() ([]integrity.Finding, error) {
	sum, err := f.checksum()
	if err != nil || sum == nil {
		return nil, err
	}
	found := integrity.Finding{
		Part: integrity.Secret, File: f.Path, Problem: "the secret does not match its checksum in " + f.Checksum,
		Effect: "all tokens and sessions are invalid with another secret",
	}
	secret, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found.Problem = "the file is missing"
	case err != nil:
		return nil, err
	case bytes.Equal(checksum(secret), sum):
		return nil, nil
	}
	return []integrity.Finding{found}, nil
}

// Plan returns the repair of a damaged or missing secret: a new one.
func (f SecretFile) Plan() ([]integrity.Repair, error) {
	findings, err := f.Check()
	if err != nil || len(findings) == 0 {
		return nil, err
	}
	return []integrity.Repair{{
		Part:    integrity.Secret,
		Summary: "create a new secret in " + f.Path,
		Lost:    []string{"all tokens and sessions"},
		Apply:   func(context.Context) error { return f.replace() },
	}}, nil
}

// replace keeps the damaged secret under another name and creates a new one.
func (f SecretFile) replace() error {
	if err := os.Rename(f.Path, f.Path+".damaged"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(f.Checksum); err != nil {
		return err
	}
	secret, err := f.create()
	if err != nil {
		return err
	}
	return f.writeChecksum(secret)
}

// read returns the secret, or nil if there is none.
func (f SecretFile) read() ([]byte, error) {
	secret, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && len(secret) < minSecret:
		return nil, fmt.Errorf("secret file %s has %d bytes but needs at least %d", f.Path, len(secret), minSecret)
	}
	return secret, err
}

// create writes a random secret, unless another process creates it first, and returns the secret in
// the file.
func (f SecretFile) create() ([]byte, error) {
	secret := make([]byte, minSecret)
	rand.Read(secret) // crypto/rand never fails
	err := writeOnce(f.Path, secret)
	if errors.Is(err, fs.ErrExist) {
		return f.read()
	}
	return secret, err
}

// checksum returns the content of the checksum file, or nil if it is missing or unreadable.
func (f SecretFile) checksum() ([]byte, error) {
	line, err := os.ReadFile(f.Checksum)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if n := len(line) - len(" 00000000\n"); n < 0 || !bytes.Equal(line, appendCRC(line[:max(n, 0)])) {
		return nil, err
	}
	return line, err
}

// writeChecksum writes the checksum unless it is there.
func (f SecretFile) writeChecksum(secret []byte) error {
	sum, err := f.checksum()
	if err != nil || sum != nil {
		return err
	}
	if err := os.Remove(f.Checksum); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = writeOnce(f.Checksum, checksum(secret))
	if errors.Is(err, fs.ErrExist) {
		return nil // another process created it first
	}
	return err
}

// checksum returns the content of the checksum file for a secret.
func checksum(secret []byte) []byte {
	return appendCRC(fmt.Appendf(nil, "%x", sha256.Sum256(append([]byte("earshot secret "), secret...))))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendCRC(sum []byte) []byte {
	return fmt.Appendf(bytes.Clone(sum), " %08x\n", crc32.Checksum(sum, castagnoli))
}

// writeOnce creates a file atomically, even across a crash. It returns [fs.ErrExist] if the file
// exists.
func writeOnce(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	err = os.Link(tmp.Name(), file)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp.Name(), file) // the file system has no hard links
	}
	if err != nil {
		return err
	}
	return disk.Sync(dir)
}
