package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestClickHouseStoreCopy(t *testing.T) {
	url, data := storeURL(t), storedData(t)
	got := world{}.run(t.Context(), "", "store", "copy", "--data", data, "--to", url)
	want := result{exitOK, fmt.Sprintf("Copied 0 posts. All of them are the same.\nChange the setting store to %s and start the service. Then remove the directory posts in %s.\n", url, data),
		"copying posts\ncopying snapshots\nfinishing the copy\ncomparing sets: 1 of 1\n"}
	if got != want {
		t.Errorf("to ClickHouse: got %+v, want %+v", got, want)
	}
	if err := os.Rename(filepath.Join(data, "posts"), filepath.Join(data, "posts.old")); err != nil {
		t.Fatal(err)
	}
	got = world{}.run(t.Context(), "", "store", "copy", "--data", data, "--store", url, "--to", "local")
	want.out = "Copied 0 posts. All of them are the same.\nChange the setting store to local and start the service. Then remove the database.\n"
	if got != want {
		t.Errorf("to the data directory: got %+v, want %+v", got, want)
	}
}

func TestStoreCopyUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		got := world{}.run(t.Context(), "", append([]string{"store", "copy", "--data", t.TempDir()}, args...)...)
		if want := (result{exitUsage, "", want}); got.code != want.code || got.out != "" || len(got.err) < len(want.err) || got.err[:len(want.err)] != want.err {
			t.Errorf("%v: got %+v, want %+v", args, got, want)
		}
	}
	const url = "clickhouse://h/d"
	f("earshot: the command needs --from or --to")
	f("earshot: one of --from and --to must be local", "--from", url, "--to", url)
	f("earshot: one of --from and --to must be local", "--from", "local", "--to", "local")
	f("earshot: the command needs the URL of a ClickHouse database", "--from", "local")
}
