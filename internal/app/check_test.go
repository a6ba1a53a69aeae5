package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/config"
	"earshot/internal/http/client"
	"earshot/internal/operate"
	"earshot/internal/operate/backup"
	"earshot/internal/operate/integrity"
	"earshot/internal/state/natsnode"
)

// running returns a service that has stored a post in a segment.
func running(t *testing.T, cfg config.Config, log io.Writer) *App {
	t.Helper()
	a := open(t, cfg, log)
	t.Cleanup(a.Close)
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "1")
	if err := errors.Join(a.CatchUp(t.Context()), a.files.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	return a
}

// stopped returns the settings of a service that has stored something and was stopped.
func stopped(t *testing.T) config.Config {
	t.Helper()
	cfg := testConfig(t)
	running(t, cfg, io.Discard).Close()
	return cfg
}

// flip changes a byte in the middle of a file that a pattern below the data directory matches.
func flip(t *testing.T, cfg config.Config, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cfg.Data, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	return files[0]
}

const (
	segmentFiles  = "posts/segments/*.seg"
	journalBlocks = "nats/jetstream/$G/streams/JOURNAL/msgs/*.blk"
	catalogBlocks = "nats/jetstream/$G/streams/KV_catalog/msgs/*.blk"
)

func TestCheckOfSoundData(t *testing.T) {
	cfg := stopped(t)
	var done, total int64
	r, err := operate.Check(t.Context(), cfg, func(d, t int64) { done, total = d, t })
	if err != nil || len(r.Findings) != 0 || r.Running {
		t.Fatalf("got %+v, %v, want no findings", r, err)
	}
	if r.Bytes() == 0 || done != r.Bytes() || done != total {
		t.Errorf("verified %d bytes, progress %d of %d, want the same", r.Bytes(), done, total)
	}
}

func TestCheckOfARunningService(t *testing.T) {
	cfg := testConfig(t)
	running(t, cfg, io.Discard)
	r, err := operate.Check(t.Context(), cfg, nil)
	if err != nil || len(r.Findings) != 0 || !r.Running {
		t.Errorf("got %+v, %v, want no findings and that the service is running", r, err)
	}
}

func TestCheckReportsDamage(t *testing.T) {
	f := func(name, part string, damage func(t *testing.T, cfg config.Config) (file string)) {
		t.Run(name, func(t *testing.T) {
			cfg := stopped(t)
			file := damage(t, cfg)
			r, err := operate.Check(t.Context(), cfg, nil)
			if err != nil || len(r.Findings) == 0 {
				t.Fatalf("got %+v, %v, want a finding", r, err)
			}
			if got := r.Findings[0]; got.Part != part || !strings.HasPrefix(got.File, file) || got.Problem == "" {
				t.Errorf("got %+v, want a problem in the %s, file %s", got, part, file)
			}
		})
	}
	f("catalog", integrity.Catalog, func(t *testing.T, cfg config.Config) string { return flip(t, cfg, catalogBlocks) })
	f("journal", integrity.Journal, func(t *testing.T, cfg config.Config) string { return flip(t, cfg, journalBlocks) })
	f("segment", integrity.Posts, func(t *testing.T, cfg config.Config) string { return flip(t, cfg, segmentFiles) })
	f("database of the posts", integrity.Posts, func(t *testing.T, cfg config.Config) string {
		flip(t, cfg, "posts/state/MANIFEST-*")
		return filepath.Join(cfg.Data, "posts", "state")
	})
	f("secret", integrity.Secret, func(t *testing.T, cfg config.Config) string {
		if err := os.Remove(cfg.SecretPath()); err != nil {
			t.Fatal(err)
		}
		return cfg.SecretPath()
	})
	f("short secret", integrity.Secret, func(t *testing.T, cfg config.Config) string {
		if err := os.Truncate(cfg.SecretPath(), 5); err != nil {
			t.Fatal(err)
		}
		return cfg.SecretPath()
	})
	f("unfinished repair", integrity.Directory, func(t *testing.T, cfg config.Config) string {
		if err := os.WriteFile(filepath.Join(cfg.Data, operate.RepairMarker), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return cfg.Data
	})
}

func TestCheckOfAMissingDirectory(t *testing.T) {
	cfg := testConfig(t)
	cfg.Data = filepath.Join(cfg.Data, "missing")
	if _, err := operate.Check(t.Context(), cfg, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the directory does not exist", err)
	}
	if _, err := os.Stat(cfg.Data); err == nil {
		t.Error("the directory was created")
	}
}

func TestNoServiceStartsDuringACheck(t *testing.T) {
	cfg := stopped(t)
	unlock, err := natsnode.Lock(operate.NATSDir(cfg))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), cfg, testOptions(io.Discard)); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("got %v, want that the directory is in use", err)
	}
	unlock.Close()
	open(t, cfg, io.Discard).Close()
}

func TestTheServiceDoesNotStartDuringARepair(t *testing.T) {
	cfg := stopped(t)
	marker := filepath.Join(cfg.Data, operate.RepairMarker)
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), cfg, testOptions(io.Discard)); err == nil || !strings.Contains(err.Error(), "a repair of "+cfg.Data+" has not finished") {
		t.Errorf("got %v, want that a repair has not finished", err)
	}
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
	open(t, cfg, io.Discard).Close()
}

func TestABackupOfDamagedDataFails(t *testing.T) {
	f := func(name, pattern string) {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig(t)
			a := running(t, cfg, io.Discard)
			tok := token(t, a)
			file := flip(t, cfg, pattern)
			server := httptest.NewServer(a.Handler())
			defer server.Close()
			c := &client.Client{Server: server.URL, Token: tok, HTTP: server.Client()}
			body, err := c.Download(t.Context(), client.Request{Method: "POST", Path: "/manage/v1/backup"})
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			_, err = backup.Unpack(body, filepath.Join(t.TempDir(), "backup"))
			if err == nil || !strings.HasPrefix(err.Error(), "the backup failed: ") || !strings.Contains(err.Error(), filepath.Base(file)) {
				t.Errorf("got %v, want that %s is damaged", err, file)
			}
		})
	}
	f("catalog", catalogBlocks)
	f("journal", journalBlocks)
	f("segment", segmentFiles)
}

func TestTheScrubFindsDamageOfARunningService(t *testing.T) {
	cfg := testConfig(t)
	log := &sink{}
	a := running(t, cfg, log)
	file := flip(t, cfg, catalogBlocks)
	segment := flip(t, cfg, segmentFiles)
	a.scrub.Scrub(t.Context())
	r := a.scrub.Report()
	last := len(r.Findings) - 1
	if last < 1 || r.Findings[0].File != file || filepath.Base(r.Findings[last].File) != filepath.Base(segment) || r.Bytes == 0 {
		t.Errorf("got %+v, want the catalog and a segment", r)
	}
	_, status := get(t, a, "/manage/v1/status?auth="+token(t, a))
	if !strings.Contains(status, `"findings":[{"part":"catalog","file":"`+file) {
		t.Errorf("got status %s, want the finding", status)
	}
	_, metrics := get(t, a, "/metrics")
	if !strings.Contains(metrics, fmt.Sprintf("earshot_damage_findings %d\n", len(r.Findings))) || strings.Contains(metrics, "earshot_scrub_bytes_total 0\n") {
		t.Errorf("got metrics %s, want %d findings", metrics, len(r.Findings))
	}
	if !strings.Contains(log.String(), `level=ERROR msg="stored data is damaged" part=catalog`) {
		t.Errorf("got log %s", log)
	}
}
