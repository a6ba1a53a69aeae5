package webtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/demo"
)

// A program asks the service over HTTP with a token, as programs of users do. What the
// pages show is held against its answers.
type program struct {
	t           testing.TB
	site, token string
}

// program returns a program of the user of the demonstration, who may do everything.
func (w *world) program(t testing.TB) *program {
	t.Helper()
	return w.programOf(t, demo.Username, demo.Password)
}

func (w *world) programOf(t testing.TB, user, password string) *program {
	t.Helper()
	c := &program{t: t, site: w.site}
	var answer struct{ Auth string }
	c.send("POST", "/manage/v1/tokens", map[string]string{"username": user, "password": password}, &answer)
	c.token = answer.Auth
	return c
}

// get reads an answer into a pointer.
func (c *program) get(path string, into any) {
	c.t.Helper()
	c.send("GET", path, nil, into)
}

// make creates something and returns its id.
func (c *program) make(path string, body any) (id int64) {
	c.t.Helper()
	var made struct{ ID int64 }
	c.send("POST", path, body, &made)
	return made.ID
}

// send asks, with a body as JSON unless it is nil, and reads the answer into a pointer
// unless that is nil. An answer that is an error ends the test.
func (c *program) send(method, path string, body, into any) {
	c.t.Helper()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	status, answer := c.ask(method, c.site+path, data)
	if status >= 300 {
		c.t.Fatalf("%s %s: got %d %s", method, path, status, answer)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer, into); err != nil {
		c.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

// ask returns whatever the answer is.
func (c *program) ask(method, address string, body []byte) (status int, answer []byte) {
	c.t.Helper()
	q, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, address, err)
	}
	return res.StatusCode, answer
}

var names atomic.Int64

// own returns a name that nothing else has, also when tests are run several times: a word and three letters more.
func own(word string) string {
	n := names.Add(1)
	return word + string([]byte{byte('a' + n/676%26), byte('a' + n/26%26), byte('a' + n%26)})
}

// A line is a post as an import takes it.
type line map[string]any

// take imports posts.
func (c *program) take(lines ...line) {
	c.t.Helper()
	var body bytes.Buffer
	for _, l := range lines {
		if err := json.NewEncoder(&body).Encode(l); err != nil {
			c.t.Fatal(err)
		}
	}
	status, answer := c.ask("POST", c.site+"/manage/v1/posts", body.Bytes())
	if want := fmt.Sprintf(`"accepted":%d,"rejected":0`, len(lines)); status != 200 || !strings.Contains(string(answer), want) {
		c.t.Fatalf("import: got %d %s, want %s", status, answer, want)
	}
}

// until waits until something is so, as the service does some things after it has answered.
func (c *program) until(what string, so func() bool) {
	c.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for !so() {
		select {
		case <-late:
			c.t.Fatalf("%s: it does not come about", what)
		case <-tick.C:
		}
	}
}

// monitor makes a monitor of the demonstration's team, with the fields given, and waits until it
// has found so many stored posts.
func (c *program) monitor(w *world, fields line, posts int) (id int64) {
	c.t.Helper()
	body := line{"team": w.monitors[demo.Brand].Team}
	for name, value := range fields {
		body[name] = value
	}
	id = c.make("/manage/v1/monitors", body)
	c.until(fmt.Sprintf("monitor %d has %d posts", id, posts), func() bool { return c.posts(id) == posts })
	return id
}

// posts returns how many posts a monitor has found in the last days.
func (c *program) posts(id int64) int {
	c.t.Helper()
	var answer struct{ Posts int }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=days", id), &answer)
	return answer.Posts
}
