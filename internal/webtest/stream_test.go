package webtest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestStream watches the live view while posts are imported. Each post appears once, newest first;
// a paused page holds them back; and all of them stay in the queue for API clients.
func TestStream(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("zumbrelle")
	monitor := c.addMonitor(w, fields{"name": word, "keywords": word}, 0)
	stream := c.create("/manage/v1/streams", fields{"name": word + " live", "team": w.stream.Team})
	c.send("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream, monitor), nil, nil)
	count := 0
	var texts []string // newest first, as the page shows them
	importMore := func(posts int) {
		t.Helper()
		for range posts {
			count++
			text := fmt.Sprintf("%s number %d", word, count)
			c.importPosts(fields{"type": "News", "guid": text, "date": time.Now(), "contents": text})
			texts = slices.Insert(texts, 0, text)
		}
	}
	const shown = "ol .post-text p"

	p := w.signedIn(t, fmt.Sprintf("/streams/%d", stream))
	p.WaitFor(`status "Connection: Live"`)
	waitForText(p, "Waiting for posts")
	p.Axe()
	importMore(3)
	waitTexts(p, shown, texts...)
	p.Click(`button "Pause"`)
	before := slices.Clone(texts)
	importMore(4)
	p.WaitFor(`button "Resume (4 new posts)"`)
	waitTexts(p, shown, before...)
	p.Axe()
	p.Click(`button "Resume (4 new posts)"`)
	waitTexts(p, shown, texts...)
	importMore(2)
	waitTexts(p, shown, texts...)
	if got := p.Texts(`list "Posts received" >> .figure`)[1]; got != "9" {
		t.Errorf("the page counts %s posts since it was opened, want 9", got)
	}

	p.Reload() // starts with the backlog, which is everything: viewing removes nothing
	waitTexts(p, shown, texts...)
	if got := p.Texts(`list "Posts received" >> .figure`)[2]; got != "9" {
		t.Errorf("the page shows %s posts in the queue, want 9", got)
	}
	p.Click(`button "New only"`)
	waitTexts(p, shown)
	p.WaitFor(`status "Connection: Live"`) // reconnected at the end
	importMore(1)
	waitTexts(p, shown, texts[0])

	var queue struct {
		Posts []struct{ Contents string }
	}
	c.get(fmt.Sprintf("/api/stream/%d/posts", stream), &queue)
	var queued []string
	for _, post := range slices.Backward(queue.Posts) {
		queued = append(queued, post.Contents)
	}
	if !slices.Equal(queued, texts) {
		t.Errorf("the API returns %q, want %q", queued, texts)
	}
}
