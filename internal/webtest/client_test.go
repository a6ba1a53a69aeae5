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

// An apiClient calls the service over HTTP with a token, as programs of users do. What the
// pages show is held against its answers.
type apiClient struct {
	t           testing.TB
	site, token string
}

// client returns a client of the demo user, who may do everything.
func (w *environment) client(t testing.TB) *apiClient {
	t.Helper()
	return w.clientFor(t, demo.Username, demo.Password)
}

func (w *environment) clientFor(t testing.TB, user, password string) *apiClient {
	t.Helper()
	c := &apiClient{t: t, site: w.site}
	var answer struct{ Auth string }
	c.send("POST", "/manage/v1/tokens", map[string]string{"username": user, "password": password}, &answer)
	c.token = answer.Auth
	return c
}

// get reads an answer into a pointer.
func (c *apiClient) get(path string, into any) {
	c.t.Helper()
	c.send("GET", path, nil, into)
}

// create adds something and returns its id.
func (c *apiClient) create(path string, body any) (id int64) {
	c.t.Helper()
	var made struct{ ID int64 }
	c.send("POST", path, body, &made)
	return made.ID
}

// send asks, with a body as JSON unless it is nil, and reads the answer into a pointer
// unless that is nil. An answer that is an error ends the test.
func (c *apiClient) send(method, path string, body, into any) {
	c.t.Helper()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	status, answer := c.request(method, c.site+path, data)
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

// request sends a request and returns the response, whatever its status.
func (c *apiClient) request(method, address string, body []byte) (status int, response []byte) {
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
	response, err = io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, address, err)
	}
	return res.StatusCode, response
}

var nameCount atomic.Int64

// uniqueName returns a name that nothing else has, also when tests are run several times: a word and three letters more.
func uniqueName(word string) string {
	n := nameCount.Add(1)
	return word + string([]byte{byte('a' + n/676%26), byte('a' + n/26%26), byte('a' + n%26)})
}

// fields are those of a JSON object: a post to import, or the body of a request.
type fields map[string]any

// importPosts imports posts.
func (c *apiClient) importPosts(lines ...fields) {
	c.t.Helper()
	var body bytes.Buffer
	for _, l := range lines {
		if err := json.NewEncoder(&body).Encode(l); err != nil {
			c.t.Fatal(err)
		}
	}
	status, response := c.request("POST", c.site+"/manage/v1/posts", body.Bytes())
	if want := fmt.Sprintf(`"accepted":%d,"rejected":0`, len(lines)); status != 200 || !strings.Contains(string(response), want) {
		c.t.Fatalf("import: got %d %s, want %s", status, response, want)
	}
}

// waitUntil waits until something is so, as the service does some things after it has answered.
func (c *apiClient) waitUntil(what string, condition func() bool) {
	c.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(30 * time.Second)
	for !condition() {
		select {
		case <-timeout:
			c.t.Fatalf("%s: it does not come about", what)
		case <-tick.C:
		}
	}
}

// addMonitor makes a monitor of the demonstration's team, with the fields given, and waits until it
// has found so many stored posts.
func (c *apiClient) addMonitor(w *environment, settings fields, posts int) (id int64) {
	c.t.Helper()
	body := fields{"team": w.monitors[demo.Brand].Team}
	for name, value := range settings {
		body[name] = value
	}
	id = c.create("/manage/v1/monitors", body)
	c.waitUntil(fmt.Sprintf("monitor %d has %d posts", id, posts), func() bool { return c.posts(id) == posts })
	return id
}

// posts returns how many posts a monitor has found in the last days.
func (c *apiClient) posts(id int64) int {
	c.t.Helper()
	var answer struct{ Posts int }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=days", id), &answer)
	return answer.Posts
}
