package bluesky

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/bluesky/blueskytest"
	"earshot/internal/test/testenv"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	guid := n.Publish("My first coffee")
	reply := n.PublishRecord(map[string]any{"text": "Your coffee", "reply": map[string]any{"parent": map[string]any{"uri": guid}}})

	p := w.awaitPost(guid, nil)
	_, rkey, _ := splitURI(guid)
	if p.AuthorUsername != "user0.bsky.social" || p.Author != "user0.bsky.social (User 0)" || p.Bio != "I am number 0." || !p.Verified ||
		p.Followers != earshot.Counted(100) || p.Following != earshot.Counted(10) || p.AuthorPosts != earshot.Counted(1000) ||
		p.URL != "https://bsky.app/profile/user0.bsky.social/post/"+rkey {
		t.Errorf("got the post %+v without its profile", p)
	}
	if p = w.awaitPost(reply, nil); p.EngagingWith != "user0.bsky.social" || p.ParentGUID != guid {
		t.Errorf("the reply is to %q, %q, want user0.bsky.social", p.EngagingWith, p.ParentGUID)
	}

	// The cache answers until the account changes.
	before := n.Requests("getProfiles")
	for i := range 2*40 - 2 {
		n.Publish(fmt.Sprintf("More coffee %d", i))
	}
	again := n.Publish("My second coffee") // by the first account
	w.awaitPost(again, func(p *earshot.Post) bool { return p.AuthorUsername == "user0.bsky.social" })
	if asked := n.Requests("getProfiles") - before; asked > 4 {
		t.Errorf("sent %d requests for 38 new profiles, want at most 4", asked)
	}
	n.Rename(again, "barista.example")
	for i := range 39 {
		n.Publish(fmt.Sprintf("Even more coffee %d", i))
	}
	last := n.Publish("My third coffee")
	w.awaitPost(last, func(p *earshot.Post) bool { return p.AuthorUsername == "barista.example" })
}

// TestProfilesMissing checks that posts do not wait for an AppView that fails.
func TestProfilesMissing(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*blueskytest.Network){
		"unavailable": func(n *blueskytest.Network) { n.FailAppView(http.StatusServiceUnavailable, 0) },
		"silent":      func(n *blueskytest.Network) { n.FailAppView(0, time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			n := startNetwork(t, c, blueskytest.Options{})
			w := newWorld(t, c, n)
			fail(n)
			w.start()
			began := time.Now()
			first := n.Publish("coffee")
			p := w.awaitPost(first, nil)
			if did, _, _ := splitURI(first); p.Author != did || p.AuthorUsername != "" {
				t.Errorf("got the author %q, %q, want only the account", p.Author, p.AuthorUsername)
			}
			w.awaitPost(n.Publish("more coffee"), nil)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("two posts took %v, want a few seconds", took)
			}
			if asked := n.Requests("getProfiles"); asked != 1 {
				t.Errorf("sent %d requests to an AppView that fails, want 1", asked)
			}
			n.FailAppView(0, 0)
			c.advance(failurePause + time.Second)
			w.awaitPost(n.Publish("good coffee"), func(p *earshot.Post) bool { return p.AuthorUsername != "" })
		})
	}
}

// TestRejectedRequests checks that an account that the AppView does not like affects no others.
func TestRejectedRequests(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	did, _, _ := splitURI(n.Publish("tea"))
	n.RejectAppView(did)
	for range 39 { // until it is the turn of the first account again
		n.Publish("tea")
	}
	bad := n.Publish("bad coffee")
	good := n.Publish("good coffee")
	w.awaitPost(good, func(p *earshot.Post) bool { return p.AuthorUsername != "" })
	if p := w.awaitPost(bad, nil); p.AuthorUsername != "" {
		t.Errorf("got the author %q of an account that is rejected", p.AuthorUsername)
	}
	n.SetCounts(good, 7, 0, 0)
	c.advance(stages[0] + 2*time.Minute)
	w.awaitPost(good, func(p *earshot.Post) bool { return p.Likes == earshot.Counted(7) })
	w.await("the end of the checks", func() bool { return queued(t, w, 0) == 0 })
	if _, ok := w.sink.find(bad); !ok || queued(t, w, 1) != 1 {
		t.Error("a post that cannot be read again was deleted or forgotten")
	}
}

func TestReposts(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	original := n.PublishRecord(map[string]any{"text": "coffee #Beans", "langs": []string{"en"}, "tags": []string{"Beans"}})
	other := n.Publish("tea")
	repost, ignored := n.Repost(original), n.Repost(other)
	p := w.awaitPost(repost, nil)
	if p.Contents != "coffee #Beans" || p.Engagement != earshot.Retweet || p.ParentGUID != original || p.EngagingWith != n.Handle(original) ||
		p.AuthorUsername != n.Handle(repost) || !slices.Equal(p.Hashtags, []string{"beans"}) || p.Language != "en" {
		t.Errorf("got the repost %+v", p)
	}
	if _, ok := w.sink.find(ignored); ok {
		t.Error("the repost of a post that is not stored is stored")
	}
	if skipped := w.sink.counters().Skipped[unknownRepost]; skipped != 1 {
		t.Errorf("%d reposts were skipped, want 1", skipped)
	}

	// A new process still knows which posts are stored, and looks up their texts.
	w.stop()
	w.start()
	later := n.Repost(original)
	if p := w.awaitPost(later, nil); p.Contents != "coffee #Beans" {
		t.Errorf("got the text %q", p.Contents)
	}

	n.Delete(later)
	w.await("deletion of the repost", func() bool { _, ok := w.sink.find(later); return !ok })
	more := n.Repost(original)
	w.awaitPost(more, nil)
	n.Delete(original)
	w.await("deletion of the original and its repost", func() bool {
		_, ok := w.sink.find(original)
		_, ok2 := w.sink.find(more)
		return !ok && !ok2
	})
}

func TestAccountStatus(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	for _, status := range []string{"deleted", "takendown", "suspended", "deactivated"} {
		guid := n.Publish("coffee of " + status)
		w.awaitPost(guid, nil)
		n.SetStatus(guid, status)
		w.await("deletion of an account that is "+status, func() bool { _, ok := w.sink.find(guid); return !ok })
	}
	kept := n.Publish("coffee of a slow server")
	n.SetStatus(kept, "throttled")
	w.awaitPost(n.Publish("last coffee"), nil)
	w.awaitPost(kept, nil)
}

func TestEngagement(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	guid, doomed := n.Publish("coffee"), n.Publish("bad coffee")
	repost := n.Repost(doomed)
	for _, g := range []string{guid, doomed, repost} {
		if p := w.awaitPost(g, nil); !p.Likes.IsZero() {
			t.Errorf("%s has likes", g)
		}
	}
	const slack = 2 * time.Minute
	for i, age := range stages {
		likes := int64(10 * (i + 1))
		n.SetCounts(guid, likes, 2, 3)
		if i == 1 {
			n.Vanish(doomed)
			w.stop() // the schedule survives
			w.start()
			at := w.sink.at()
			n.Publish("tea")
			w.await("the end of repeated events", func() bool { return w.sink.at() != at })
		}
		previous := time.Duration(0)
		if i > 0 {
			previous = stages[i-1]
		}
		c.advance(age - previous + slack)
		p := w.awaitPost(guid, func(p *earshot.Post) bool { return p.Likes == earshot.Counted(likes) })
		if p.Retweets != earshot.Counted(2) || p.Replies != earshot.Counted(3) || p.AuthorUsername == "" || p.Contents != "coffee" {
			t.Errorf("got %+v", p)
		}
		w.await("the check is done", func() bool { return queued(t, w, i) == 0 })
		if i >= 1 {
			w.await("deletion of the posts that vanished", func() bool {
				_, ok := w.sink.find(doomed)
				_, ok2 := w.sink.find(repost)
				return !ok && !ok2
			})
		}
		c.advance(-slack)
	}
	for stage := range stages {
		if k := queued(t, w, stage); k != 0 {
			t.Errorf("stage %d has %d chunks after the last check", stage, k)
		}
	}
}

// queued returns the number of chunks of a stage in the store.
func queued(t *testing.T, w *world, stage int) int {
	keys, err := w.store.Keys(t.Context(), fmt.Sprintf("check.%d.*", stage))
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}

// TestEngagementDoubts checks that an AppView that has lost its posts deletes nothing, and that a
// post that was deleted meanwhile does not come back.
func TestEngagementDoubts(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	var guids []string
	for i := range 10 {
		guids = append(guids, n.Publish(fmt.Sprintf("coffee %d", i)))
	}
	for _, g := range guids {
		w.awaitPost(g, nil)
	}
	n.LosePosts(true)
	c.advance(stages[0] + 2*time.Minute)
	w.await("a request", func() bool { return n.Requests("getPosts") > 0 })
	for _, g := range guids {
		if _, ok := w.sink.find(g); !ok {
			t.Errorf("%s was deleted, although the AppView knew no post", g)
		}
	}
	n.LosePosts(false)
	n.SetCounts(guids[0], 7, 0, 0)
	w.await("the counts", func() bool {
		c.advance(refreshPause) // the source may begin to wait only now
		p, ok := w.sink.find(guids[0])
		return ok && p.Likes == earshot.Counted(7)
	})
}

func TestEngagementOff(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.settings["engagement"] = "off"
	w.start()
	w.awaitPost(n.Publish("coffee"), nil)
	w.stop()
	if keys, err := w.store.Keys(t.Context(), ">"); err != nil || len(keys) > 0 {
		t.Errorf("the store has %v %v, want nothing", keys, err)
	}
}

// TestFailover loses a server and continues with the next, a little before the last event.
func TestFailover(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, b := startNetwork(t, c, blueskytest.Options{}), startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, a, b)
	w.settings["api_url"] = b.Settings()["api_url"]
	earlier := b.Publish("coffee that the first server lacks")
	c.advance(5 * time.Second)
	w.start()
	w.awaitPost(a.Publish("coffee at the first server"), nil)
	w.stop()
	w.start()
	a.Close()
	w.awaitPost(b.Publish("coffee at the second server"), nil)
	w.awaitPost(earlier, nil)
	if r := w.sink.counters().Reconnects; r == 0 {
		t.Error("no reconnect was counted")
	}
	if gaps := w.sink.gapList(); len(gaps) > 0 {
		t.Errorf("got the gaps %v, want none", gaps)
	}
}

// TestOlderServer resumes at a server that still has what the first has forgotten.
func TestOlderServer(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, b := startNetwork(t, c, blueskytest.Options{}), startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, a, b)
	w.start()
	w.awaitPost(a.Publish("coffee"), nil)
	w.stop()
	missed := b.Publish("missed coffee")
	a.Forget()
	a.Publish("tea")
	w.start()
	w.awaitPost(missed, nil)
	if gaps := w.sink.gapList(); len(gaps) > 0 {
		t.Errorf("got the gaps %v, want none", gaps)
	}

	// Both have forgotten it: the gap ends where the server starts that has more.
	w.stop()
	a.Forget()
	a.Forget()
	b.Forget()
	late, later := b.Publish("late coffee"), a.Publish("later coffee")
	w.start()
	w.await("a gap", func() bool { return len(w.sink.gapList()) == 1 })
	w.awaitPost(late, nil)
	if g := w.sink.gapList()[0]; g.To.Sub(g.From) > 90*time.Minute || g.To.Sub(g.From) < 30*time.Minute {
		t.Errorf("got the gap %v to %v, want about an hour", g.From, g.To)
	}
	if _, ok := w.sink.find(later); ok {
		t.Error("the server with the larger gap was read")
	}
}

// TestGapWithServerDown has a gap although one of the servers cannot be asked.
func TestGapWithServerDown(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, b := startNetwork(t, c, blueskytest.Options{}), startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, a, b)
	w.start()
	w.awaitPost(a.Publish("coffee"), nil)
	w.stop()
	a.Forget()
	b.Close()
	guid := a.Publish("later coffee")
	w.start()
	w.awaitPost(guid, nil)
	if gaps := w.sink.gapList(); len(gaps) != 1 {
		t.Errorf("got the gaps %v, want one", gaps)
	}
}

func TestSilentServer(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	w.awaitPost(n.Publish("coffee"), nil)
	n.Silence(true)
	guid := n.Publish("coffee in silence")
	w.await("a reconnect", func() bool {
		c.advance(deadAfter / 2)
		return w.sink.counters().Reconnects > 0
	})
	n.Silence(false)
	w.awaitPost(guid, nil)
}

func TestHugeMessages(t *testing.T) {
	t.Parallel()
	for _, plain := range []bool{true, false} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
			c := newClock()
			n := startNetwork(t, c, blueskytest.Options{Plain: plain})
			w := newWorld(t, c, n)
			w.start()
			n.Huge(40 << 20)
			w.awaitPost(n.Publish("coffee"), nil)
			if got := w.sink.counters(); got.Skipped[tooLarge] != 1 || got.Reconnects != 0 {
				t.Errorf("counted %+v, want one message too large and no reconnect", got)
			}
		})
	}
}

// TestSlowSink checks that the network waits for a sink that is slow, and that nothing is lost.
func TestSlowSink(t *testing.T) {
	testenv.SkipUnderRace(t)
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	release := make(chan struct{})
	w.sink.mu.Lock()
	w.sink.blocked = release
	w.sink.mu.Unlock()
	var last string
	for i := range 4000 {
		last = n.Publish(fmt.Sprintf("coffee %d", i))
	}
	c.advance(3 * deadAfter) // nothing is read for a while, but the server is not dead
	close(release)
	w.awaitPost(last, nil)
	w.sink.mu.Lock()
	defer w.sink.mu.Unlock()
	if got := len(w.sink.posts); got != 4000 {
		t.Errorf("%d posts were delivered, want 4000", got)
	}
	if w.sink.count.Reconnects != 0 {
		t.Errorf("counted %d reconnects, want none", w.sink.count.Reconnects)
	}
}

func TestCatchingUp(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start()
	w.awaitPost(n.Publish("coffee"), nil)
	w.stop()
	var last string
	for range 50 {
		last = n.Publish("missed coffee")
		c.advance(time.Minute)
	}
	w.sink.states = nil
	w.start()
	w.awaitPost(last, nil)
	w.stop()
	i := slices.IndexFunc(w.sink.states, func(s connector.State) bool { return s.Phase == connector.CatchingUp })
	if i < 0 || w.sink.states[i].Lag < 45*time.Minute {
		t.Errorf("got the states %v, want a lag of 50 minutes", w.sink.states)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const nobody = "ws://127.0.0.1:1"
	f := func(name string, prepare func(n *blueskytest.Network, w *world), ok func(error) bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			n := startNetwork(t, c, blueskytest.Options{})
			w := newWorld(t, c, n)
			prepare(n, w)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := w.connector().Run(ctx, w.sink.at(), w.sink); !ok(err) {
				t.Errorf("got the error %v", err)
			}
		})
	}
	attention := func(err error) bool { return errors.Is(err, connector.ErrAttention) }
	f("no server", func(n *blueskytest.Network, w *world) { w.settings["url"] = nobody }, func(err error) bool { return err != nil && !attention(err) })
	f("all servers refuse", func(n *blueskytest.Network, w *world) { n.Revoke() }, attention)
	f("one server refuses, one is down", func(n *blueskytest.Network, w *world) { n.Revoke(); w.settings["url"] += "," + nobody }, func(err error) bool { return err != nil && !attention(err) })
	f("not a Jetstream server", func(n *blueskytest.Network, w *world) { w.settings["url"] += "/nothing" }, attention)
	f("not a WebSocket", func(n *blueskytest.Network, w *world) { w.settings["url"] += dictionaryPath }, attention)

	// A source that was live retries.
	live := func(n *blueskytest.Network, w *world) {
		w.sink.cursor = startAt(w.clock.Now()).String() + strings.TrimPrefix(n.URL(), "ws://")
	}
	retries := func(err error) bool { return err != nil && !attention(err) }
	f("all servers refuse a source that was live", func(n *blueskytest.Network, w *world) { live(n, w); n.Revoke() }, retries)
	f("not found by a source that was live", func(n *blueskytest.Network, w *world) { live(n, w); w.settings["url"] += "/nothing" }, retries)
	f("a page for a source that was live", func(n *blueskytest.Network, w *world) { live(n, w); w.settings["url"] += dictionaryPath }, retries)
	f("a new address of a source that was live", func(n *blueskytest.Network, w *world) {
		w.sink.cursor = startAt(w.clock.Now()).String() + "a.example"
		w.settings["url"] += "/nothing"
	}, attention)
	f("Retry-After", func(n *blueskytest.Network, w *world) { n.Refuse(7 * time.Second) }, func(err error) bool {
		var retry *connector.RetryError
		return errors.As(err, &retry) && retry.After == 7*time.Second
	})
	f("damaged cursor", func(n *blueskytest.Network, w *world) { w.sink.cursor = "17@a.example" }, func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "17@a.example")
	})
}

// TestRefusalWhileLive checks that a source retries if its server denies access after a time.
func TestRefusalWhileLive(t *testing.T) {
	t.Parallel()
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{})
	w := newWorld(t, c, n)
	w.start() // a new source, without a cursor
	w.awaitPost(n.Publish("coffee"), nil)
	n.Revoke()
	n.Disconnect()
	<-w.done
	if w.err == nil || errors.Is(w.err, connector.ErrAttention) || !strings.Contains(w.err.Error(), "returned 403 Forbidden") {
		t.Errorf("got the error %v, want one after which it is restarted", w.err)
	}
}

func TestSecondProtocol(t *testing.T) {
	t.Parallel()
	dictionary, err := os.ReadFile(recordings + "subscribe_events_20260811.zdict")
	if err != nil {
		testenv.SkipMissing(t, "the recordings are not here")
	}
	c := newClock()
	n := startNetwork(t, c, blueskytest.Options{Dictionary: dictionary})
	w := newWorld(t, c, n)
	w.settings["protocol"] = "v2"
	w.start()
	w.awaitPost(n.Publish("coffee"), nil)
	n.Send([]byte(`{"$type":"error","error":"ConsumerTooSlow","message":"read faster"}`))
	w.await("a reconnect", func() bool { return w.sink.counters().Reconnects == 1 })
	w.stop()
	if at := w.sink.at(); !strings.Contains(at, ".1@127.0.0.1:") {
		t.Errorf("got the cursor %q, want the number of the first event", at)
	}
	if got := w.sink.counters(); got.Skipped[undecodable] > 0 || got.Bytes > 1000 {
		t.Errorf("counted %+v, want small messages that can be decoded", got)
	}
}

func TestCheckSettings(t *testing.T) {
	f := func(want string, s connector.Settings) {
		t.Helper()
		got := ""
		if err := Kind().Check(s, ""); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", s, got, want)
		}
	}
	f("", nil)
	f("", connector.Settings{"url": "ws://a.example, https://b.example/path ,", "api_url": "http://127.0.0.1:8080", "protocol": "v2", "engagement": "off"})
	f("'a.example' is not the address of a server", connector.Settings{"url": "a.example"})
	f("'ftp://a.example' must start with ws:// or wss:// or http:// or https://", connector.Settings{"url": "ftp://a.example"})
	f("enter the address of a Jetstream server, such as wss://jetstream1.us-east.bsky.network", connector.Settings{"url": " , "})
	f("'https://user:secret@a.example' is not the address of a server", connector.Settings{"api_url": "https://user:secret@a.example"})
	f("protocol must be v1 or v2", connector.Settings{"protocol": "v3"})
	f("engagement must be on or off", connector.Settings{"engagement": "maybe"})
}
