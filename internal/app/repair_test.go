package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/config"
	"earshot/internal/operate"
	"earshot/internal/operate/integrity"
)

// repair repairs a data directory and returns the plan and the result.
// enginesOf opens the engines of a data directory.
func enginesOf(cfg config.Config) func(context.Context) (*operate.Engines, error) {
	return func(ctx context.Context) (*operate.Engines, error) {
		return OpenEngines(ctx, cfg, "", testOptions(io.Discard).Log)
	}
}

func repair(t *testing.T, cfg config.Config) *operate.RepairResult {
	t.Helper()
	r, err := operate.Repair(t.Context(), cfg, operate.RepairOptions{
		Open:    enginesOf(cfg),
		Confirm: func(*operate.RepairPlan) (bool, error) { return true, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantSound checks that the service starts and that nothing is damaged.
func wantSound(t *testing.T, cfg config.Config) *App {
	t.Helper()
	c, err := operate.Check(t.Context(), cfg, nil)
	if err != nil || len(c.Findings) > 0 {
		t.Fatalf("got %+v, %v, want no findings", c, err)
	}
	a := open(t, cfg, io.Discard)
	t.Cleanup(a.Close)
	ready(t, a)
	return a
}

// contentsOf returns the contents of all files below a directory.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestNothingToRepair(t *testing.T) {
	cfg := stopped(t)
	r, err := operate.Repair(t.Context(), cfg, operate.RepairOptions{Open: enginesOf(cfg)})
	if err != nil || !r.Nothing() {
		t.Errorf("got %+v, %v, want nothing to repair", r, err)
	}
	wantSound(t, cfg)
}

func TestRepairOfTheCatalog(t *testing.T) {
	cfg := stopped(t)
	flip(t, cfg, catalogBlocks)
	_, err := Open(context.Background(), cfg, testOptions(io.Discard))
	if _, ok := errors.AsType[*integrity.DamageError](err); !ok {
		t.Fatalf("the service starts with a damaged catalog: %v", err)
	}
	before := contentsOf(t, cfg.Data)
	var plan *operate.RepairPlan
	_, err = operate.Repair(t.Context(), cfg, operate.RepairOptions{
		Open:    enginesOf(cfg),
		Confirm: func(p *operate.RepairPlan) (bool, error) { plan = p; return false, nil },
	})
	if !errors.Is(err, operate.ErrNotConfirmed) || len(plan.Repairs) == 0 || plan.Repairs[0].Part != integrity.Catalog {
		t.Fatalf("got %+v, %v, want a plan to repair the catalog", plan, err)
	}
	for path, data := range contentsOf(t, cfg.Data) {
		if before[path] != data {
			t.Errorf("%s changed before the repair was confirmed", path)
		}
	}
	r := repair(t, cfg)
	if len(r.Lost) == 0 || r.NextID == 0 {
		t.Errorf("got %+v, want that something is lost, and that IDs are skipped", r)
	}
	a := wantSound(t, cfg)
	if next, err := a.catalog.NextIDs(t.Context(), 1); err != nil || next != r.NextID {
		t.Errorf("the next ID is %d, %v, want %d", next, err, r.NextID)
	}
}

func TestRepairOfTheSecret(t *testing.T) {
	cfg := stopped(t)
	if err := os.Remove(cfg.SecretPath()); err != nil {
		t.Fatal(err)
	}
	if r := repair(t, cfg); len(r.Lost) != 1 || r.NextID != 0 {
		t.Errorf("got %+v, want that tokens are lost", r)
	}
	wantSound(t, cfg)
}

func TestRepairRetriesDeadLetters(t *testing.T) {
	cfg := testConfig(t)
	a := running(t, cfg, io.Discard)
	if _, err := a.node.JetStream().Publish(t.Context(), "journal", []byte("garbage")); err != nil {
		t.Fatal(err)
	}
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, err := a.Journal.DeadLetters(t.Context())
	if err != nil || before.Count != 1 {
		t.Fatalf("got %+v, %v, want one dead letter", before, err)
	}
	a.Close()
	if r := repair(t, cfg); r.Plan.DeadLetters != 1 || r.DeadLetters != 1 || len(r.Lost) != 0 {
		t.Errorf("got %+v, want one dead letter", r)
	}
	a = wantSound(t, cfg)
	after, err := a.Journal.DeadLetters(t.Context())
	if err != nil || after.Count != 1 || !after.Recent[0].Time.After(before.Recent[0].Time) {
		t.Errorf("got %+v, %v, want that the entry failed once more", after, err)
	}
}

func TestRepairRefuses(t *testing.T) {
	f := func(name, want string, cfg config.Config) {
		t.Helper()
		_, err := operate.Repair(t.Context(), cfg, operate.RepairOptions{Open: enginesOf(cfg)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	cfg := testConfig(t)
	running(t, cfg, io.Discard)
	f("a running service", "the service is running in "+cfg.Data, cfg)
	missing := testConfig(t)
	missing.Data += "/missing"
	f("a missing directory", "no such file or directory", missing)
}

func TestAnInterruptedRepairIsFinished(t *testing.T) {
	cfg := stopped(t)
	if err := os.WriteFile(filepath.Join(cfg.Data, operate.RepairMarker), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := repair(t, cfg); !r.Plan.Interrupted || r.NextID == 0 {
		t.Errorf("got %+v, want that IDs are skipped, because the first repair may have changed the catalog", r)
	}
	wantSound(t, cfg)
}

func TestRepairRecoversPostsFromTheJournalAndABackup(t *testing.T) {
	for _, source := range []string{"journal", "backup", "nowhere"} {
		t.Run(source, func(t *testing.T) {
			cfg := testConfig(t)
			a := running(t, cfg, io.Discard)
			saved := ""
			if source == "backup" {
				saved = takeBackup(t, a, token(t, a))
			}
			if source != "journal" {
				if err := a.Journal.Trim(t.Context(), a.posts.Durable(), time.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
			a.Close()
			flip(t, cfg, segmentFiles)
			a = open(t, cfg, io.Discard)
			a.scrub.Scrub(t.Context())
			if stats, err := a.posts.Stats(t.Context()); err != nil || len(stats.Quarantined) != 1 || stats.Posts != 0 {
				t.Fatalf("got %+v, %v, want a quarantined segment", stats, err)
			}
			a.Close()
			r, err := operate.Repair(t.Context(), cfg, operate.RepairOptions{
				Backup:  saved,
				Open:    enginesOf(cfg),
				Confirm: func(*operate.RepairPlan) (bool, error) { return true, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			want := int64(1)
			if source == "nowhere" {
				want = 0
			}
			if r.RecoveredPosts != want || r.LostPosts != 1-want || len(r.Plan.Quarantined) != 1 {
				t.Errorf("got %+v, want %d recovered posts", r, want)
			}
			a = open(t, cfg, io.Discard)
			defer a.Close()
			ready(t, a)
			if stats, err := a.posts.Stats(t.Context()); err != nil || stats.Posts != want || len(stats.Quarantined) != int(1-want) {
				t.Errorf("got %+v, %v, want %d posts, and no quarantined segment if none are lost", stats, err, want)
			}
		})
	}
}
