package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// checkOverview checks the results of a server. They are empty without a server.
func checkOverview(t *testing.T, f *OverviewResult) {
	t.Helper()
	if len(f.Times) == 0 {
		return
	}
	if want := len(overviews) + 2; len(f.Times) != want {
		t.Fatalf("got %d rows, want %d", len(f.Times), want)
	}
	for _, row := range f.Times {
		if row.Cold <= 0 || row.P50 <= 0 || row.P50 > row.P95 || row.Bytes < 200 {
			t.Errorf("got %+v", row)
		}
	}
}

// TestInterruptedRunIsRestored checks that posts of an interrupted run are moved back.
func TestInterruptedRunIsRestored(t *testing.T) {
	s := &session{dir: t.TempDir()}
	for _, dir := range []string{s.postsDir(), s.savedDir()} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Base(dir)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.savePosts(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(s.postsDir())
		if err != nil || len(entries) != 1 || entries[0].Name() != "posts.kept" {
			t.Errorf("got %v, %v", entries, err)
		}
	}
}
