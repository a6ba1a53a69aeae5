package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/operate"
	"earshot/internal/operate/integrity"
	"earshot/internal/test/testenv"
)

// The outcomes of a fault. All after outcomeDegraded are defects.
const (
	outcomeHarmless = "harmless" // everything acknowledged is there
	outcomeRefused  = "refused"  // the service did not start, named the damage and changed nothing
	outcomeDegraded = "degraded" // the service runs without some posts and says so
	outcomeSilent   = "silent"   // something differs without a report
	outcomeLogged   = "logged"   // the service started and something differs, with nothing but a line in the log
	outcomeUnclear  = "unclear"  // the service did not start but did not name a file
	outcomeModified = "modified" // the service did not start but changed files
	outcomeMissed   = "missed"   // "earshot check" found nothing, or changed files
	outcomeRepair   = "repair"   // the report of the repair differs from what is lost, or the service does not start after it
	outcomeHang     = "hang"
	outcomePanic    = "panic"
)

// outcomes is in the order of the table.
var outcomes = []string{
	outcomeHarmless, outcomeRefused, outcomeDegraded, outcomeSilent, outcomeLogged, outcomeUnclear, outcomeModified, outcomeMissed, outcomeRepair, outcomeHang, outcomePanic,
}

// A faultResult is what a worker reports about a fault.
type faultResult struct {
	Fault       fault
	Outcome     string
	Message     string   // why the service did not start, or what it logged
	Differences []string // what differs from the truth, or files that changed although the start failed
	Found       []string // what "earshot check" found
	Took        time.Duration
}

// damageEnv tells a process of this test binary what to do in which directory: "build", "work" or
// the name of one of the killedJobs.
const damageEnv = "EARSHOT_DAMAGE"

// A campaignDir is where the campaign keeps its files.
type campaignDir string

func (c campaignDir) data() string  { return filepath.Join(string(c), "data") }
func (c campaignDir) info() string  { return filepath.Join(string(c), "info.json") }
func (c campaignDir) truth() string { return filepath.Join(string(c), "truth.json") }

// TestDamageProcess is not a test: TestDamage runs it in processes of their own, because damage may
// make a process panic or hang.
func TestDamageProcess(t *testing.T) {
	task, dir, _ := strings.Cut(os.Getenv(damageEnv), " ")
	switch c := campaignDir(dir); task {
	case "":
		testenv.SkipHelper(t, "TestDamage")
	case "build":
		buildDamageData(t, c.data(), c.info())
	case "work":
		newDamageWorker(t, c).run(os.Stdin, os.NewFile(3, "results"))
	default:
		b := &builder{T: t, Rand: rand.New(rand.NewPCG(21, 2)), data: c.data()}
		readJSON(t, c.info(), &b.damageData)
		b.token = b.Tokens["admin"]
		killedJobs[task].run(b, c)
	}
}

// damageTruth is what the undamaged data directory contains.
type damageTruth struct {
	Contents app.Contents // nil while the truth is unknown
	Messages map[app.StreamMessage]app.MessageContent
}

// A damageWorker damages copies of the data directory and starts the service on them.
type damageWorker struct {
	*testing.T
	campaignDir
	damageData
	damageTruth
	scratch string // the copy
}

func newDamageWorker(t *testing.T, c campaignDir) *damageWorker {
	w := &damageWorker{T: t, campaignDir: c}
	readJSON(t, c.info(), &w.damageData)
	if _, err := os.Stat(c.truth()); err == nil {
		readJSON(t, c.truth(), &w.damageTruth)
	}
	var err error
	if w.scratch, err = os.MkdirTemp(string(c), "copy-"); err != nil {
		t.Fatal(err)
	}
	return w
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// run reads numbers of faults, one per line. For each it writes two lines: the fault and its
// result. Number 0 stands for no fault.
func (w *damageWorker) run(numbers, results *os.File) {
	lines := bufio.NewScanner(numbers)
	encode := json.NewEncoder(results)
	if w.Contents == nil {
		w.learnTruth()
	}
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			w.Fatal(err)
		}
		began := time.Now()
		data, f := w.damagedCopy(n)
		if err := encode.Encode(f); err != nil {
			w.Fatal(err)
		}
		result := w.examine(data, n)
		result.Fault, result.Took = f, time.Since(began)
		if err := encode.Encode(result); err != nil {
			w.Fatal(err)
		}
	}
}

// learnTruth reads everything from undamaged copies.
func (w *damageWorker) learnTruth() {
	data, _ := w.damagedCopy(0)
	var err error
	if w.Messages, err = app.StreamMessages(context.Background(), data); err != nil {
		w.Fatal(err)
	}
	data, _ = w.damagedCopy(0)
	w.start(data, nil)
	writeJSON(w.T, w.campaignDir.truth(), w.damageTruth)
}

// damagedCopy copies the data directory and applies a fault to the copy.
func (w *damageWorker) damagedCopy(n int) (data string, f fault) {
	data = filepath.Join(w.scratch, "data")
	if err := os.RemoveAll(data); err != nil {
		w.Fatal(err)
	}
	if err := os.CopyFS(data, os.DirFS(w.data())); err != nil {
		w.Fatal(err)
	}
	if n == 0 {
		return data, fault{Part: "none", Action: "no fault"}
	}
	return data, newFault(w.T, data, n)
}

// examine checks the data, starts the service and compares everything with the truth.
func (w *damageWorker) examine(data string, n int) faultResult {
	before := fileHashes(w.T, data)
	check, err := operate.Check(context.Background(), damageConfig(data), nil)
	changes := changedFiles(before, fileHashes(w.T, data))
	r := w.start(data, before)
	switch {
	case err != nil:
		r.Outcome, r.Message = outcomeMissed, "check failed: "+err.Error()
	case len(changes) > 0:
		r.Outcome, r.Differences = outcomeMissed, changes
	case r.Outcome != outcomeHarmless && len(check.Findings) == 0:
		r.Outcome = outcomeMissed
	}
	if check != nil {
		for _, f := range check.Findings {
			r.Found = append(r.Found, f.String())
		}
	}
	var problems []string
	switch r.Outcome {
	case outcomeRefused:
		problems = w.repair(data)
	case outcomeDegraded:
		data, _ = w.damagedCopy(n) // the comparison has changed the first one
		problems = w.repairSegments(data)
	}
	if len(problems) > 0 {
		r.Outcome, r.Differences = outcomeRepair, problems
	}
	return r
}

// start starts the service and compares everything with the truth.
func (w *damageWorker) start(data string, before map[string]string) (r faultResult) {
	log := &errorLog{}
	a, err := app.Open(context.Background(), damageConfig(data), damageOptions(slog.New(log)))
	if err == nil {
		defer a.Close()
		err = a.Ready(context.Background())
	}
	if err != nil {
		return refused(err, changedFiles(before, fileHashes(w.T, data)))
	}
	got, err := w.observe(context.Background(), a)
	if err != nil {
		return faultResult{Outcome: outcomeSilent, Message: log.String(), Differences: []string{"cannot be read: " + err.Error()}}
	}
	if w.Contents == nil {
		w.Contents = got
	}
	r = faultResult{Outcome: outcomeHarmless, Differences: got.Differences(w.Contents), Message: log.String()}
	if len(r.Differences) == 0 {
		return r
	}
	quarantined, err := a.Quarantined(context.Background())
	switch {
	case err == nil && quarantined > 0 && onlyPosts(r.Differences):
		r.Outcome = outcomeDegraded
	case r.Message != "":
		r.Outcome = outcomeLogged
	default:
		r.Outcome = outcomeSilent
	}
	return r
}

// onlyPosts reports whether only posts differ, and what is derived from them.
func onlyPosts(differences []string) bool {
	for _, d := range differences {
		kind, _, _ := strings.Cut(d, " ")
		switch kind {
		case "post", "posts", "set", "query", "probe":
		default:
			return false
		}
	}
	return true
}

// changedFiles lists the files whose checksums differ.
func changedFiles(before, after map[string]string) (changed []string) {
	for name, hash := range before {
		if after[name] != hash {
			changed = append(changed, name+" was changed")
		}
	}
	for name := range after {
		if before[name] == "" {
			changed = append(changed, name+" was created")
		}
	}
	return changed
}

// refused returns the outcome of a start that failed.
func refused(err error, changed []string) faultResult {
	r := faultResult{Outcome: outcomeRefused, Message: err.Error(), Differences: changed}
	var damage *integrity.DamageError
	switch {
	case len(r.Differences) > 0:
		r.Outcome = outcomeModified
	case !errors.As(err, &damage):
		r.Outcome = outcomeUnclear
	}
	return r
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileHashes returns the checksum of each file, except for locks.
func fileHashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.EqualFold(strings.TrimPrefix(filepath.Ext(d.Name()), "."), "lock") || strings.EqualFold(d.Name(), "lock") {
			return err
		}
		content, err := os.ReadFile(path)
		hashes[path[len(dir)+1:]] = fmt.Sprint(len(content), crc32.Checksum(content, castagnoli))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hashes
}

func writeJSON(t *testing.T, file string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
