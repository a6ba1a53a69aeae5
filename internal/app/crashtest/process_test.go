package crashtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"earshot/internal/app/processtest"
	"earshot/internal/test/testenv"
)

// buildBinary builds the program that users run.
func buildBinary(t *testing.T) string {
	t.Helper()
	return processtest.Build(t)
}

// A process is a running binary and a client of it. When it is killed, concurrent calls return
// errors.
type process struct {
	*processtest.Process
	address string // set once it is ready
	client  *http.Client
	waiter  *http.Client // for streaming responses, without a time limit
	token   string       // sent with every request
}

// launch starts the binary on a data directory.
func launch(t *testing.T, binary, data string, flags ...string) *process {
	t.Helper()
	return launchCommand(t, processtest.Serve(binary, data, flags...))
}

// launchCommand starts a command that serves.
func launchCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	return &process{
		Process: processtest.Start(t, cmd),
		client:  &http.Client{Transport: transport, Timeout: 30 * time.Second},
		waiter:  &http.Client{Transport: transport},
	}
}

// readyLimit returns how long a start may take. After many kills, the last one of TestKills
// processes a large journal again.
func readyLimit() time.Duration {
	if testenv.Long() {
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
	p.address = "http://" + p.AwaitReady(t, readyLimit())
	return p
}

// kill ends the process abruptly, like a power failure. The process must still be running.
func (p *process) kill(t *testing.T) {
	t.Helper()
	p.Kill(t)
	p.client.CloseIdleConnections()
}

func (p *process) signIn(t *testing.T) {
	t.Helper()
	var answer struct{ Auth string }
	p.must(t, "POST", "/manage/v1/tokens", fmt.Sprintf(`{"username":"admin","password":%q,"noExpiration":true}`, processtest.AdminPassword), &answer)
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
		t.Fatalf("%s %s: %v\n%s", method, path, err, p.Log)
	}
	if status >= 300 {
		t.Fatalf("%s %s: %d %s\n%s", method, path, status, answer, p.Log)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}
