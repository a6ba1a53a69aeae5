package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// buildBinary builds the program that users run.
func buildBinary(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "earshot")
	build := exec.Command("go", "build", "-o", binary, "earshot/cmd/earshot")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// A process is a running binary. When it is killed, concurrent calls return errors.
type process struct {
	cmd     *exec.Cmd
	log     *processLog
	exited  chan struct{}
	address string // set once it is ready
	client  *http.Client
	waiter  *http.Client // for streaming responses, without a time limit
	token   string       // sent with every request
	dying   atomic.Bool
}

// launch starts the binary on a data directory.
func launch(t *testing.T, binary, data string, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--rate-limit", "0",
		"--manage-rate-limit", "0", "--log-format", "text"}, flags...)...)
	cmd.Env = append(os.Environ(), "EARSHOT_ADMIN_PASSWORD="+adminPassword)
	return launchCommand(t, cmd)
}

// launchCommand starts a command that serves.
func launchCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	p := &process{
		log:    &processLog{ready: make(chan string, 1)},
		exited: make(chan struct{}),
		client: &http.Client{Transport: transport, Timeout: 30 * time.Second},
		waiter: &http.Client{Transport: transport},
		cmd:    cmd,
	}
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.exited
	})
	return p
}

// readyLimit returns how long a start may take. After many kills, the last one of TestKills
// processes a large journal again.
func readyLimit() time.Duration {
	if *long {
		return 10 * time.Minute
	}
	return time.Minute
}

// start runs the binary and returns once it is ready.
func start(t *testing.T, binary, data string, flags ...string) *process {
	t.Helper()
	return launch(t, binary, data, flags...).awaitReady(t)
}

// awaitReady returns once the process is ready.
func (p *process) awaitReady(t *testing.T) *process {
	t.Helper()
	select {
	case address := <-p.log.ready:
		p.address = "http://" + address
	case <-p.exited:
		t.Fatalf("the service exited before it was ready:\n%s", p.log)
	case <-time.After(readyLimit()):
		t.Fatalf("the service was not ready within %v:\n%s", readyLimit(), p.log)
	}
	return p
}

// kill ends the process abruptly, like a power failure. The process must still be running.
func (p *process) kill(t *testing.T) {
	t.Helper()
	select {
	case <-p.exited:
		t.Fatalf("the service exited before the kill: %v\n%s", p.cmd.ProcessState, p.log)
	default:
	}
	p.dying.Store(true)
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-p.exited
	p.client.CloseIdleConnections()
}

func (p *process) signIn(t *testing.T) {
	t.Helper()
	var answer struct{ Auth string }
	p.must(t, "POST", "/manage/v1/tokens", fmt.Sprintf(`{"username":"admin","password":%q,"noExpiration":true}`, adminPassword), &answer)
	p.token = answer.Auth
}

// call sends a request and returns the response. An error means that the request may or may not
// have taken effect.
func (p *process) call(method, path, body string) (status int, answer []byte, err error) {
	status, _, answer, err = p.send(method, path, body)
	return status, answer, err
}

// send is call for callers that need the header.
func (p *process) send(method, path, body string) (status int, header http.Header, answer []byte, err error) {
	request, err := p.request(method, path, body)
	if err != nil {
		return 0, nil, nil, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, response.Header, answer, err
}

func (p *process) request(method, path, body string) (*http.Request, error) {
	request, err := http.NewRequest(method, p.address+path, strings.NewReader(body))
	if err == nil && p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	return request, err
}

// must sends a request that must succeed, and decodes the response.
func (p *process) must(t *testing.T, method, path, body string, into any) {
	t.Helper()
	status, answer, err := p.call(method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, p.log)
	}
	if status >= 300 {
		t.Fatalf("%s %s: %d %s\n%s", method, path, status, answer, p.log)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

// A processLog receives the log of a process and keeps the end of it.
type processLog struct {
	ready chan string // receives the address once it is ready

	mu     sync.Mutex
	lines  []string
	broken []byte // incomplete last line
	errors []string
}

const keptLines = 200

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

func (l *processLog) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, data...)
	for {
		line, rest, whole := bytes.Cut(l.broken, []byte("\n"))
		if !whole {
			return len(data), nil
		}
		l.add(string(line))
		l.broken = bytes.Clone(rest)
	}
}

func (l *processLog) add(line string) {
	if strings.Contains(line, "msg=request ") {
		return
	}
	if len(l.lines) == keptLines {
		l.lines = l.lines[1:]
	}
	l.lines = append(l.lines, line)
	if strings.Contains(line, "level=ERROR") {
		l.errors = append(l.errors, line)
	}
	if found := readyLine.FindStringSubmatch(line); found != nil {
		l.ready <- found[1]
	}
}

// Errors returns the lines that report a failure.
func (l *processLog) Errors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.errors...)
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
