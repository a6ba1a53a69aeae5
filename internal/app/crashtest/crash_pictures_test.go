package crashtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

// TestKillsWithPictures kills the real binary while it fetches and analyzes pictures, writes what it
// found to the journal and applies it to posts. In the end, all posts have the classes of their
// pictures, each is counted once, and a stream has each of them. The same holds for a store that is
// rebuilt from the journal, without fetching anything again.
func TestKillsWithPictures(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("builds and kills the real binary")
	}
	kills := 4
	if testenv.Long() {
		kills = 100
	}
	c := newPictureCrashes(t)
	for n := range kills {
		c.upload(t, n)
		<-time.After(time.Duration(c.Float64() * float64(1500*time.Millisecond)))
		c.kill(t)
		if n%4 == 2 {
			c.process = launch(t, c.binary, c.data, c.flags...)
			<-time.After(time.Duration(c.Float64() * float64(time.Second)))
			c.kill(t)
		}
		c.start(t)
	}
	c.compare(t)
	c.kill(t)
	if err := os.RemoveAll(filepath.Join(c.data, "posts")); err != nil {
		t.Fatal(err)
	}
	requests := c.requests.Load()
	c.start(t)
	c.compare(t)
	c.kill(t)
	if got := c.requests.Load(); got != requests {
		t.Errorf("the rebuilt store fetched %d pictures, want none", got-requests)
	}
	t.Logf("%d kills, %d posts, %d pictures fetched", c.kills, c.posts, requests)
}

// pictureCrashes is a service that is killed repeatedly while pictures are analyzed.
type pictureCrashes struct {
	*rand.Rand
	binary, data string
	flags        []string
	process      *process
	token        string
	monitor      int64
	stream       *cursorReader
	hosts        []string
	requests     atomic.Int64

	kills, posts int
	classes      map[string]int // posts that show a class
}

// crashPictures are what the pictures of the hosts show, by name.
var crashPictures = map[string][]string{"cat": {"cat"}, "cup": {"cup", "coffee"}, "astronaut": {"person"}}

func newPictureCrashes(t *testing.T) *pictureCrashes {
	t.Helper()
	c := &pictureCrashes{
		Rand: rand.New(rand.NewPCG(3, 9)), binary: buildBinary(t), data: t.TempDir(), classes: map[string]int{},
		flags: []string{"--images-fetch", "--images-allow-private-addresses"},
	}
	files := map[string][]byte{}
	for name := range crashPictures {
		files[name] = crashPicture(t, name)
	}
	for range 4 { // a host gets one request at a time
		host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.requests.Add(1)
			name, which, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			if files[name] == nil {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(append(files[name][:len(files[name]):len(files[name])], which...)) // all files differ
		}))
		t.Cleanup(host.Close)
		c.hosts = append(c.hosts, host.URL)
	}
	c.start(t)
	p := c.process
	p.signIn(t)
	c.token = p.token
	var team, monitor, stream struct{ ID int64 }
	p.must(t, "POST", "/manage/v1/teams", `{"name":"Crash"}`, &team)
	p.must(t, "POST", monitorsPath, fmt.Sprintf(`{"name":"All","team":%d,"keywords":"survivor","start":"2024-03-01"}`, team.ID), &monitor)
	p.must(t, "POST", "/manage/v1/streams", fmt.Sprintf(`{"name":"Survivors","team":%d}`, team.ID), &stream)
	p.must(t, "PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream.ID, monitor.ID), "", &struct{}{})
	c.monitor, c.stream = monitor.ID, &cursorReader{stream: stream.ID, cursor: "0-0"}
	return c
}

// crashPicture returns a picture of the demo, which the networks recognize.
func crashPicture(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "demo", "pictures", name+".jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func (c *pictureCrashes) start(t *testing.T) {
	t.Helper()
	c.process = start(t, c.binary, c.data, c.flags...)
	c.process.token = c.token
}

func (c *pictureCrashes) kill(t *testing.T) {
	t.Helper()
	c.process.kill(t)
	c.kills++
	for _, line := range c.process.Log.Errors() {
		t.Errorf("the service logged: %s", line)
	}
}

// upload sends the posts of a round: with pictures that are new, shared with other rounds, uploaded,
// missing, and several in one post.
func (c *pictureCrashes) upload(t *testing.T, round int) {
	t.Helper()
	at := func(host int, name string, which any) string {
		return fmt.Sprintf("%s/%s/%v.jpg", c.hosts[host], name, which)
	}
	var uploaded struct{ URL string }
	c.process.must(t, "POST", "/manage/v1/pictures", string(crashPicture(t, "cat"))+fmt.Sprint("upload ", round), &uploaded)
	posts := []struct {
		images  []string
		classes []string
	}{
		{[]string{at(0, "cat", round)}, crashPictures["cat"]},
		{[]string{at(1, "cup", round), at(2, "astronaut", round)}, append([]string{"person"}, crashPictures["cup"]...)},
		{[]string{uploaded.URL}, crashPictures["cat"]},
		{[]string{at(3, "cup", "shared")}, crashPictures["cup"]},
		{[]string{at(3, "gone", round)}, nil},
		{[]string{at(2, "cat", round), at(1, "gone", round)}, crashPictures["cat"]},
	}
	var lines strings.Builder
	for i, p := range posts {
		fmt.Fprintf(&lines, `{"type":"News","guid":"%d-%d","url":"https://crash.example/p-%[1]d-%[2]d","title":"%[1]d","date":"2024-03-0%[3]dT12:00:00Z","contents":"A survivor","images":[`, round, i, 2+i%5)
		for k, url := range p.images {
			if k > 0 {
				lines.WriteByte(',')
			}
			fmt.Fprintf(&lines, `{"url":%q}`, url)
		}
		lines.WriteString("]}\n")
		for _, class := range p.classes {
			c.classes[class]++
		}
	}
	var imported struct{ Accepted int }
	c.process.must(t, "POST", "/manage/v1/posts", lines.String(), &imported)
	if imported.Accepted != len(posts) {
		t.Fatalf("%d posts were accepted, want %d", imported.Accepted, len(posts))
	}
	c.posts += len(posts)
}

// compare waits until all pictures are dealt with and compares the counts and the stream.
func (c *pictureCrashes) compare(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var status struct {
			Pictures struct{ Waiting, Lag int }
		}
		c.process.must(t, "GET", "/manage/v1/status", "", &status)
		if status.Pictures.Waiting == 0 && status.Pictures.Lag == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute, %d pictures wait in %d journal entries", status.Pictures.Waiting, status.Pictures.Lag)
		}
	}
	awaitStreams(t, c.process)
	var results struct {
		Results []struct {
			NumberOfDocuments, NumberOfImageDocuments int
			ImageClasses                              []struct {
				Name   string
				Volume int
			}
		}
	}
	c.process.must(t, "GET", "/api/monitor/imageresults?"+allDays(c.monitor), "", &results)
	posts, pictured, classes := 0, 0, map[string]int{}
	for _, day := range results.Results {
		posts, pictured = posts+day.NumberOfDocuments, pictured+day.NumberOfImageDocuments
		for _, class := range day.ImageClasses {
			classes[class.Name] += class.Volume
		}
	}
	if posts != c.posts || pictured != c.posts || !maps.Equal(classes, c.classes) {
		t.Errorf("after %d kills: got %d posts, %d with images, classes %v, want %d and %v", c.kills, posts, pictured, classes, c.posts, c.classes)
	}
	drain(t, c.process, c.stream.read)
	if got := c.stream.got; len(got.list) != c.posts || got.repeats > c.kills {
		t.Errorf("after %d kills: the stream has %d posts, want %d; %d were repeated", c.kills, len(got.list), c.posts, got.repeats)
	}
}
