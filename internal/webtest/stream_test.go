package webtest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestStream watches posts come in while they are imported: they appear in order and
// once, wait while the page is paused, and stay in the queue for programs.
func TestStream(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("zumbrelle")
	monitor := c.addMonitor(w, fields{"name": word, "keywords": word}, 0)
	stream := c.create("/manage/v1/streams", fields{"name": word + " live", "team": w.stream.Team})
	c.send("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream, monitor), nil, nil)
	taken := 0
	var texts []string // newest first, as the page shows them
	take := func(posts int) {
		t.Helper()
		for range posts {
			taken++
			text := fmt.Sprintf("%s number %d", word, taken)
			c.importPosts(fields{"type": "News", "guid": text, "date": time.Now(), "contents": text})
			texts = slices.Insert(texts, 0, text)
		}
	}
	const shown = "ol .post-text p"

	p := w.signedIn(t, fmt.Sprintf("/streams/%d", stream))
	p.WaitFor(`status "Connection: Live"`)
	waitForText(p, "Waiting for posts")
	p.Axe()
	take(3)
	waitTexts(p, shown, texts...)
	p.Click(`button "Pause"`)
	before := slices.Clone(texts)
	take(4)
	p.WaitFor(`button "Resume (4 new posts)"`)
	waitTexts(p, shown, before...)
	p.Axe()
	p.Click(`button "Resume (4 new posts)"`)
	waitTexts(p, shown, texts...)
	take(2)
	waitTexts(p, shown, texts...)
	if got := p.Texts(`list "Posts received" >> .figure`)[1]; got != "9" {
		t.Errorf("the page counts %s posts since it was opened, want 9", got)
	}

	p.Reload() // it begins with what waits, which is everything: looking takes nothing
	waitTexts(p, shown, texts...)
	if got := p.Texts(`list "Posts received" >> .figure`)[2]; got != "9" {
		t.Errorf("the page says that %s posts wait, want 9", got)
	}
	p.Click(`button "New posts only"`)
	waitTexts(p, shown)
	p.WaitFor(`status "Connection: Live"`) // again, from the end
	take(1)
	waitTexts(p, shown, texts[0])

	var queue struct {
		Posts []struct{ Contents string }
	}
	c.get(fmt.Sprintf("/api/stream/%d/posts", stream), &queue)
	var waited []string
	for _, post := range slices.Backward(queue.Posts) {
		waited = append(waited, post.Contents)
	}
	if !slices.Equal(waited, texts) {
		t.Errorf("programs get %q, want %q", waited, texts)
	}
}
