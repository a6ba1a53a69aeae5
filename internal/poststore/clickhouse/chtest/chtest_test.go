package chtest_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"earshot/internal/poststore/clickhouse/chtest"
)

// query runs a statement and returns its output.
func query(t *testing.T, s *chtest.Server, sql string) string {
	t.Helper()
	resp, err := http.Post(s.URL+"/?database="+s.Database, "text/plain", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", sql, b, err)
	}
	return strings.TrimSpace(string(b))
}

func TestDatabases(t *testing.T) {
	a, b := chtest.Open(t), chtest.Open(t)
	for i, s := range []*chtest.Server{a, b} {
		query(t, s, "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n")
		query(t, s, fmt.Sprintf("INSERT INTO t VALUES (%d)", i))
	}
	if got := query(t, a, "SELECT n FROM t") + query(t, b, "SELECT n FROM t"); got != "01" {
		t.Errorf("got %q, want 01", got)
	}
	if got := query(t, a, "SELECT count() FROM "+b.Database+".t"); got != "1" {
		t.Errorf("got %q, want 1", got)
	}
}

func TestRestart(t *testing.T) {
	p := chtest.Start(t, t.TempDir())
	s := p.Open(t)
	query(t, s, "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10, fsync_after_insert = 1")
	insert := "INSERT INTO t SETTINGS insert_deduplication_token = 'a', async_insert = 0 VALUES (1)"
	query(t, s, insert)
	for range 2 {
		p.Kill(t)
		if _, err := http.Get(p.URL + "/ping"); err == nil {
			t.Error("a killed process answers")
		}
		p.Restart(t)
		query(t, s, insert) // the engine remembers the token
		if got := query(t, s, "SELECT count() FROM t"); got != "1" {
			t.Errorf("%s rows after a restart, want 1", got)
		}
	}
}

// startVariable makes TestProcessEnds start a process and end without cleaning up.
const startVariable = "EARSHOT_CHTEST_START"

func TestProcessEnds(t *testing.T) {
	if os.Getenv(startVariable) != "" {
		fmt.Println("url", chtest.Open(t).URL)
		os.Exit(1)
	}
	chtest.Open(t) // skips the test
	cmd := exec.Command(os.Args[0], "-test.run", "^TestProcessEnds$")
	cmd.Env = append(os.Environ(), startVariable+"=1")
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var url string
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if after, ok := strings.CutPrefix(lines.Text(), "url "); ok {
			url = after
		}
	}
	_ = cmd.Wait() // ends with status 1
	if url == "" {
		t.Fatal("the other test did not start a process")
	}
	for { // until the process has noticed that its parent has ended
		resp, err := http.Get(url + "/ping")
		if err != nil {
			return
		}
		resp.Body.Close()
	}
}
