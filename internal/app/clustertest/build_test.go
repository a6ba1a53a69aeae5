package clustertest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"earshot/internal/app/processtest"
	"earshot/internal/test/testenv"
)

// binaries is the directory of programs that several tests use.
var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "clustertest")
	if err != nil {
		panic(err)
	}
	binaries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build returns the program. Its version is "test".
func build(t testing.TB) string {
	t.Helper()
	return buildVersion(t, processtest.Version)
}

// buildVersion builds the program with a version, once for all tests.
func buildVersion(t testing.TB, version string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		testenv.SkipMissing(t, "needs Linux, to pause processes")
	}
	binary := filepath.Join(binaries, version)
	if _, err := os.Stat(binary); err != nil {
		processtest.BuildAs(t, binary, version)
	}
	return binary
}

// skewVariable is how many seconds the clock of a process of buildSkewed is ahead.
const skewVariable = "CLUSTERTEST_CLOCK_SKEW"

// buildSkewed builds a program whose clock can be wrong. The compiler gets another version of
// package time, so that every part of the program sees the wrong time, NATS too, and none of them
// has code for it.
func buildSkewed(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const declaration, reading = "func Now() Time {", "sec, nsec, mono := runtimeNow()"
	start := strings.Index(string(text), declaration)
	if start < 0 || !strings.Contains(string(text)[start:], reading) {
		t.Fatalf("%s reads the clock in another way: change buildSkewed", source)
	}
	changed := string(text)[:start] + strings.Replace(string(text)[start:], reading, reading+"\n\tsec += clockSkew", 1) + `
// clockSkew is how many seconds the clock is ahead.
var clockSkew = func() (n int64) {
	s, _ := syscall.Getenv("` + skewVariable + `")
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	for _, c := range []byte(s) {
		n = 10*n + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n
}()
`
	changed = strings.Replace(changed, "import (", "import (\n\t\"syscall\"", 1)
	dir := t.TempDir()
	replacement, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{source: replacement}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{replacement: changed, overlay: string(replaced)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(t.TempDir(), "skewed")
	processtest.BuildAs(t, binary, "skewed", "-overlay", overlay)
	return binary
}

// writeArtifact writes a file that helps to find out why a test has failed.
func writeArtifact(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(t.ArtifactDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Error(err)
		return
	}
	t.Logf("see %s (kept with -artifacts)", path)
}
