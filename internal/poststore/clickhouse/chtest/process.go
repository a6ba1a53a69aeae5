package chtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A Process is the engine in a process of its own, for tests that kill it.
type Process struct {
	URL string // stays the same when the process is restarted
	dir string
	p   *process // nil if it does not run
}

// Start starts the engine on the data in a directory, which may be empty. It skips the test if the
// engine is not installed. The process ends with the test.
func Start(t testing.TB, dir string) *Process {
	t.Helper()
	install(t)
	p, err := start(dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	running := &Process{URL: p.url, dir: dir, p: p}
	t.Cleanup(func() { running.Kill(t) })
	return running
}

// Open returns an empty database in this process.
func (p *Process) Open(t testing.TB) *Server {
	t.Helper()
	return open(t, p.URL)
}

// Kill kills the process with SIGKILL and waits until it has ended. It has no effect if the process
// does not run.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if p.p == nil {
		return
	}
	p.p.kill()
	p.p = nil
}

// Restart kills the process if it runs, and starts it again on the same data and the same URL.
func (p *Process) Restart(t testing.TB) {
	t.Helper()
	p.Kill(t)
	started, err := start(p.dir, strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	p.p = started
}

// A process is a running chdbserver.
type process struct {
	url string
	cmd *exec.Cmd
	log *log
}

// start starts the program and waits until it is ready.
func start(dir, address string, flags ...string) (*process, error) {
	files, err := program()
	if err != nil {
		return nil, err
	}
	args := append([]string{"-library", files.library, "-data", dir, "-listen", address}, flags...)
	p := &process{cmd: exec.Command(files.server, args...), log: new(log)}
	p.cmd.Dir = dir // the engine writes files to its working directory
	p.cmd.Stderr = p.log
	// The program ends when this pipe is closed, which the kernel does if the test binary ends.
	if _, err := p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("start the ClickHouse engine: %w\n%s", errors.Join(err), p.log)
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	p.url = strings.TrimSpace(line)
	return p, nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // fails: it was killed
}

// A log keeps the start of what the program logs.
type log struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

// Write implements io.Writer.
func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.text) < 64<<10 {
		l.text = append(l.text, b...)
	}
	return len(b), nil
}

// String returns the text.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
