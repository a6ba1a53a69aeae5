package config

import (
	"strings"
	"testing"
)

func TestClickHouse(t *testing.T) {
	f := func(url string, want ClickHouse) {
		t.Helper()
		c, err := load(t, "", []string{"EARSHOT_STORE=" + url}, nil)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			return
		}
		if got, ok := c.ClickHouse(); !ok || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", url, got, ok, want)
		}
	}
	f("clickhouse://earshot@db:9123/posts", ClickHouse{URL: "http://db:9123", User: "earshot", Database: "posts"})
	f("clickhouse://db/posts", ClickHouse{URL: "http://db:8123", User: "default", Database: "posts"})
	f("clickhouses://a%40b@db.example.com/p_1", ClickHouse{URL: "https://db.example.com:8443", User: "a@b", Database: "p_1", TLS: true})
	f("clickhouse://[::1]:8123/_p", ClickHouse{URL: "http://[::1]:8123", User: "default", Database: "_p"})
	c, err := load(t, "store: local", nil, nil)
	if db, ok := c.ClickHouse(); ok || err != nil {
		t.Errorf("local: got %+v, %v", db, err)
	}
}

func TestStoreSettings(t *testing.T) {
	c, err := load(t, "store: clickhouses://u@h/d\nstore.cluster: eu-1\nstore.memory: 7\nstore.timeout: 8\nstore.ca_file: ca.pem\nstore.password_file: pw\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := New()
	want.Store, want.StoreCluster, want.StoreMemory, want.StoreTimeout = "clickhouses://u@h/d", "eu-1", 7, 8
	want.StoreCAFile, want.StorePasswordFile = "ca.pem", "pw"
	var got, printed strings.Builder
	if err := c.Print(&got); err != nil {
		t.Fatal(err)
	}
	if err := want.Print(&printed); err != nil {
		t.Fatal(err)
	}
	if got.String() != printed.String() {
		t.Errorf("got:\n%s\nwant:\n%s", &got, &printed)
	}
}

func TestStoreSettingErrors(t *testing.T) {
	const allowed = "must be local, or the URL of a ClickHouse database"
	f := func(want string, environ ...string) {
		t.Helper()
		_, err := load(t, "", environ, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", environ, err, want)
		}
	}
	for _, url := range []string{
		"", "clickhouse", "disk", "clickhouse:", "clickhouse:h/d", "clickhouse://", "clickhouse:///d", "clickhouse://h", "clickhouse://h/", "http://h/d", "clickhouse://h/d/e",
		"clickhouse://h/d?x=1", "clickhouse://h/d?", "clickhouse://h/d#x", "clickhouse://h:0/d", "clickhouse://h:65536/d", "clickhouse://h:/d", "clickhouse://h:x/d",
		"clickhouse://@h/d", "clickhouse://h/1d", "clickhouse://h/d-e", "clickhouse://h/%60", "clickhouse://a,b/d", "clickhouse://%00@h/d", "clickhouse://h/" + strings.Repeat("d", 65),
		"CLICKHOUSE", "local ", "clickhouse://h h/d",
	} {
		f(allowed, "EARSHOT_STORE="+url)
	}
	f("setting store.cluster: needs store", "EARSHOT_STORE_CLUSTER=c")
	f("setting store.password_file: needs store", "EARSHOT_STORE_PASSWORD_FILE=c")
	f("setting store.ca_file: needs store to be a URL that starts with clickhouses://", "EARSHOT_STORE_CA_FILE=c", "EARSHOT_STORE=clickhouse://h/d")
	f("setting store.cluster: invalid value", "EARSHOT_STORE=clickhouse://h/d", "EARSHOT_STORE_CLUSTER='c'")
	f("setting store.memory: invalid value", "EARSHOT_STORE_MEMORY=-1")
	f("setting store.timeout: invalid value", "EARSHOT_STORE_TIMEOUT=0")
}

func TestPasswordsInTheURLAreNotShown(t *testing.T) {
	for _, url := range []string{"clickhouse://u:hunter2@h/d", "clickhouse://:hunter2@h/d", "clickhouse://u:hunter2@h h/%%", "http://u:hunter2@h/d", "clickhouse://u:hunter2@x@h/d"} {
		for _, args := range [][]string{nil, {"--store", url}} {
			var environ []string
			if args == nil {
				environ = []string{"EARSHOT_STORE=" + url}
			}
			_, err := load(t, "", environ, args)
			if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "EARSHOT_STORE_PASSWORD") {
				t.Errorf("%s: got %v", url, err)
			}
		}
	}
}
