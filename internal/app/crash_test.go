package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAcknowledgedUploadsSurviveAKill runs the real binary, kills it with
// SIGKILL the moment an upload is answered, while others are under way, and
// counts after a restart. Everything acknowledged must be there, once; of what was
// not acknowledged, whole uploads or nothing.
func TestAcknowledgedUploadsSurviveAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills the real binary")
	}
	const rounds, writers, perUpload = 6, 3, 50
	binary, data := buildBinary(t), t.TempDir()

	p := start(t, binary, data)
	token := p.signIn(t)
	team := p.post(t, "/manage/v1/teams?auth="+token, `{"name":"Crash"}`)["id"]
	monitor := p.post(t, "/manage/v1/monitors?auth="+token,
		fmt.Sprintf(`{"name":"All","team":%v,"keywords":"survivor","start":"2026-03-01"}`, team))["id"]
	source := p.post(t, "/api/content/sources?auth="+token, fmt.Sprintf(`{"name":"Crash","teamid":"%v"}`, team))["contentSource"].(map[string]any)["id"]

	acknowledged := map[string]bool{}
	for round := range rounds {
		var mu sync.Mutex
		var wait sync.WaitGroup
		first := make(chan struct{}, writers)
		for w := range writers {
			wait.Go(func() {
				for n := 0; ; n++ {
					name := fmt.Sprintf("r%dw%dn%d", round, w, n)
					if !p.upload(token, source, name, perUpload) {
						return
					}
					mu.Lock()
					acknowledged[name] = true
					mu.Unlock()
					first <- struct{}{}
				}
			})
		}
		for range round + 1 { // a little later each round
			<-first
		}
		p.kill(t)
		go func() { // writers may still report
			for range first {
			}
		}()
		wait.Wait()
		close(first)

		p = start(t, binary, data)
		found := p.stored(t, token, monitor)
		for name := range acknowledged {
			if found[name] != perUpload {
				t.Errorf("round %d: upload %s was acknowledged, %d of its %d documents are there", round, name, found[name], perUpload)
			}
		}
		for name, n := range found {
			if n != perUpload {
				t.Errorf("round %d: upload %s is there in part: %d of %d", round, name, n, perUpload)
			}
		}
	}
	p.kill(t)
	if len(acknowledged) < rounds {
		t.Errorf("only %d uploads were acknowledged", len(acknowledged))
	}
	t.Logf("%d uploads were acknowledged in %d rounds", len(acknowledged), rounds)
}

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

// A process is a running binary.
type process struct {
	cmd     *exec.Cmd
	address string
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// start runs the binary and returns when it is ready.
func start(t *testing.T, binary, data string) *process {
	t.Helper()
	cmd := exec.Command(binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "text")
	cmd.Env = append(os.Environ(), "EARSHOT_ADMIN_PASSWORD="+adminPassword)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd}
	t.Cleanup(func() { cmd.Process.Kill() })
	var log strings.Builder
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		fmt.Fprintln(&log, lines.Text())
		if found := readyLine.FindStringSubmatch(lines.Text()); found != nil {
			p.address = "http://" + found[1]
			go io.Copy(io.Discard, stderr)
			return p
		}
	}
	t.Fatalf("the service did not become ready:\n%s", &log)
	return nil
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.cmd.Wait()
}

func (p *process) signIn(t *testing.T) string {
	t.Helper()
	answer := p.post(t, "/manage/v1/tokens", fmt.Sprintf(`{"username":"admin","password":%q,"noExpiration":true}`, adminPassword))
	return answer["auth"].(string)
}

func (p *process) post(t *testing.T, path, body string) (answer map[string]any) {
	t.Helper()
	response, err := http.Post(p.address+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return decodeAnswer(t, response)
}

func decodeAnswer(t *testing.T, response *http.Response) (answer map[string]any) {
	t.Helper()
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %d %v %v", response.Request.URL.Path, response.StatusCode, answer, err)
	}
	return answer
}

// upload sends documents named after the upload and reports whether they were
// acknowledged.
func (p *process) upload(token string, source any, name string, n int) bool {
	var body bytes.Buffer
	body.WriteString(`{"items":[`)
	for i := range n {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"guid":"%s-%d","date":"2026-03-02T12:00:00","contents":"survivor","author":"%s"}`, name, i, name)
	}
	body.WriteString(`]}`)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request, _ := http.NewRequestWithContext(ctx, "POST",
		fmt.Sprintf("%s/api/content/upload?auth=%s&documentType=%v", p.address, url.QueryEscape(token), source), &body)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return err == nil && response.StatusCode == 200 && bytes.Contains(answer, []byte(`"status":"success"`))
}

// stored counts the documents of each upload.
func (p *process) stored(t *testing.T, token string, monitor any) map[string]int {
	t.Helper()
	response, err := http.Get(fmt.Sprintf("%s/api/monitor/posts?auth=%s&id=%v&start=2026-03-01&end=2026-03-04&extendLimit=true",
		p.address, url.QueryEscape(token), monitor))
	if err != nil {
		t.Fatal(err)
	}
	answer := decodeAnswer(t, response)
	posts := answer["posts"].([]any)
	if total, _ := answer["totalPostsAvailable"].(json.Number).Int64(); total != int64(len(posts)) {
		t.Fatalf("%d posts of %d were returned; make the test smaller", len(posts), total)
	}
	found := map[string]int{}
	for _, post := range posts {
		found[post.(map[string]any)["author"].(string)]++
	}
	return found
}
