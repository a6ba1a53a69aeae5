package chtest

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"earshot/internal/test/testenv"
)

// engine is the npm package with the library.
const engine = "@chdb/lib-linux-x64-gnu"

//go:embed npm/package.json
var manifest []byte

// Required reports whether a missing engine is an error, which EARSHOT_CLICKHOUSE=required says.
func Required() bool { return os.Getenv("EARSHOT_CLICKHOUSE") == "required" }

// install makes sure that the engine can run, or ends the test.
func install(t testing.TB) {
	t.Helper()
	_, err := program()
	switch {
	case err == nil:
	case Required():
		t.Fatal(err)
	default:
		testenv.SkipMissing(t, err)
	}
}

// programFiles are the files that a process needs to run.
type programFiles struct {
	server  string // the program
	library string
}

// program finds the library and builds the program, once per test binary. The program is built without
// the race detector, which would see only the few lines of Go in it.
var program = sync.OnceValues(func() (programFiles, error) {
	lib, err := library()
	if err != nil {
		return programFiles{}, err
	}
	server, err := build()
	return programFiles{server: server, library: lib}, err
})

// build builds the program into the cache directory, under a name with its checksum, so that tests of
// several packages and of several versions can build it at once.
func build() (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "chdbserver")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", built, "earshot/internal/poststore/clickhouse/chtest/chdbserver")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build chdbserver, which needs a C compiler: %w\n%s", err, output)
	}
	content, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	name := filepath.Join(cache, fmt.Sprintf("chdbserver-%.8x", sha256.Sum256(content)))
	return name, os.Rename(built, name)
}

// library returns the path of the library: EARSHOT_CHDB, or where scripts/tools installs it.
func library() (string, error) {
	if path := os.Getenv("EARSHOT_CHDB"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("EARSHOT_CHDB: %w", err)
		}
		return path, nil
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", errors.New("the ClickHouse engine for tests runs only on Linux on x86-64")
	}
	var m struct{ Dependencies map[string]string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "chdb-"+m.Dependencies[engine], "node_modules", engine, "libchdb.so")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the ClickHouse engine is not installed, run scripts/tools clickhouse: %w", err)
	}
	return path, nil
}

// cacheDir returns the directory where scripts/tools installs the library.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "earshot"), err
}
