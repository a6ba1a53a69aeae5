// Package processtest runs the real earshot program in tests: it builds the binary, starts it,
// reads its log, and kills it. What tests send to the service is up to them.
package processtest

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// AdminPassword is the password of the first user of a service that Start starts.
const AdminPassword = "correct horse battery"

// Version is the version of the program that Build returns.
const Version = "test"

// programVariable names a file with the program that users run, so that not every test builds it.
const programVariable = "EARSHOT_TEST_PROGRAM"

// Build returns the program that users run. Unless make test has built it before, Build builds it,
// and the end of the test removes it.
func Build(t testing.TB) string {
	t.Helper()
	if built := prebuilt(t); built != "" {
		return built
	}
	binary := filepath.Join(t.TempDir(), "earshot")
	BuildAs(t, binary, Version)
	return binary
}

// prebuilt returns the program that make test has built, or "".
func prebuilt(t testing.TB) string {
	t.Helper()
	built := os.Getenv(programVariable)
	if built == "" {
		return ""
	}
	// Go caches the results of tests. Looking at the file makes the program one of their inputs.
	if _, err := os.Stat(built); err != nil {
		t.Fatal(err)
	}
	return built
}

// BuildAs builds a version of the program as a file, with additional arguments of go build.
func BuildAs(t testing.TB, binary, version string, args ...string) {
	t.Helper()
	if built := prebuilt(t); built != "" && version == Version {
		if err := os.Symlink(built, binary); err != nil {
			t.Fatal(err)
		}
		return
	}
	flags := append([]string{"build", "-o", binary, "-ldflags", "-s -w -X main.version=" + version}, args...)
	build := exec.Command("go", append(flags, "earshot/cmd/earshot")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
}

// Serve returns the command that serves a data directory without rate limits. Later flags override
// earlier ones.
func Serve(binary, data string, flags ...string) *exec.Cmd {
	cmd := exec.Command(binary, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--rate-limit", "0",
		"--manage-rate-limit", "0", "--log-format", "text"}, flags...)...)
	cmd.Env = append(os.Environ(), "EARSHOT_ADMIN_PASSWORD="+AdminPassword)
	return cmd
}

// A Process is a running service. The end of the test kills it.
type Process struct {
	Cmd    *exec.Cmd
	Log    *Log
	Exited chan struct{} // closed when it has ended
	Dying  atomic.Bool   // set before Kill kills it: from then on, requests may fail
}

// Start starts a command that serves.
func Start(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, Log: newLog(), Exited: make(chan struct{})}
	p.Cmd.Stderr = p.Log
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.Cmd.Wait()
		close(p.Exited)
	}()
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		<-p.Exited
	})
	return p
}

// AwaitReady waits until the service is ready, and returns its address: "127.0.0.1:8080".
func (p *Process) AwaitReady(t testing.TB, limit time.Duration) string {
	t.Helper()
	select {
	case address := <-p.Log.ready:
		return address
	case <-p.Exited:
		t.Fatalf("the service exited before it was ready:\n%s", p.Log)
	case <-time.After(limit):
		t.Fatalf("the service was not ready within %v:\n%s", limit, p.Log)
	}
	return ""
}

// Kill ends the process abruptly, like a power failure. The process must still be running.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	select {
	case <-p.Exited:
		t.Fatalf("the service exited before the kill: %v\n%s", p.Cmd.ProcessState, p.Log)
	default:
	}
	p.Dying.Store(true)
	if err := p.Cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-p.Exited
}

// Stop shuts the service down properly.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.Dying.Store(true)
	if err := p.Cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("on a stop signal, the service exited with %d:\n%s", code, p.Log)
	}
}

// Noise returns text without vowels, which compresses poorly and matches no keyword.
func Noise(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "bcdfghjklmnpqrstvwxz0123456789    "[r.IntN(34)]
	}
	return string(b)
}
