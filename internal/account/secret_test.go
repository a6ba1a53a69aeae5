package account_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/account"
	"earshot/internal/operate/integrity"
)

func newSecretFile(t *testing.T) account.SecretFile {
	dir := t.TempDir()
	return account.SecretFile{Path: filepath.Join(dir, "sub", "secret.key"), Checksum: filepath.Join(dir, "secret.sum")}
}

// load loads a secret that is not damaged.
func load(t *testing.T, f account.SecretFile) []byte {
	t.Helper()
	secret, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSecretFileIsPrivate(t *testing.T) {
	f := newSecretFile(t)
	first := load(t, f)
	if len(first) != 32 {
		t.Errorf("got %d bytes, want 32", len(first))
	}
	for _, file := range []string{f.Path, f.Checksum} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got mode %v %v, want 0600", file, info.Mode(), err)
		}
	}
	if second := load(t, f); !bytes.Equal(first, second) {
		t.Error("read again: got another secret")
	}
}

func TestAShortSecretIsRejected(t *testing.T) {
	f := newSecretFile(t)
	f.Path = filepath.Join(filepath.Dir(f.Checksum), "short.key")
	write(t, f.Path, []byte("short"))
	if _, err := f.Load(); err == nil {
		t.Error("a short secret is accepted")
	}
}

func TestADamagedSecretIsReportedAndReplaced(t *testing.T) {
	for name, damage := range map[string]func(f account.SecretFile){
		"flipped":   func(f account.SecretFile) { b := read(t, f.Path); b[7] ^= 1; write(t, f.Path, b) },
		"longer":    func(f account.SecretFile) { write(t, f.Path, append(read(t, f.Path), 'x')) },
		"truncated": func(f account.SecretFile) { write(t, f.Path, read(t, f.Path)[:12]) },
		"missing":   func(f account.SecretFile) { os.Remove(f.Path) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newSecretFile(t)
			first := load(t, f)
			damage(f)
			before, _ := os.ReadFile(f.Path)
			_, err := f.Load()
			var found *integrity.DamageError
			if !errors.As(err, &found) || len(found.Findings) != 1 || found.Findings[0].File != f.Path {
				t.Fatalf("got %v, want a finding about %s", err, f.Path)
			}
			if after, _ := os.ReadFile(f.Path); !bytes.Equal(after, before) {
				t.Error("the file was changed")
			}
			repairs, err := f.Plan()
			if err != nil || len(repairs) != 1 || len(repairs[0].Lost) != 1 {
				t.Fatalf("got %+v, %v, want one repair that loses the tokens", repairs, err)
			}
			if err := repairs[0].Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
			if second := load(t, f); bytes.Equal(first, second) || len(second) != 32 {
				t.Errorf("got %x, want a new secret", second)
			}
			if kept, _ := os.ReadFile(f.Path + ".damaged"); !bytes.Equal(kept, before) {
				t.Errorf("the damaged file was not kept")
			}
		})
	}
}

func TestADamagedChecksumIsReplaced(t *testing.T) {
	f := newSecretFile(t)
	first := load(t, f)
	sum := read(t, f.Checksum)
	for i := range sum {
		damaged := bytes.Clone(sum)
		damaged[i] ^= 1 << (i % 8)
		for _, content := range [][]byte{damaged, sum[:i], nil} {
			write(t, f.Checksum, content)
			if got := load(t, f); !bytes.Equal(got, first) {
				t.Fatalf("with the checksum %q: got another secret", content)
			}
			if !bytes.Equal(read(t, f.Checksum), sum) {
				t.Fatalf("the checksum %q was not replaced", content)
			}
		}
	}
}

func TestSecretFileOfOthersIsRestricted(t *testing.T) {
	dir := t.TempDir()
	f := account.SecretFile{Path: filepath.Join(dir, "secret.key"), Checksum: filepath.Join(dir, "secret.sum")}
	if f.Exists() {
		t.Error("there is a secret already")
	}
	if _, err := f.Load(); err != nil || !f.Exists() {
		t.Fatalf("got %v and no secret", err)
	}
	if wasOpen, err := f.Restrict(); wasOpen || err != nil {
		t.Errorf("a new secret: got %v, %v, want that only its owner can read it", wasOpen, err)
	}
	if err := os.Chmod(f.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	if wasOpen, err := f.Restrict(); !wasOpen || err != nil {
		t.Errorf("a secret that others can read: got %v, %v", wasOpen, err)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}
