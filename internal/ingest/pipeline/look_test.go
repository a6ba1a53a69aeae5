package pipeline_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

var (
	lookedSentiment = earshot.Sentiment{1, 2, 97}
	lookedEmotion   = earshot.Emotion{1, 2, 3, 4, 5, 6, 79}
)

// look returns what a second look at the given version of a post found.
func look(p earshot.Post) journal.Look {
	return journal.Look{Key: p.Key(), Text: enrich.TextHash(&p), Models: enrich.Version + 1, Sentiment: lookedSentiment, Emotion: lookedEmotion}
}

func looks(posts ...earshot.Post) (e journal.Entry) {
	for _, p := range posts {
		e.Looks = append(e.Looks, look(p))
	}
	return e
}

// find returns a stored post.
func (w *world) find(t *testing.T, of earshot.Post) earshot.Post {
	t.Helper()
	posts, err := w.store.Find(t.Context(), []earshot.PostKey{of.Key()})
	if err != nil || len(posts) != 1 {
		t.Fatalf("%s: got %d posts, %v", of.GUID, len(posts), err)
	}
	return posts[0]
}

// looked reports whether a stored post has the result of a second look.
func (w *world) looked(t *testing.T, of earshot.Post) bool {
	t.Helper()
	p := w.find(t, of)
	if has := p.Sentiment == lookedSentiment && p.Emotion == lookedEmotion; has != enrich.IsLooked(p.InferredBy) {
		t.Errorf("%s: got %v, %v by %x", p.GUID, p.Sentiment, p.Emotion, p.InferredBy)
	}
	return enrich.IsLooked(p.InferredBy)
}

func TestLooksReplaceSentimentAndEmotion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.crash()
		s, stored := &streams{}, 0
		w.Streams, w.Stored = s, func(posts []poststore.MatchedPost) { stored += len(posts) }
		w.start(t)
		w.monitor(t, 1, "coffee")
		a, b := post("a", "I love the coffee in New York"), post("b", "I love tea and coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{a, b}})
		synctest.Wait()
		want := w.find(t, a)
		w.append(t, looks(a))
		synctest.Wait()
		want.Sentiment, want.Emotion, want.InferredBy = lookedSentiment, lookedEmotion, enrich.Version+1
		if got := w.find(t, a); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if w.looked(t, b) {
			t.Error("a post that was not looked at has changed")
		}
		if got, want := s.saw(), "1 a[1] b[1], 2"; got != want {
			t.Errorf("streams: got %s, want %s", got, want)
		}
		if posts, at := w.Processed(); stored != 2 || posts != 2 || at != 2 {
			t.Errorf("Stored had %d posts, %d were counted up to %d, want 2 each up to 2", stored, posts, at)
		}

		w.restart(t, memory.New())
		synctest.Wait()
		if got := w.find(t, a); !reflect.DeepEqual(got, want) || w.count(t, 1) != 2 {
			t.Errorf("rebuilt store: got %d posts and %+v, want %+v", w.count(t, 1), got, want)
		}
	})
}

func TestLooksAtOtherVersionsAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		a, b := post("a", "coffee"), post("b", "coffee")
		f := func(name string, want bool, entries ...journal.Entry) {
			t.Helper()
			w.append(t, journal.Entry{Posts: []earshot.Post{a, b}})
			for _, e := range entries {
				w.append(t, e)
			}
			synctest.Wait()
			if got := w.looked(t, a); got != want || w.looked(t, b) || w.count(t, 1) != 2 {
				t.Errorf("%s: got %t, want %t", name, got, want)
			}
		}
		by := func(models uint32) journal.Entry {
			l := look(a)
			l.Models = models
			return journal.Entry{Looks: []journal.Look{l}}
		}
		f("the stored version", true, looks(a))
		f("twice in an entry", true, looks(a, a))
		f("a newer version with the same text", true, journal.Entry{Posts: []earshot.Post{a}}, looks(a))
		f("a newer version after the look", false, looks(a), journal.Entry{Posts: []earshot.Post{a}})
		edited := post("a", "more coffee")
		f("an edited post", false, journal.Entry{Posts: []earshot.Post{edited}}, looks(a))
		f("the edited text", true, journal.Entry{Posts: []earshot.Post{edited}}, looks(edited))
		f("an unknown post", false, looks(post("c", "coffee")))
		f("the version before", false, by(enrich.Version-1))
		f("the next version", false, by(enrich.Version+3))
		f("no second look", false, by(enrich.Version))
		f("a later generation", true, by(enrich.Looked(enrich.ModelVersion(1))))
		w.Enrich.SetGeneration(1)
		f("the same generation", true, by(enrich.Looked(enrich.ModelVersion(1))))
		f("an older generation", false, by(enrich.Looked(enrich.ModelVersion(0))))

		// The second look at the same version changes nothing, even if it found something else.
		f("for the test below", true, by(enrich.Looked(enrich.ModelVersion(1))))
		again := look(a)
		again.Models, again.Sentiment = enrich.Looked(enrich.ModelVersion(1)), earshot.Sentiment{100}
		w.append(t, journal.Entry{Looks: []journal.Look{again}})
		synctest.Wait()
		if !w.looked(t, a) {
			t.Error("a second look at the same version replaced the first")
		}
	})
}

// Nodes run the models on stored posts at different times. A look arrives before or after that.
func TestLooksAndReinferenceMeetInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := post("a", "coffee")
		for _, late := range []bool{false, true} {
			w := newWorld(t, memory.New())
			w.append(t, journal.Entry{Posts: []earshot.Post{a}})
			synctest.Wait()
			w.Enrich.SetGeneration(1)
			l := look(a)
			l.Models = enrich.Looked(enrich.ModelVersion(1))
			reinfer := func() {
				err := w.store.Reinfer(t.Context(), poststore.Reinfer{Models: enrich.ModelVersion(1), Infer: func(posts []earshot.Post) {
					w.Enrich.ClearInferred(posts)
					w.Enrich.All(posts)
				}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !late {
				reinfer()
			}
			w.append(t, journal.Entry{Looks: []journal.Look{l}})
			synctest.Wait()
			reinfer()
			if !w.looked(t, a) {
				t.Errorf("reinference after the look: %t: the look is lost", late)
			}
		}
	})
}

func TestDeletedPostsStayDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		a, b := post("a", "coffee"), post("b", "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{a, b}})
		w.append(t, journal.Entry{Deletion: &earshot.Deletion{Source: earshot.News, GUIDs: []string{"a"}}})
		w.append(t, looks(a, b))
		synctest.Wait()
		if n := w.count(t, 0); n != 1 || !w.looked(t, b) {
			t.Errorf("got %d posts, want b with its look", n)
		}
	})
}

// A monitor that was disabled, and one that was changed from a day on, keep the posts that they have.
func TestMonitorsKeepPostsThatAreLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &trackingStore{Store: memory.New(), tracked: map[string][]poststore.SetID{}}
		w := newWorld(t, store)
		w.crash()
		assigned := poststore.CategorySet(50, 0)
		w.Categorizers = func(m *earshot.Monitor) []pipeline.Categorizer {
			if m.ID != 2 {
				return nil
			}
			return []pipeline.Categorizer{func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID {
				if p.Sentiment == lookedSentiment {
					return append(sets, assigned)
				}
				return sets
			}}
		}
		w.start(t)
		w.social(t, 1, 11)
		for id, keywords := range map[earshot.MonitorID]string{2: "coffee", 3: "coffee", 4: "coffee", 5: "coffee", 6: "coffee", 400: "tea"} {
			w.monitor(t, id, keywords)
		}
		early, later := tweet("z", "joe", "coffee"), tweet("f", "acme", "coffee")
		early.Time = noon.AddDate(0, 0, -1)
		posts := append(slices.Clone(tweets), early)
		w.append(t, journal.Entry{Posts: posts})
		synctest.Wait()
		for _, id := range []earshot.MonitorID{1, 2, 3, 400} {
			w.change(t, id, func(m *earshot.Monitor) { m.Enabled, m.DisabledAt = false, 1 })
		}
		w.change(t, 3, func(m *earshot.Monitor) { m.Removed = true })
		day := earshot.DateOf(noon)
		w.change(t, 4, func(m *earshot.Monitor) { // from the next day on
			m.Start, m.RematchFrom, m.Criteria.Keywords = day, day.AddDays(1), "juice"
		})
		w.change(t, 5, func(m *earshot.Monitor) { // from the day of the posts on
			m.Start, m.RematchFrom, m.Criteria.Keywords = day.AddDays(-1), day, "juice"
		})
		for id := range earshot.MonitorID(poststore.MaxSets) { // more sets than fit in a tally
			w.monitor(t, 100+id, "coffee")
			w.change(t, 100+id, func(m *earshot.Monitor) { m.Enabled = false })
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{later}})
		posts = append(posts, later)
		clear(store.tracked)
		w.append(t, looks(posts...))
		synctest.Wait()
		for _, p := range posts {
			if !w.looked(t, p) {
				t.Errorf("%s was not looked at", p.GUID)
			}
		}
		f := func(set poststore.SetID, want int64) {
			t.Helper()
			if got := w.count(t, set); got != want {
				t.Errorf("set %d has %d posts, want %d", set, got, want)
			}
		}
		f(1, 4) // nobody mentions the account in the others
		f(11, 2)
		f(-1, 2)
		f(-11, 1)
		f(2, 3)
		f(assigned, 3)
		f(3, 0)
		f(4, 3)
		f(5, 1)
		f(6, 4)
		f(100, 0)
		f(400, 2)
		for guid, want := range map[string][]poststore.SetID{"a": {1, -1}, "b": {1, 11, -1, -11}, "c": {1}, "d": {1, 11}, "e": nil, "f": nil} {
			if got := store.tracked[guid]; !slices.Equal(got, want) {
				t.Errorf("%s is tracked by %v, want %v", guid, got, want)
			}
		}
	})
}

func TestMonitorsKeepPostsWhosePicturesAreRequestedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{pictured("a", "coffee", "u")}})
		synctest.Wait()
		w.change(t, 1, func(m *earshot.Monitor) { m.Enabled, m.DisabledAt = false, 1 })
		w.append(t, dog("u", key("a", 0)))
		synctest.Wait()
		if dogs := w.dogs(t, 1); dogs != 1 {
			t.Errorf("got %d posts with dogs, want 1", dogs)
		}
	})
}

func TestPicturesKeepLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		a, b := pictured("a", "coffee", "u"), pictured("b", "coffee", "u")
		w.append(t, journal.Entry{Posts: []earshot.Post{a, b}})
		w.append(t, looks(a))
		w.append(t, dog("u", key("a", 1), key("b", 1)))
		synctest.Wait()
		for _, when := range []string{"at first", "rebuilt"} {
			if dogs := w.dogs(t, 1); dogs != 2 || !w.looked(t, a) || w.looked(t, b) {
				t.Errorf("%s: got %d posts with dogs, a %t, b %t, want 2, and only a with a look", when, dogs, w.looked(t, a), w.looked(t, b))
			}
			w.restart(t, memory.New())
			synctest.Wait()
		}
	})
}

func TestLooksKeepCountersAndCorrections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.social(t, 1, 11)
		p := tweets[0]
		for _, likes := range []int64{3, 5} {
			p.Likes = earshot.Counted(likes)
			w.append(t, journal.Entry{Posts: []earshot.Post{p}})
		}
		time.Sleep(time.Hour) // virtual
		p.Likes = earshot.Count{}
		w.append(t, journal.Entry{Posts: []earshot.Post{p}}) // does not state its likes
		w.append(t, looks(p))
		synctest.Wait()
		if n, _ := w.find(t, p).Likes.Value(); n != 5 || !w.looked(t, p) {
			t.Errorf("got %d likes, look %t, want 5 and a look", n, w.looked(t, p))
		}
		var changes []int64
		err := w.store.CounterChanges(t.Context(), 1, p.Time, p.Time.Add(1), func(c poststore.CounterChange) { changes = append(changes, c.Likes) })
		if err != nil || !slices.Equal(changes, []int64{2}) {
			t.Errorf("got changes %v, %v, want one of 2 likes", changes, err)
		}
		corrected := poststore.NewCorrections(map[earshot.PostKey]poststore.Correction{p.Key(): {Sentiment: 1 + earshot.Positive}})
		rows, err := poststore.TallyOne(t.Context(), w.store, poststore.Selection{Set: 1, Corrections: corrected}, poststore.Tally{By: []poststore.Dim{poststore.BySentiment}})
		if want := []poststore.Row{{Key: []string{"Basic Positive"}, Posts: 1}}; err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
			t.Errorf("got %v, %v, want %v", rows, err, want)
		}
	})
}

// A lookPanic panics when it stores the result of a second look.
type lookPanic struct{ poststore.Store }

func (s *lookPanic) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	if slices.ContainsFunc(posts, func(m poststore.MatchedPost) bool { return enrich.IsLooked(m.Post.InferredBy) }) {
		panic("cannot digest this")
	}
	return s.Store.Append(ctx, at, posts)
}

func TestLooksThatCannotBeStoredBecomeDeadLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &lookPanic{memory.New()})
		w.crash()
		s := &streams{}
		w.Streams = s
		w.start(t)
		a := post("a", "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{a}})
		w.append(t, looks(a))
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		synctest.Wait()
		letters, err := w.Journal.DeadLetters(t.Context())
		if err != nil || letters.Count != 1 || letters.Recent[0].Position != 2 || !strings.Contains(letters.Recent[0].Reason, "cannot digest this") {
			t.Errorf("got %+v %v, want one letter with the reason", letters, err)
		}
		if got, want := s.saw(), "1 a[], 2, 3 b[]"; got != want || w.looked(t, a) || w.count(t, 0) != 2 {
			t.Errorf("got %s, look %t, %d posts", got, w.looked(t, a), w.count(t, 0))
		}
	})
}

// Entries with looks are not stored in a group with posts.
func TestLooksAreAppliedBetweenWaitingEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newGrouping(0))
		a, b := post("a", "coffee"), post("b", "coffee")
		for i := range 30 { // the others gather in the meantime
			w.append(t, journal.Entry{Posts: []earshot.Post{post(fmt.Sprint(i), "coffee")}})
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{a, b}})
		w.append(t, looks(a, b))
		w.append(t, journal.Entry{Posts: []earshot.Post{b}})
		time.Sleep(time.Minute) // virtual
		synctest.Wait()
		if !w.looked(t, a) || w.looked(t, b) {
			t.Errorf("got looks of a %t, b %t, want only a's: a newer version replaced b", w.looked(t, a), w.looked(t, b))
		}
	})
}
