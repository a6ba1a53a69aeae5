package app_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"earshot/internal/test/testenv"
)

var (
	faultFlag  = flag.Int("fault", 0, "run only this fault of TestDamage")
	firstFlag  = flag.Int("first", 0, "run the faults of TestDamage from this one on; 0: one that depends on the commit")
	faultsFlag = flag.Int("faults", 24, "run this many faults in TestDamage")
	damageDir  = flag.String("damage-dir", "", "files of an earlier run of TestDamage, which a failed run prints")
)

// TestDamage damages copies of a data directory, one random fault each, starts the service on the
// copy and compares everything that was acknowledged. Each fault must be harmless or reported. Each
// commit tries other faults, and make long-damage tries 10,000.
func TestDamage(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("starts the service hundreds of times")
	}
	c := newCampaign(t)
	first := cmp.Or(*firstFlag, 1+int(testenv.Seed()%10_000))
	last := first + *faultsFlag - 1
	if *faultFlag > 0 {
		first, last = *faultFlag, *faultFlag
	}
	t.Logf("faults %d to %d", first, last)
	c.run(first, last)
	c.report()
}

// A campaign is a run of TestDamage.
type campaign struct {
	*testing.T
	dir campaignDir

	mu      sync.Mutex
	results []faultResult // guarded by mu
}

func newCampaign(t *testing.T) *campaign {
	c := &campaign{T: t, dir: campaignDir(*damageDir)}
	if c.dir != "" {
		return c
	}
	dir, err := os.MkdirTemp(fastDisk(), "earshot-damage-")
	if err != nil {
		t.Fatal(err)
	}
	c.dir = campaignDir(dir)
	t.Cleanup(func() {
		if !t.Failed() {
			os.RemoveAll(dir)
			return
		}
		copies, _ := filepath.Glob(filepath.Join(dir, "copy-*"))
		for _, copied := range copies {
			os.RemoveAll(copied)
		}
		t.Logf("to reproduce fault N: go test ./internal/app -run '^TestDamage$' -fault N -damage-dir %s", dir)
	})
	c.build()
	return c
}

// fastDisk returns a directory in memory if there is one, because every start writes and syncs
// files.
func fastDisk() string {
	const memory = "/dev/shm"
	if dir, err := os.MkdirTemp(memory, "earshot-"); err == nil {
		os.Remove(dir)
		return memory
	}
	return ""
}

// build builds the data directory and determines the truth with an undamaged copy.
func (c *campaign) build() {
	c.Helper()
	build := c.dir.process("build")
	out, err := build.CombinedOutput()
	if build.ProcessState == nil || build.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		c.Fatalf("build the data directory: %v\n%s", err, out)
	}
	w := c.newWorker()
	defer w.close()
	for i := range 3 { // the first worker determines the truth
		if i == 1 {
			w.close()
			w = c.newWorker()
		}
		if r := w.try(0); r.Outcome != outcomeHarmless || len(r.Found) > 0 {
			c.Fatalf("without a fault: %s: %s\n%s", r.Outcome, r.Message, strings.Join(append(r.Differences, r.Found...), "\n"))
		}
	}
}

// process returns a process of this test binary with a task in the directory.
func (c campaignDir) process(task string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestDamageProcess$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), damageEnv+"="+task+" "+string(c))
	return cmd
}

// run tries faults on all cores.
func (c *campaign) run(first, last int) {
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) { // half of the time, a worker waits
		wg.Go(func() {
			var w *worker
			for n := range numbers {
				if w != nil && (w.tried == triesPerWorker || w.dead) {
					w.close()
					w = nil
				}
				if w == nil {
					w = c.newWorker()
				}
				r := w.try(n)
				c.mu.Lock()
				c.results = append(c.results, r)
				c.mu.Unlock()
			}
			if w != nil {
				w.close()
			}
		})
	}
	for n := first; n <= last; n++ {
		numbers <- n
	}
	close(numbers)
	wg.Wait()
}

// report prints the table and fails the test for each defect.
func (c *campaign) report() {
	slices.SortFunc(c.results, func(a, b faultResult) int { return a.Fault.Number - b.Fault.Number })
	counts := map[string]map[string]int{}
	var took time.Duration
	for _, r := range c.results {
		for _, part := range []string{r.Fault.Part, "all"} {
			if counts[part] == nil {
				counts[part] = map[string]int{}
			}
			counts[part][r.Outcome]++
			counts[part]["faults"]++
		}
		took += r.Took
		if !slices.Contains(outcomes[:3], r.Outcome) {
			c.Errorf("%s: %s\n  %s\n  %s", r.Fault, r.Outcome, r.Message, strings.Join(r.Differences[:min(len(r.Differences), 6)], "\n  "))
		}
		if *faultFlag > 0 {
			c.Logf("%s: %s: %s\n%s", r.Fault, r.Outcome, r.Message, strings.Join(append(r.Differences, r.Found...), "\n"))
		}
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := append([]string{"faults"}, outcomes...)
	fmt.Fprintf(w, "part\t%s\t\n", strings.Join(columns, "\t"))
	for _, part := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%s\t", part)
		for _, column := range columns {
			fmt.Fprintf(w, "%d\t", counts[part][column])
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	c.Logf("%d faults, %v each\n%s", len(c.results), (took / time.Duration(max(1, len(c.results)))).Round(time.Millisecond), &table)
}

// A worker is a process that tries faults.
type worker struct {
	c       *campaign
	cmd     *exec.Cmd
	numbers io.WriteCloser
	results *json.Decoder
	stderr  *bytes.Buffer
	tried   int
	dead    bool
}

// triesPerWorker bounds the memory that a worker may leak.
const triesPerWorker = 200

// startLimit is how long a fault may take. Without a fault it is less than a second.
const startLimit = time.Minute

func (c *campaign) newWorker() *worker {
	w := &worker{c: c, cmd: c.dir.process("work"), stderr: &bytes.Buffer{}}
	r, wr, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	w.cmd.ExtraFiles = []*os.File{wr}
	w.cmd.Stderr, w.cmd.Stdout = w.stderr, w.stderr
	if w.numbers, err = w.cmd.StdinPipe(); err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		panic(err)
	}
	wr.Close()
	w.results = json.NewDecoder(r)
	return w
}

// try tries a fault. If the process ends or hangs, that is the result.
func (w *worker) try(n int) faultResult {
	w.tried++
	var hung atomic.Bool
	timer := time.AfterFunc(startLimit, func() {
		hung.Store(true)
		w.cmd.Process.Signal(syscall.SIGQUIT) // prints all goroutines
	})
	defer timer.Stop()
	fmt.Fprintln(w.numbers, n)
	var r faultResult
	err := w.results.Decode(&r.Fault)
	if err == nil {
		err = w.results.Decode(&r)
	}
	if err != nil {
		w.dead = true
		w.cmd.Wait()
		r.Outcome, r.Message = outcomePanic, w.stderr.String()
		if hung.Load() {
			r.Outcome = outcomeHang
		}
	}
	return r
}

// close ends the process.
func (w *worker) close() {
	w.numbers.Close()
	if !w.dead {
		w.cmd.Wait()
	}
	w.dead = true
}

// An errorLog collects errors.
type errorLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *errorLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }
func (l *errorLog) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *errorLog) WithGroup(string) slog.Handler                    { return l }

func (l *errorLog) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
