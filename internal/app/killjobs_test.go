package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/operate"
	"earshot/internal/operate/backup"
	"earshot/internal/test/testenv"
)

// A killedJob is work that a process does. If the process is killed, another one repeats the work.
type killedJob struct {
	prepare func(t *testing.T, c campaignDir) // runs before the first process; may be nil
	run     func(b *builder, c campaignDir)   // runs in the process
	finish  func(t *testing.T, c campaignDir) // runs after the last process; may be nil

	// repeats means that a repeated run repeats requests, which the catalog counts.
	repeats bool
}

// killedJobs lists the jobs by name.
var killedJobs map[string]killedJob

func init() { // breaks an initialization cycle
	killedJobs = map[string]killedJob{
		"training":   {run: trainAgain, repeats: true},
		"rematching": {run: rematchAll, repeats: true},
		"backup":     {run: backUp, finish: restoreBackup},
		"repair":     {prepare: damageBlocks, run: repairData, repeats: true},
		"restore":    {prepare: prepareRestore, run: func(b *builder, c campaignDir) { restoreTo(b.T, c) }},
	}
}

// TestKilledJobs kills processes at random times while they train, rematch, back up, restore and
// repair, and repeats the job until it is done. The result must be the same as that of an undisturbed run.
func TestKilledJobs(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("kills processes")
	}
	kills := 3
	if testenv.Long() {
		kills = 50
	}
	origin := newCampaign(t).dir
	for name, job := range killedJobs {
		t.Run(name, func(t *testing.T) {
			want, _, took := job.result(t, origin, name, 0, 0)
			got, killed, _ := job.result(t, origin, name, kills, took)
			for _, difference := range got.Differences(want) {
				if !dependsOnTiming(difference) && (!job.repeats || !repeatable(difference, want)) {
					t.Error(difference)
				}
			}
			t.Logf("%d kills within %v", killed, took.Round(time.Millisecond))
		})
	}
}

// result runs a job on a copy of a data directory, kills it several times within a duration, and
// returns everything that is stored in the end, the number of kills and the duration of the last
// process.
func (j killedJob) result(t *testing.T, origin campaignDir, name string, kills int, within time.Duration) (_ app.Contents, killed int, took time.Duration) {
	t.Helper()
	c := origin.clone(t)
	if j.prepare != nil {
		j.prepare(t, c)
	}
	killed = c.killRepeatedly(t, name, kills, within)
	began := time.Now()
	c.complete(t, name)
	took = time.Since(began)
	if j.finish != nil {
		j.finish(t, c)
	}
	return c.contents(t), killed, took
}

// dependsOnTiming reports whether something differs between undisturbed runs: how the posts of a
// stream are packed into messages, when a restored stream continues, and up to which position the
// baseline was saved. TestKills compares the posts of streams.
func dependsOnTiming(difference string) bool {
	for _, prefix := range []string{"stream message ", "stream jumps", "catalog baseline"} {
		if strings.HasPrefix(difference, prefix) {
			return true
		}
	}
	return false
}

// repeatable reports whether something may differ because a request or a repair was repeated: the
// audit log, the numbers of models, the next IDs, and when dead letters were appended again.
func repeatable(difference string, want app.Contents) bool {
	kind, _, _ := strings.Cut(difference, " ")
	switch kind {
	case "catalog", "generation":
		return true
	case "dead", "journal":
		name, values, _ := strings.Cut(difference, ": ")
		position := name[strings.LastIndex(name, " ")+1:]
		return want["dead letter "+position] != "" && strings.HasPrefix(values, "got ")
	}
	return strings.HasPrefix(difference, "probe team")
}

// clone copies the data directory to a new campaign directory.
func (c campaignDir) clone(t *testing.T) campaignDir {
	t.Helper()
	dir, err := os.MkdirTemp(fastDisk(), "earshot-killed-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.CopyFS(dir, os.DirFS(string(c))); err != nil {
		t.Fatal(err)
	}
	return campaignDir(dir)
}

// killRepeatedly runs a job and kills it at random times within a duration.
func (c campaignDir) killRepeatedly(t *testing.T, name string, kills int, within time.Duration) (killed int) {
	t.Helper()
	r := rand.New(rand.NewPCG(21, 3))
	for range kills {
		p := c.process(name)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(r.Float64()*float64(within)), func() { p.Process.Kill() })
		if err := p.Wait(); err != nil {
			killed++
			if p.ProcessState.Exited() {
				t.Fatalf("%s failed after %d kills: %v", name, killed, err)
			}
		}
		timer.Stop()
	}
	return killed
}

// complete runs a job to its end.
func (c campaignDir) complete(t *testing.T, name string) {
	t.Helper()
	if out, err := c.process(name).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// contents starts the service and returns everything that it stores, and files that a crash left.
func (c campaignDir) contents(t *testing.T) app.Contents {
	t.Helper()
	var known damageData
	readJSON(t, c.info(), &known)
	a, err := app.Open(t.Context(), damageConfig(c.data()), damageOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := known.observe(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(c.data(), ".*"))
	for _, name := range left {
		got["file "+filepath.Base(name)] = "left behind"
	}
	return got
}

// trainAgain adds training posts and waits until all posts are categorized.
func trainAgain(b *builder, _ campaignDir) {
	b.run(func() {
		b.do("POST", fmt.Sprintf("%s/%d/training", "/manage/v1/monitors", b.Why), b.lessons("Taste", 30, 300))
		b.awaitMatched()
	})
}

// rematchAll changes monitors and waits until all posts are matched.
func rematchAll(b *builder, _ campaignDir) {
	b.run(func() {
		for i, id := range b.Monitors[:2] {
			b.do("PATCH", fmt.Sprintf("%s/%d", "/manage/v1/monitors", id), fmt.Sprintf(`{"keywords":%q}`, []string{"milk OR sugar", "rich taste"}[i]))
		}
		b.awaitMatched()
	})
}

// damageBlocks damages the journal and the catalog.
func damageBlocks(t *testing.T, c campaignDir) {
	t.Helper()
	for _, stream := range []string{"JOURNAL", "KV_catalog"} {
		file := filepath.Join(c.data(), "nats", "jetstream", "$G", "streams", stream, "msgs", "1.blk")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		clear(content[len(content)/2:][:512])
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// repairData repairs the data unless it is already repaired.
func repairData(b *builder, _ campaignDir) {
	_, err := repairAll(context.Background(), b.data)
	b.must(err)
}

func (c campaignDir) backup() string { return filepath.Join(string(c), "backup") }

// backUp writes a backup unless it is complete.
func backUp(b *builder, c campaignDir) {
	if _, err := os.Stat(c.backup()); err == nil {
		return
	}
	part := c.backup() + ".part"
	b.must(os.RemoveAll(part))
	b.run(func() {
		r := httptest.NewRequest("POST", "/manage/v1/backup", nil)
		r.Header.Set("Authorization", "Bearer "+b.token)
		w := httptest.NewRecorder()
		b.app.Handler().ServeHTTP(w, r)
		_, err := backup.Unpack(w.Body, part)
		b.must(err)
	})
	b.must(os.Rename(part, c.backup()))
}

// prepareRestore makes a backup and moves the data away.
func prepareRestore(t *testing.T, c campaignDir) {
	t.Helper()
	c.complete(t, "backup")
	if err := os.Rename(c.data(), c.data()+".before"); err != nil {
		t.Fatal(err)
	}
}

// restoreBackup replaces the data with the backup, after a check that the backup changed nothing.
func restoreBackup(t *testing.T, c campaignDir) {
	t.Helper()
	before := c.contents(t)
	if err := os.Rename(c.data(), c.data()+".before"); err != nil {
		t.Fatal(err)
	}
	restoreTo(t, c)
	restored := c.clone(t).contents(t)
	for _, c := range []app.Contents{before, restored} {
		delete(c, "catalog baseline") // may lack the last seconds
		delete(c, "stream jumps")     // numbers after a restore are new
	}
	for _, difference := range restored.Differences(before) {
		t.Error("the backup differs from the data: " + difference)
	}
}

// restoreTo restores the backup unless it is already restored.
func restoreTo(t *testing.T, c campaignDir) {
	t.Helper()
	_, err := operate.Restore(context.Background(), c.backup(), damageConfig(c.data()), slog.New(slog.DiscardHandler))
	if err != nil && !strings.Contains(err.Error(), "is not empty") {
		t.Fatal(err)
	}
}
