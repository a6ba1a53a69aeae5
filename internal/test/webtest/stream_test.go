package webtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot/internal/test/webtest/browsertest"
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
	p.AxeInTurn()
	importMore(3)
	waitTexts(p, shown, texts...)
	p.Click(`button "Pause"`)
	before := slices.Clone(texts)
	importMore(4)
	p.WaitFor(`button "Resume (4 new posts)"`)
	waitTexts(p, shown, before...)
	p.AxeInTurn()
	p.Click(`button "Resume (4 new posts)"`)
	waitTexts(p, shown, texts...)
	importMore(2)
	waitTexts(p, shown, texts...)
	if got, want := counters(p)[1:], []string{"9 new since you opened this page", "0 already in the queue"}; !slices.Equal(got, want) {
		t.Errorf("the page counts %q, want %q", got, want)
	}

	p.Reload() // starts with the backlog, which is everything: viewing removes nothing
	waitTexts(p, shown, texts...)
	if got, want := counters(p), []string{"0 new in the last minute", "0 new since you opened this page", "9 already in the queue"}; !slices.Equal(got, want) {
		t.Errorf("the page counts %q after it was opened again, want %q", got, want)
	}
	importMore(1)
	waitTexts(p, shown, texts...)
	if got, want := counters(p), []string{"1 new in the last minute", "1 new since you opened this page", "9 already in the queue"}; !slices.Equal(got, want) {
		t.Errorf("the page counts %q after a new post, want %q", got, want)
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

// counters returns what the live view counts: each number with its label.
func counters(p *browsertest.Page) []string {
	return p.Texts(`list "Posts received" >> li`)
}

// TestStreamOfTwoMonitors shows a post that both monitors of a stream match as one card with the
// names of both, and counts it once. API clients still receive it once for each.
func TestStreamOfTwoMonitors(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word, other := uniqueName("tarvenna"), uniqueName("ulmista")
	stream := c.create("/manage/v1/streams", fields{"name": word + " live", "team": w.stream.Team})
	for _, name := range []string{word, other} {
		monitor := c.addMonitor(w, fields{"name": name, "keywords": name}, 0)
		c.send("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream, monitor), nil, nil)
	}
	p := w.signedIn(t, fmt.Sprintf("/streams/%d", stream))
	p.WaitFor(`status "Connection: Live"`)
	at := time.Now()
	c.importPosts(
		fields{"type": "News", "guid": word + "1", "date": at, "contents": word + " alone"},
		fields{"type": "News", "guid": word + "2", "date": at, "contents": word + " with " + other},
		fields{"type": "Forums", "guid": word + "2", "date": at, "contents": other + " alone, with the same id on another source"},
	)
	check := func(when string, want ...string) {
		t.Helper()
		waitTexts(p, "ol .post-text p", other+" alone, with the same id on another source", word+" with "+other, word+" alone")
		waitTexts(p, `ol [aria-label="Matched by"]`, other, word+"\n"+other, word)
		if got := counters(p); !slices.Equal(got[1:], want) {
			t.Errorf("%s, the page counts %q, want %q", when, got, want)
		}
	}
	check("live", "3 new since you opened this page", "0 already in the queue")
	p.AxeInTurn()
	p.Reload()
	check("with the backlog", "0 new since you opened this page", "3 already in the queue")
	p.Click(`button "New only"`)
	waitTexts(p, "ol .post-text p")
	waitForText(p, "4 already in the queue, counted once per monitor")

	var queue struct{ Posts []struct{ Contents string } }
	c.get(fmt.Sprintf("/api/stream/%d/posts", stream), &queue)
	if len(queue.Posts) != 4 {
		t.Errorf("the API returns %d posts, want 4", len(queue.Posts))
	}
}
