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

// An apiClient calls the API with a token, as users' programs do. Tests compare the pages with its
// responses.
type apiClient struct {
	t           testing.TB
	site, token string
}

// client returns a client of the demo user, who has all permissions.
func (w *environment) client(t testing.TB) *apiClient {
	t.Helper()
	return w.clientFor(t, demo.Username, demo.Password)
}

func (w *environment) clientFor(t testing.TB, user, password string) *apiClient {
	t.Helper()
	c := &apiClient{t: t, site: w.site}
	var response struct{ Auth string }
	c.send("POST", "/manage/v1/tokens", map[string]string{"username": user, "password": password}, &response)
	c.token = response.Auth
	return c
}

// get requests a path and decodes the response into a pointer.
func (c *apiClient) get(path string, into any) {
	c.t.Helper()
	c.send("GET", path, nil, into)
}

// create sends a POST request and returns the id in the response.
func (c *apiClient) create(path string, body any) (id int64) {
	c.t.Helper()
	var created struct{ ID int64 }
	c.send("POST", path, body, &created)
	return created.ID
}

// send sends a request with a JSON body, unless body is nil, and decodes the response into a
// pointer, unless into is nil. An error response ends the test.
func (c *apiClient) send(method, path string, body, into any) {
	c.t.Helper()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	status, response := c.request(method, c.site+path, data)
	if status >= 300 {
		c.t.Fatalf("%s %s: got %d %s", method, path, status, response)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(response, into); err != nil {
		c.t.Fatalf("%s %s: %v in %s", method, path, err, response)
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

// uniqueName returns a word with three letters appended, which no other test of this process uses.
func uniqueName(word string) string {
	n := nameCount.Add(1)
	return word + string([]byte{byte('a' + n/676%26), byte('a' + n/26%26), byte('a' + n%26)})
}

// fields is a JSON object: a post to import, or the body of a request.
type fields map[string]any

// importPosts imports posts and ends the test unless all are accepted.
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

// waitUntil waits until a condition holds, because the server completes some work after it
// responds.
func (c *apiClient) waitUntil(what string, condition func() bool) {
	c.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(90 * time.Second)
	for !condition() {
		select {
		case <-timeout:
			c.t.Fatalf("timeout: %s", what)
		case <-tick.C:
		}
	}
}

// addMonitor creates a monitor with the given settings in the demo's team, and waits until it has
// matched a number of stored posts.
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

// posts returns the number of posts of a monitor in the overview's default date range.
func (c *apiClient) posts(id int64) int {
	c.t.Helper()
	var response struct{ Posts int }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=days", id), &response)
	return response.Posts
}
