//go:build linux

package crashtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot/internal/app/processtest"
	"earshot/internal/test/testenv"
)

// TestDiskFull fills the disk of the real binary: first with documents until they are rejected,
// then with a file, to the last byte. No acknowledged document is lost, queries work, and writes
// succeed again once there is free space.
func TestDiskFull(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("builds the real binary")
	}
	disk := smallDisk(t, 160<<20)
	if disk == "" {
		return // the test has run in a separate process
	}
	spare, filler := filepath.Join(disk, "spare"), filepath.Join(disk, "filler")
	if err := os.WriteFile(spare, make([]byte, 44<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFull(t, filepath.Join(disk, "data"))
	f.uploadUntilRefused(t)
	f.awaitCount(t)
	fillUp(t, filler)
	f.wantRefusals(t)
	f.letFlushFail()
	fillUp(t, filler) // space that the service has freed
	f.wantRefusals(t)
	f.wantCount(t)

	makeRoom(t, filler, spare)
	f.wantUploads(t)

	fillUp(t, filler)
	f.process.kill(t)
	f.wantNoStart(t)
	makeRoom(t, filler)
	f.start(t)
	f.wantCount(t)
	f.wantUploads(t)
	f.process.kill(t)
	f.start(t)
	f.wantCount(t)
	t.Logf("%d documents were acknowledged", f.acknowledged)
}

// A fullDisk is a service on a disk that fills up.
type fullDisk struct {
	*rand.Rand
	process         *process
	binary, data    string
	token           string
	monitor, source int64
	uploads         int
	acknowledged    int // number of documents
}

func newFull(t *testing.T, data string) *fullDisk {
	t.Helper()
	f := &fullDisk{Rand: rand.New(rand.NewPCG(1, 1)), binary: buildBinary(t), data: data}
	f.start(t)
	p := f.process
	p.signIn(t)
	f.token = p.token
	var team, monitor struct{ ID int64 }
	p.must(t, "POST", "/manage/v1/teams", `{"name":"Full"}`, &team)
	p.must(t, "POST", monitorsPath, fmt.Sprintf(`{"name":"All","team":%d,"keywords":"survivor","start":"2024-03-01"}`, team.ID), &monitor)
	var source struct{ ContentSource struct{ ID int64 } }
	p.must(t, "POST", "/api/content/sources", fmt.Sprintf(`{"name":"Full","teamid":"%d"}`, team.ID), &source)
	f.monitor, f.source = monitor.ID, source.ContentSource.ID
	return f
}

func (f *fullDisk) start(t *testing.T) {
	t.Helper()
	f.process = start(t, f.binary, f.data)
	f.process.token = f.token
}

// upload sends documents that compress poorly.
func (f *fullDisk) upload(t *testing.T, n int) (status int, answer []byte) {
	t.Helper()
	f.uploads++
	var items strings.Builder
	for i := range n {
		fmt.Fprintf(&items, `{"guid":"%d-%d","date":"2024-03-02T12:00:00","contents":"survivor %s"},`, f.uploads, i, processtest.Noise(f.Rand, 10_000))
	}
	status, answer, err := f.process.call("POST", fmt.Sprintf("/api/content/upload?documentType=%d", f.source),
		`{"items":[`+strings.TrimSuffix(items.String(), ",")+`]}`)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.process.Log)
	}
	if status == 200 {
		f.acknowledged += n
	}
	return status, answer
}

func (f *fullDisk) uploadUntilRefused(t *testing.T) {
	t.Helper()
	for range 500 {
		if status, answer := f.upload(t, 100); status != 200 {
			f.wantFull(t, "an upload", status, answer)
			return
		}
	}
	t.Fatalf("%d documents fit on a small disk", f.acknowledged)
}

// wantRefusals checks that all writes are rejected.
func (f *fullDisk) wantRefusals(t *testing.T) {
	t.Helper()
	status, answer := f.upload(t, 1)
	f.wantFull(t, "an upload", status, answer)
	for _, r := range []struct{ method, path, body string }{
		{"POST", fmt.Sprintf("/api/content/delete?documentType=%d", f.source), `{"items":[{"guid":"1-1"}]}`},
		{"PATCH", fmt.Sprintf("%s/%d", monitorsPath, f.monitor), `{"keywords":"nothing"}`},
		{"POST", "/manage/v1/teams", `{"name":"Another"}`},
	} {
		status, answer, err := f.process.call(r.method, r.path, r.body)
		if err != nil {
			t.Fatalf("%v\n%s", err, f.process.Log)
		}
		f.wantFull(t, r.method+" "+r.path, status, answer)
	}
}

func (f *fullDisk) wantFull(t *testing.T, what string, status int, answer []byte) {
	t.Helper()
	const sentence = "The disk is full. Free some space or add storage, then try again"
	var got struct{ Message, Status string }
	if err := json.Unmarshal(answer, &got); err != nil || status != 507 || got.Message != sentence {
		t.Fatalf("%s: got %d %s, want 507 %s\n%s", what, status, answer, sentence, f.process.Log)
	}
}

// count returns the number of documents according to two endpoints.
func (f *fullDisk) count(t *testing.T) (volume, posts int) {
	t.Helper()
	var v struct{ NumberOfDocuments int }
	f.process.must(t, "GET", fmt.Sprintf("/api/monitor/volume?id=%d&start=2024-03-01&end=2024-03-04", f.monitor), "", &v)
	var p struct{ TotalPostsAvailable int }
	f.process.must(t, "GET", fmt.Sprintf("/api/monitor/posts?id=%d&start=2024-03-01&end=2024-03-04", f.monitor), "", &p)
	return v.NumberOfDocuments, p.TotalPostsAvailable
}

func (f *fullDisk) wantCount(t *testing.T) {
	t.Helper()
	if volume, posts := f.count(t); volume != f.acknowledged || posts != f.acknowledged {
		t.Fatalf("got volume %d and %d posts, but %d documents were acknowledged\n%s", volume, posts, f.acknowledged, f.process.Log)
	}
}

// awaitCount waits until all acknowledged documents are counted.
func (f *fullDisk) awaitCount(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if volume, _ := f.count(t); volume >= f.acknowledged {
			break
		}
	}
	f.wantCount(t)
}

// wantUploads uploads documents and checks that they are counted.
func (f *fullDisk) wantUploads(t *testing.T) {
	t.Helper()
	for range 3 {
		if status, answer := f.upload(t, 10); status != 200 {
			t.Fatalf("with free space again, an upload returned %d %s\n%s", status, answer, f.process.Log)
		}
	}
	f.awaitCount(t)
}

// letFlushFail waits for the flush that was due when the disk filled up. There is none if the flush
// finished earlier.
func (f *fullDisk) letFlushFail() {
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if strings.Contains(f.process.Log.String(), "flush failed; retrying") {
			return
		}
	}
}

// wantNoStart starts the service on a full disk, where it must fail with an error.
func (f *fullDisk) wantNoStart(t *testing.T) {
	t.Helper()
	p := launch(t, f.binary, f.data)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.Log.String(), "no space left on device") {
		t.Errorf("on a full disk, the service exited with %d, want 1 and a reason:\n%s", code, p.Log)
	}
}

// fillUp creates or extends a file until the disk is full.
func fillUp(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, block := range [][]byte{make([]byte, 1<<20), make([]byte, 1)} {
		for {
			if _, err = file.Write(block); err != nil {
				break
			}
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

func makeRoom(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// smallDisk mounts a disk of the given size. If this user may not mount, it runs the test in a
// process with a user namespace of its own, and returns "".
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	const inside = "EARSHOT_TEST_MAY_MOUNT"
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
	if err == nil {
		t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
		return dir
	}
	if os.Getenv(inside) != "" {
		testenv.SkipMissing(t, fmt.Sprintf("a small disk cannot be mounted: %v", err))
	}
	if exec.Command("unshare", "--map-root-user", "--mount", "true").Run() != nil {
		testenv.SkipMissing(t, fmt.Sprintf("a small disk cannot be mounted, not even in a new namespace: %v", err))
	}
	again := exec.Command("unshare", "--map-root-user", "--mount", os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
	again.Env = append(os.Environ(), inside+"=1")
	out, err := again.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	return ""
}
