//go:build linux

package crashtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"earshot/internal/app/processtest"
	"earshot/internal/test/testenv"
)

// TestStorageErrorEndsTheProcess takes all file descriptors away from the running service. Storage
// does not recover from that, so the process must end. Nothing acknowledged is lost.
func TestStorageErrorEndsTheProcess(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("builds the real binary")
	}
	f := newFull(t, t.TempDir())
	if status, answer := f.upload(t, 10); status != 200 {
		t.Fatalf("got %d %s", status, answer)
	}
	if err := unix.Prlimit(f.process.Cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil); err != nil {
		testenv.SkipMissing(t, fmt.Sprintf("the limit on file descriptors cannot be changed: %v", err))
	}
	deadline := time.After(time.Minute)
	for ended := false; !ended; {
		select {
		case <-f.process.Exited:
			ended = true
		case <-deadline:
			t.Fatalf("the process still runs:\n%s", f.process.Log)
		default:
			f.uploadAnyway(100)
		}
	}
	if code := f.process.Cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("got exit code %d, want 1:\n%s", code, f.process.Log)
	}
	if !strings.Contains(f.process.Log.String(), "storage failed") {
		t.Errorf("the log does not say why the process ended:\n%s", f.process.Log)
	}
	f.start(t)
	if volume, posts := f.count(t); volume < f.acknowledged || posts < f.acknowledged {
		t.Errorf("got volume %d and %d posts, but %d documents were acknowledged", volume, posts, f.acknowledged)
	}
}

// uploadAnyway sends documents on the connection that is already open. It counts them if they are
// acknowledged.
func (f *fullDisk) uploadAnyway(n int) {
	f.uploads++
	var items strings.Builder
	for i := range n {
		fmt.Fprintf(&items, `{"guid":"%d-%d","date":"2024-03-02T12:00:00","contents":"survivor %s"},`, f.uploads, i, processtest.Noise(f.Rand, 10_000))
	}
	status, _, err := f.process.call("POST", fmt.Sprintf("/api/content/upload?documentType=%d", f.source),
		`{"items":[`+strings.TrimSuffix(items.String(), ",")+`]}`)
	if err == nil && status == 200 {
		f.acknowledged += n
	}
}
