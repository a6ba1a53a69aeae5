// Package chtest runs the ClickHouse engine in tests. The engine is the chDB library, which has no
// server of its own; chdbserver, a small program, serves it over HTTP like a ClickHouse server. Tests
// of a package share one process, and each test has a database of its own.
//
// Install the engine with `scripts/tools clickhouse`. Tests are skipped if it is missing, or fail if
// EARSHOT_CLICKHOUSE=required. The library has no replication, no Keeper and no other servers, so
// tests cover neither Replicated nor Distributed tables.
package chtest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A Server is a database of the engine.
type Server struct {
	URL      string
	Database string
}

// memoryDir is a file system in memory, where creating and dropping tables is ten times as fast.
const memoryDir = "/dev/shm"

// shared is the process that all tests of a package use. It ends with the test binary.
var shared = sync.OnceValues(func() (*process, error) {
	dir, err := os.MkdirTemp(memoryDir, "earshot-clickhouse-")
	if err != nil {
		dir, err = os.MkdirTemp("", "earshot-clickhouse-")
	}
	if err != nil {
		return nil, err
	}
	return start(dir, "127.0.0.1:0", "-remove")
})

// Open returns an empty database in a process that tests share. The database is dropped when the test
// ends. Open skips the test if the engine is not installed.
func Open(t testing.TB) *Server {
	t.Helper()
	install(t)
	p, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, p.url)
}

// databases counts the databases of this test binary.
var databases atomic.Int64

func open(t testing.TB, address string) *Server {
	t.Helper()
	s := &Server{URL: address, Database: fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1))}
	if err := execute(address, "CREATE DATABASE "+s.Database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Without SYNC: that would wait for statements that the test has canceled.
		if err := execute(address, "DROP DATABASE "+s.Database); err != nil {
			t.Log(err) // the test may have killed the process
		}
	})
	return s
}

// execute runs a statement.
func execute(address, sql string) error {
	resp, err := http.Post(address+"/?"+url.Values{"database": {"default"}}.Encode(), "text/plain", strings.NewReader(sql))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", sql, text)
	}
	return nil
}
