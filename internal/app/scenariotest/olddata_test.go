package scenariotest

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/operate"
	"earshot/internal/poststore/local"
	"earshot/internal/test/testenv"
)

// testdata/olddata contains data directories written by earlier versions, and the responses of
// those versions. Its README.md describes how to add one.
const (
	oldData     = "testdata/olddata"
	archived    = ".tar.zst"
	writeScript = ".write.txt" // the scenario that wrote the archive
)

var writeOldData = flag.String("write-olddata", "", "write the archives of this new folder of "+oldData)

// TestOldDataDirectory opens data directories written by earlier versions, and expects the same
// responses as from those versions.
func TestOldDataDirectory(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(oldData, "*", "*"+archived))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, archived)
		name, err := filepath.Rel(oldData, base)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			unpackData(t, file, data)
			p := newPlay(t, base+".txt", data)
			if err := p.app.AwaitIdle(t.Context()); err != nil { // newer models retrain opinion monitors
				t.Fatal(err)
			}
			p.wantState(t, base+".json")
			p.run(t)
			p.stop(t)
			if r, err := operate.Check(t.Context(), p.cfg, nil); err != nil || len(r.Findings) > 0 {
				t.Errorf("after writing to it: got %+v, %v, want no findings", r, err)
			}
			p.open(t)
		})
	}
}

// TestFileKinds compares the kinds of files in a data directory with a list that names the format.
func TestFileKinds(t *testing.T) {
	p := newPlay(t, "testdata/scenarios/pictures.txt", t.TempDir())
	p.run(t)
	p.stop(t)
	found := map[string]bool{}
	if err := filepath.WalkDir(p.cfg.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(p.cfg.Data, path)
		if !serverFile.MatchString(name) {
			found[numbered.ReplaceAllString(name, "*")] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	testenv.WantKinds(t, "testdata/format.txt", fmt.Sprintf("format %d", local.Format), slices.Sorted(maps.Keys(found)))
}

var (
	// serverFile matches files of NATS streams and of Pebble, whose kinds are theirs, except for one that
	// every stream has.
	serverFile = regexp.MustCompile(`/streams/.*(msgs/|obs/|meta.sum)|^posts/state/(\d|LOCK|MANIFEST|OPTIONS|marker.manifest)`)
	numbered   = regexp.MustCompile(`[0-9a-f]{6,}|\b[0-9a-f]{2}\b`)
)

// A storedState is the part of the status that depends only on stored data.
type storedState struct {
	Pipeline struct{ Last earshot.Position }
	Store    struct {
		Posts       int64
		Quarantined []json.RawMessage
	}
	Streams     struct{ Messages int64 }
	DeadLetters json.RawMessage
}

// wantState compares the status with a file.
func (p *play) wantState(t *testing.T, file string) {
	t.Helper()
	p.catchUp(t)
	r := httptest.NewRequest("GET", "/manage/v1/status", nil)
	r.Header.Set("Authorization", "Bearer "+p.known["admin"])
	w := httptest.NewRecorder()
	p.app.Handler().ServeHTTP(w, r)
	var state storedState
	if err := json.Unmarshal(w.Body.Bytes(), &state); w.Code != 200 || err != nil {
		t.Fatalf("status: got %d %s: %v", w.Code, w.Body, err)
	}
	got, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %v\ngot  %s\nwant %s", file, err, got, want)
	}
}

// TestWriteOldData writes the archives of a new folder: "clean" after the app has stopped, and then
// "killed", which continues from there, while it is running.
func TestWriteOldData(t *testing.T) {
	if *writeOldData == "" {
		testenv.SkipHelper(t, "hand; see "+oldData+"/README.md")
	}
	if time.Now().Year() < 2090 {
		t.Fatalf("the system clock must be ahead, or the archived data expires: see %s/README.md", oldData)
	}
	clean := filepath.Join(oldData, *writeOldData, "clean")
	killed := filepath.Join(oldData, *writeOldData, "killed")
	for _, base := range []string{clean, killed} {
		if _, err := os.Stat(base + archived); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: archives are never rewritten: %v", base+archived, err)
		}
	}

	data := t.TempDir()
	p := newPlay(t, clean+writeScript, data)
	p.run(t)
	rejectEntry(t, p.app)
	p.stop(t)
	packData(t, data, clean+archived)
	giveValues(t, clean+".txt", p.known)
	giveValues(t, killed+writeScript, p.known)

	data = t.TempDir()
	unpackData(t, clean+archived, data)
	p = newPlay(t, killed+writeScript, data)
	flushed := segments(t, data)
	p.run(t)
	p.catchUp(t)
	packData(t, data, killed+archived)
	if !slices.Equal(segments(t, data), flushed) {
		t.Fatal("the store has flushed entries that only the journal should have; delete the archives and try again")
	}
	giveValues(t, killed+".txt", p.known)
}

// rejectEntry makes the first journal entry a dead letter. The pipeline is not affected.
func rejectEntry(t *testing.T, a *app.App) {
	t.Helper()
	for b, err := range a.Journal.Batches(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Reject(t.Context(), "rejected to have a dead letter"); err != nil {
			t.Fatal(err)
		}
		return
	}
}

// segments lists the segment files of a data directory.
func segments(t *testing.T, data string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "posts", "segments", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// giveValues makes a scenario start with values.
func giveValues(t *testing.T, file string, known map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := parseScenario(t, string(text))
	s.values = nil
	for name, value := range known {
		s.values = append(s.values, [2]string{name, value})
	}
	slices.SortFunc(s.values, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	if err := os.WriteFile(file, []byte(s.print()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// packData archives a data directory, which may be in use.
func packData(t *testing.T, data, archive string) {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	err = fs.WalkDir(os.DirFS(data), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		if d.IsDir() {
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: path + "/", Mode: 0o700})
		}
		if path == "posts/ballast" { // reserves disk space; the store creates it again
			return nil
		}
		content, err := os.ReadFile(filepath.Join(data, path))
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: path, Mode: 0o600, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, z.EncodeAll(packed.Bytes(), nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unpackData extracts an archive to an empty directory.
func unpackData(t *testing.T, archive, data string) {
	t.Helper()
	packed, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := zstd.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", archive, err)
		}
		path := filepath.Join(data, h.Name)
		if h.Typeflag == tar.TypeDir {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", archive, err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
