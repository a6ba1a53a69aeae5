package app

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"earshot/internal/config"
	"earshot/internal/operate"
)

func copyStore(ctx context.Context, cfg config.Config, toLocal bool, report func(string, int64, int64)) (int64, error) {
	return operate.CopyStore(ctx, cfg, operate.StoreCopyOptions{ToLocal: toLocal, Log: testOptions(io.Discard).Log, Report: report})
}

// TestClickHouseStoreCopy moves an installation to ClickHouse and back. Each time, the copy is
// interrupted, the service does not start with half of it, and continues with all of it.
func TestClickHouseStoreCopy(t *testing.T) {
	inDatabase := clickHouseConfig(t)
	inDirectory := inDatabase
	inDirectory.Store = config.LocalStore
	a := open(t, inDirectory, io.Discard)
	ready(t, a)
	f := newFixture(t, a)
	for _, guid := range []string{"1", "2", "3", "2"} {
		f.upload(t, a, guid)
	}
	if got := f.volume(t, a); got != "3" {
		t.Fatalf("got %s documents, want 3", got)
	}
	_, err := copyStore(t.Context(), inDatabase, false, nil)
	wantError(t, "copy while the service runs", err, "the service is running")
	a.Close()

	for _, toLocal := range []bool{false, true} {
		target, want := inDatabase, "4"
		if toLocal {
			target, want = inDirectory, "5"
		}
		ctx, interrupt := context.WithCancel(t.Context())
		_, err := copyStore(ctx, inDatabase, toLocal, func(stage string, _, _ int64) {
			if stage == "copying sets" {
				interrupt()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted copy: %v", err)
		}
		wantError(t, "start with half of the posts", openError(target), "a copy of posts has not finished")
		var stages []string
		posts, err := copyStore(t.Context(), inDatabase, toLocal, func(stage string, done, total int64) { stages = append(stages, stage) })
		if err != nil || posts != int64(want[0]-'1') {
			t.Fatalf("copied %d posts, %v", posts, err)
		}
		if stages[0] == "copying posts" || stages[len(stages)-1] != "comparing sets" {
			t.Errorf("stages: %v", stages)
		}
		_, err = copyStore(t.Context(), inDatabase, toLocal, nil)
		wantError(t, "copy again", err, "already")

		a := open(t, target, io.Discard)
		ready(t, a)
		f.upload(t, a, want)
		if got := f.volume(t, a); got != want {
			t.Errorf("after the copy and another upload: got %s documents, want %s", got, want)
		}
		a.Close()
		if !toLocal {
			if r, err := operate.Check(t.Context(), inDatabase, nil); err != nil || len(r.Findings) > 0 {
				t.Errorf("check with the posts of before in the directory: %+v, %v", r, err)
			}
			_, err := copyStore(t.Context(), inDatabase, true, nil)
			wantError(t, "copy back over the posts of before", err, "there are posts in "+operate.PostsDir(inDatabase)+" already")
			if err := os.RemoveAll(operate.PostsDir(inDatabase)); err != nil {
				t.Fatal(err)
			}
		}
	}

	other := testConfig(t)
	other.Store = inDatabase.Store
	b := open(t, configWith(other, config.LocalStore), io.Discard)
	b.Close()
	_, err = copyStore(t.Context(), other, false, nil)
	wantError(t, "copy to the database of another installation", err, "has posts already")
	if err := os.RemoveAll(operate.PostsDir(other)); err != nil {
		t.Fatal(err)
	}
	_, err = copyStore(t.Context(), other, true, nil)
	wantError(t, "copy from the database of another installation", err, "has the posts of installation")
}

// configWith returns settings with another store.
func configWith(cfg config.Config, store string) config.Config {
	cfg.Store = store
	return cfg
}
