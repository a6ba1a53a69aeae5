package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/operate/backup"
)

// noise returns text that compresses poorly and differs for each seed.
func noise(seed, n int) string {
	r := rand.New(rand.NewPCG(1, uint64(seed)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('!' + r.IntN(90))
	}
	return string(b)
}

// sample returns a world with data of every kind.
func sample(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, engines["memory"])
	for i := range 3 {
		w.post(t, fmt.Sprint(i))
	}
	for b, err := range w.journal.Batches(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Reject(t.Context(), "bad"); err != nil {
			t.Fatal(err)
		}
		break
	}
	w.posts.reach(t)
	w.post(t, "3")
	w.put(t, "user.1", "ann")
	return w
}

func TestEveryDamagedByteIsFoundAndTheFileNamed(t *testing.T) {
	dir := unpack(t, sample(t).pack(t))
	data := filepath.Join(t.TempDir(), "data")
	to, _ := target(t, data, engines["memory"])
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		good, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 0x20 // also changes the case of letters
			wantDamage(t, dir, path, bad, name, to)
		}
		wantDamage(t, dir, path, append(bytes.Clone(good), 'x'), name, to)
		wantDamage(t, dir, path, good[:len(good)-1], name, to)
		wantDamage(t, dir, path, nil, name, to)
		return os.WriteFile(path, good, 0o600)
	})
	if err != nil || files != 9 {
		t.Errorf("got %d files, %v, want 9", files, err)
	}
	if _, err := os.Lstat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data directory was created although all backups were damaged: %v", err)
	}
	if err := restoreTo(t.Context(), dir, to); err != nil {
		t.Errorf("the undamaged backup: %v", err)
	}
}

// wantDamage checks that a backup is rejected with an error that contains name if the file at path
// has the given contents or, if data is nil, is missing.
func wantDamage(t *testing.T, dir, path string, data []byte, name string, to backup.Target) {
	t.Helper()
	err := os.WriteFile(path, data, 0o600)
	if data == nil {
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := restoreTo(t.Context(), dir, to); err == nil || !strings.Contains(err.Error(), name) {
		t.Fatalf("%s has %.100q: got %v, want an error that names it", name, data, err)
	}
}

func TestUnpackRejectsATruncatedStream(t *testing.T) {
	packed := sample(t).pack(t)
	end := bytes.LastIndex(packed, []byte("manifest.json\n")) + len("manifest.json\n")
	dir := filepath.Join(t.TempDir(), "backup")
	for cut := 0; cut < end; cut += 97 {
		if _, err := backup.Unpack(bytes.NewReader(packed[:cut]), dir); err == nil {
			t.Fatalf("cut after %d of %d bytes: no error", cut, len(packed))
		}
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("truncated after %d bytes: the directory exists: %v", cut, err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Unpack(bytes.NewReader(packed[:end/2]), dir); err == nil || !strings.Contains(err.Error(), "incomplete") {
		t.Errorf("got %v, want that it is incomplete", err)
	}
	if left := tree(t, dir); left != "" {
		t.Errorf("left in the directory:\n%s", left)
	}
	if _, err := backup.Unpack(bytes.NewReader(packed), dir); err != nil {
		t.Errorf("the whole stream: %v", err)
	}
}

func TestOpenRejectsABackupWithoutItsLastFile(t *testing.T) {
	dir := unpack(t, sample(t).pack(t))
	if err := os.Remove(filepath.Join(dir, "manifest.sha256")); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Open(dir); err == nil || !strings.Contains(err.Error(), "is not a complete backup: the last file, manifest.sha256, is missing") {
		t.Errorf("got %v", err)
	}
	if _, err := backup.Open(t.TempDir()); err == nil {
		t.Error("an empty directory: no error")
	}
	if _, err := backup.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: got %v", err)
	}
}

func TestUnpackNeedsAnEmptyDirectory(t *testing.T) {
	packed := sample(t).pack(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Unpack(bytes.NewReader(packed), dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v, want that it is not empty", err)
	}
	if got, want := tree(t, dir), "/mine \"precious\"\n"; got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}

func TestUnpackRejectsForeignFiles(t *testing.T) {
	f := func(name string, h tar.Header, want string) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			h.Mode = 0o600
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			outer := t.TempDir()
			_, err := backup.Unpack(&b, filepath.Join(outer, "backup"))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if left := tree(t, outer); left != "" {
				t.Errorf("left behind:\n%s", left)
			}
		})
	}
	for _, name := range []string{"../evil", "/etc/evil", "posts/../../evil", "posts//x", "evil", "posts", "posts/a\\..\\b", "restore-unfinished"} {
		f("the name "+strings.ReplaceAll(name, "/", "|"), tar.Header{Name: name, Typeflag: tar.TypeReg}, "is not a backup file")
	}
	f("a link", tar.Header{Name: "posts/x", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, "is not a backup file")
	f("a directory", tar.Header{Name: "posts/x/", Typeflag: tar.TypeDir}, "is not a backup file")
	f("a sum before the manifest", tar.Header{Name: "manifest.sha256", Typeflag: tar.TypeReg}, "is not a backup file")
	f("no manifest", tar.Header{Name: "secret.key", Typeflag: tar.TypeReg}, "incomplete")
}

func TestRestoreNeedsAnEmptyDirectory(t *testing.T) {
	dir := unpack(t, sample(t).pack(t))
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "mine"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	to, _ := target(t, data, engines["memory"])
	if err := restoreTo(t.Context(), dir, to); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v, want that it is not empty", err)
	}
	if got, want := tree(t, data), "/mine \"precious\"\n"; got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}

func TestAFailedRestoreCanBeRepeated(t *testing.T) {
	w := sample(t)
	dir := unpack(t, w.pack(t))
	data := t.TempDir() // exists, and is empty
	to, e := target(t, data, engines["memory"])
	broken := errors.New("broken")
	failing := to
	failing.Open = func(context.Context, *backup.Manifest) (backup.Engines, error) {
		return backup.Engines{}, errors.Join(broken, os.WriteFile(filepath.Join(data, "half"), []byte("x"), 0o600))
	}
	for range 2 {
		if err := restoreTo(t.Context(), dir, failing); !errors.Is(err, broken) {
			t.Fatalf("got %v, want %v", err, broken)
		}
		if err := backup.Check(data); err == nil || !strings.Contains(err.Error(), "a restore has not finished") {
			t.Errorf("Check: got %v, want an error about an unfinished restore", err)
		}
	}
	if err := restoreTo(t.Context(), dir, to); err != nil {
		t.Fatal(err)
	}
	if err := backup.Check(data); err != nil {
		t.Errorf("Check: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(data, "half")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the remains of the failed restore still exist: %v", err)
	}
	if got := read(t, data, e); len(got.posts) != 4 || got.records["user.1"] != "ann" || len(got.letters) != 1 {
		t.Errorf("got %+v, want 4 posts, ann and one dead letter", got)
	}
}

func TestRestoreDoesNotOverwriteData(t *testing.T) {
	w := sample(t)
	dir := unpack(t, w.pack(t))
	f := func(name string, fill func(e backup.Engines) error, want string) {
		t.Run(name, func(t *testing.T) {
			to, _ := target(t, filepath.Join(t.TempDir(), "data"), func(ctx context.Context, dir string) (backup.Engines, error) {
				e, err := engines["memory"](ctx, dir)
				return e, errors.Join(err, fill(e))
			})
			if err := restoreTo(t.Context(), dir, to); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	f("a catalog with a record", func(e backup.Engines) error {
		_, err := e.Catalog.Put(t.Context(), "team.1", nil, 0)
		return err
	}, "load the catalog: it has 1 records")
	f("a journal with an entry", func(e backup.Engines) error {
		return e.Journal.Load(t.Context(), journalSpan(5), nothing)
	}, "load the journal: it already has entries")
}

func TestASecretElsewhereIsNotReplaced(t *testing.T) {
	dir := unpack(t, sample(t).pack(t))
	elsewhere := filepath.Join(t.TempDir(), "keys", "key")
	restoreThere := func() error {
		to, _ := target(t, filepath.Join(t.TempDir(), "data"), engines["memory"])
		to.Secret = elsewhere
		return restoreTo(t.Context(), dir, to)
	}
	for range 2 { // the second time the file exists and is the same
		if err := restoreThere(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(elsewhere); err != nil || string(got) != secret {
			t.Errorf("got %q, %v, want %q", got, err, secret)
		}
	}
	if err := os.WriteFile(elsewhere, []byte("another key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := restoreThere(); err == nil || !strings.Contains(err.Error(), "contains a different key than the backup") {
		t.Errorf("got %v, want an error about a different key", err)
	}
	if got, err := os.ReadFile(elsewhere); err != nil || string(got) != "another key" {
		t.Errorf("got %q, %v, want it unchanged", got, err)
	}
}

func TestARestoreIsVerified(t *testing.T) {
	w := newWorld(t, engines["memory"])
	w.post(t, "0")
	dir := unpack(t, w.pack(t))
	data := filepath.Join(t.TempDir(), "data")
	to, _ := target(t, data, engines["memory"])
	damaged := errors.New("a bit flipped")
	to.Verify = func(context.Context) error { return damaged }
	if err := restoreTo(t.Context(), dir, to); !errors.Is(err, damaged) {
		t.Errorf("got %v, want %v", err, damaged)
	}
	if err := backup.Check(data); err == nil {
		t.Error("the directory passes for restored")
	}
	damaged = nil
	if err := restoreTo(t.Context(), dir, to); err != nil {
		t.Errorf("the second attempt failed: %v", err)
	}
	if err := backup.Check(data); err != nil {
		t.Error(err)
	}
}
