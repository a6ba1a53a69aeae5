package local

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// openElsewhere is the environment variable that tells another process which directory to open.
const openElsewhere = "EARSHOT_TEST_OPEN"

// TestOpenTwice opens a store that is in use, first in this process and then in another.
func TestOpenTwice(t *testing.T) {
	if dir := os.Getenv(openElsewhere); dir != "" { // this is the other process
		_, err := Open(t.Context(), Options{Dir: dir})
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := openAt(t, dir)
	appendAll(t, s, 1)
	_, err := Open(t.Context(), Options{Dir: dir})
	wantRefused(t, "current process", dir, err.Error())

	other := exec.Command(os.Args[0], "-test.run", "^TestOpenTwice$")
	other.Env = append(os.Environ(), openElsewhere+"="+dir)
	out, err := other.CombinedOutput()
	if err == nil {
		t.Fatalf("another process opened a store that is in use:\n%s", out)
	}
	wantRefused(t, "another process is using the directory", dir, string(out))

	wantPosts(t, s, perBatch)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantPosts(t, openAt(t, dir), perBatch)
}

func wantRefused(t *testing.T, who, dir, got string) {
	t.Helper()
	if !strings.Contains(got, "open post store "+dir) || !strings.Contains(got, "process") || !strings.Contains(got, who) {
		t.Errorf("got %q, want an error that contains %s and %q", got, dir, who)
	}
}
