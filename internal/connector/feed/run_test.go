package feed

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/test/testenv"
)

// bubble runs a test on virtual time, which starts at midnight UTC on 2000-01-01, a Saturday.
func bubble(t *testing.T, settings connector.Settings, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newWorld(t, settings)) })
}

var oneFeed = connector.Settings{"url": "https://a.example/feed"}

func listOf(addresses ...string) connector.Settings {
	return connector.Settings{"feeds": strings.Join(addresses, "\n")}
}

func TestUnchangedFeedsAreNotTransferred(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		now := time.Now()
		set := w.site("a.example", "/feed", article("/1", now.Add(-time.Minute), "one"))
		w.start()
		w.pass(time.Minute)
		w.sink.expect(t, "one")
		w.sink.expectState(t, connector.Live, "")
		bytes := w.sink.snapshot().count.Bytes
		w.pass(time.Hour)
		if n := len(w.requests()); n < 5 {
			t.Errorf("got %d requests in an hour, want one every 5 minutes at first", n)
		}
		if w.sink.snapshot().count.Bytes != bytes || w.sink.snapshot().versions != 1 {
			t.Errorf("got %d bytes more and %d versions of a feed that did not change", w.sink.snapshot().count.Bytes-bytes, w.sink.snapshot().versions)
		}
		set(article("/2", time.Now(), "two"), article("/1", now, "one, edited"))
		w.pass(time.Hour)
		w.sink.expect(t, "one, edited", "two")
		if c := w.sink.snapshot().count; c.Events != 3 || w.sink.snapshot().versions != 3 {
			t.Errorf("got %d events and %d versions, want 3", c.Events, w.sink.snapshot().versions)
		}
	})
}

func TestIntervals(t *testing.T) {
	testenv.SkipUnderRace(t)
	const day = 24 * time.Hour
	f := func(name string, every, period time.Duration, header, elements string, polls [2]int) {
		t.Helper()
		bubble(t, oneFeed, func(t *testing.T, w *world) {
			began := time.Now()
			w.handle("a.example", "/feed", func(rw http.ResponseWriter, r *http.Request) {
				var items []string
				for at := time.Now().Truncate(every); len(items) < 20; at = at.Add(-every) {
					items = append(items, article(fmt.Sprint("/", at.Unix()), at, "x"))
				}
				rw.Header().Set("Cache-Control", header)
				rw.Write([]byte(strings.Replace(string(rssOf(items...)), "<channel>", "<channel>"+elements, 1)))
			})
			w.start()
			w.pass(period)
			w.requests()
			w.pass(period)
			if n := len(w.requests()); n < polls[0] || n > polls[1] {
				t.Errorf("%s: got %d requests, want %v", name, n, polls)
			}
			if want := int(time.Since(began)/every) + 20; len(w.sink.snapshot().posts) < want-15 || len(w.sink.snapshot().gaps) > 0 {
				t.Errorf("%s: got %d posts and %d gaps, want %d posts", name, len(w.sink.snapshot().posts), len(w.sink.snapshot().gaps), want)
			}
		})
	}
	f("every minute", time.Minute, day, "", "", [2]int{250, 288})
	f("every hour", time.Hour, day, "", "", [2]int{75, 110})
	f("once a day", day, 10*day, "", "", [2]int{32, 50})
	f("once a month", 30*day, 10*day, "", "", [2]int{9, 11})
	f("max-age", time.Hour, 5*day, "public, max-age=7200", "", [2]int{52, 61})
	f("ttl", time.Hour, 5*day, "max-age=60", "<ttl>180</ttl>", [2]int{35, 41})
	f("hourly", 10*time.Minute, 2*day, "", `<sy:updatePeriod xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">hourly</sy:updatePeriod>`, [2]int{42, 49})
	f("twice a day", time.Hour, 10*day, "", `<x:updatePeriod xmlns:x="http://purl.org/rss/1.0/modules/syndication/"> daily </x:updatePeriod><x:updateFrequency xmlns:x="http://purl.org/rss/1.0/modules/syndication/">2</x:updateFrequency>`, [2]int{18, 21})
	f("absurd hints", time.Hour, day, "max-age=99999999999999999999", "<ttl>-5</ttl><skipHours><hour>99</hour></skipHours>", [2]int{75, 110})
	f("everything is excluded", time.Hour, day, "", "<skipDays><day>Monday</day><day>Tuesday</day><day>Wednesday</day><day>Thursday</day><day>Friday</day><day>Saturday</day><day>Sunday</day></skipDays>", [2]int{75, 110})
}

func TestMaxAge(t *testing.T) {
	f := func(control, age string, want time.Duration) {
		t.Helper()
		if got := maxAge(http.Header{"Cache-Control": {"public", control}, "Age": {age}}); got != want {
			t.Errorf("%q, %q: got %v, want %v", control, age, got, want)
		}
	}
	f("max-age=600", "", 10*time.Minute)
	f("no-transform, Max-Age=600", "60", 9*time.Minute)
	f(`max-age="600"`, "6000", 0)
	f("s-maxage=600", "", 0)
	f("max-age=-5", "", 0)
	f("max-age=999999999999", "", maxInterval)
}

func TestExcludedHours(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		w.handle("a.example", "/feed", func(rw http.ResponseWriter, r *http.Request) {
			if now := time.Now().UTC(); now.Hour() < 6 && now.Day() > 1 || now.Weekday() == time.Sunday {
				t.Errorf("a request at %v", now)
			}
			fmt.Fprint(rw, "<rss><channel><skipHours><hour>0</hour><hour>1</hour><hour>2</hour><hour>3</hour><hour>4</hour><hour>5</hour></skipHours><skipDays><day>sunday</day></skipDays></channel></rss>")
		})
		w.start()
		w.pass(14 * 24 * time.Hour)
		if n := len(w.requests()); n < 11*18*3 {
			t.Errorf("got only %d requests", n)
		}
	})
}

func TestRedirects(t *testing.T) {
	bubble(t, listOf("https://a.example/feed", "https://b.example/feed"), func(t *testing.T, w *world) {
		w.handle("a.example", "/feed", answer(http.StatusMovedPermanently, "Location: https://new.example/feed"))
		w.site("new.example", "/feed", article("/1", time.Now(), "moved"))
		w.handle("b.example", "/feed", answer(http.StatusFound, "Location: /other"))
		w.site("b.example", "/other", article("/1", time.Now(), "temporary"))
		w.start()
		w.pass(time.Minute)
		w.sink.expect(t, "moved", "temporary")
		w.sink.expectState(t, connector.Live, "")
		w.end()
		w.requests()
		w.start()
		w.pass(9 * time.Minute)
		w.end()
		got := w.requests()
		slices.Sort(got)
		if want := []string{"b.example/feed", "b.example/other", "new.example/feed"}; !slices.Equal(got, want) {
			t.Errorf("got the requests %q, want %q", got, want)
		}
	})
}

// TestMovedFeedsSurviveOutages checks that a feed stays at its new address if the old one, which no
// longer redirects, answers first after an outage.
func TestMovedFeedsSurviveOutages(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		w.handle("a.example", "/feed", answer(http.StatusMovedPermanently, "Location: https://new.example/feed"))
		set := w.site("new.example", "/feed", article("/1", time.Now(), "one"))
		w.start()
		w.pass(time.Minute)
		w.handle("a.example", "", answer(http.StatusNotFound))
		up := w.handler("new.example")
		w.handle("new.example", "", answer(http.StatusBadGateway))
		w.pass(3 * 24 * time.Hour)
		w.sink.expectState(t, connector.BackingOff, w.sink.snapshot().state.Reason)
		w.handle("new.example", "", up)
		set(article("/2", time.Now(), "two"))
		w.pass(3 * 24 * time.Hour)
		w.sink.expect(t, "one", "two")
		w.sink.expectState(t, connector.Live, "")
		w.requests()
		w.pass(24 * time.Hour)
		for _, r := range w.requests() {
			if r != "new.example/feed" {
				t.Errorf("got the request %s", r)
			}
		}
	})
}

func TestBadRedirects(t *testing.T) {
	f := func(location, want string) {
		t.Helper()
		bubble(t, oneFeed, func(t *testing.T, w *world) {
			w.handle("a.example", "/feed", answer(http.StatusMovedPermanently, "Location: "+location))
			w.start()
			w.pass(20 * time.Second)
			w.sink.expectState(t, connector.BackingOff, want)
		})
	}
	f("/feed", "a.example redirects too many times")
	f("", "a.example redirects to an invalid address")
	f("file:///etc/passwd", "a.example redirects to an invalid address")
	f("https://user:pass@b.example/", "a.example redirects to an invalid address")
	f("https://gone.example/", "gone.example has no public address")
}

func TestBackoff(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		w.handle("a.example", "/feed", answer(http.StatusInternalServerError))
		w.start()
		w.pass(time.Hour)
		w.sink.expectState(t, connector.BackingOff, "a.example returned 500 Internal Server Error")
		if n := len(w.requests()); n < 4 || n > 7 {
			t.Errorf("got %d requests in the first hour, want about 6", n)
		}
		w.pass(7 * 24 * time.Hour)
		w.requests()
		w.pass(7 * 24 * time.Hour)
		if n := len(w.requests()); n < 6 || n > 8 {
			t.Errorf("got %d requests in the third week, want one a day", n)
		}
		w.end()
		w.start()
		w.pass(time.Minute)
		w.expect() // a restart does not forget the failures
		w.site("a.example", "/feed", article("/1", time.Now(), "one"))
		w.pass(25 * time.Hour)
		w.sink.expect(t, "one")
		w.sink.expectState(t, connector.Live, "")
	})
}

func TestDeadFeedsDoNotHideOthers(t *testing.T) {
	bubble(t, listOf("https://a.example/feed", "https://dead.example/feed", "https://b.example/feed", "https://gone.example/feed"), func(t *testing.T, w *world) {
		w.site("a.example", "/feed", article("/1", time.Now(), "one"))
		set := w.site("b.example", "/feed", article("/2", time.Now(), "two"))
		w.handle("gone.example", "", answer(http.StatusGone))
		w.start()
		w.pass(30 * time.Second)
		w.sink.expect(t, "one", "two")
		w.sink.expectState(t, connector.Live, "2 of 4 feeds cannot be read (1 of them are gone), for example https://gone.example/feed: gone.example: the feed is gone")
		set(article("/3", time.Now(), "three"), article("/2", time.Now(), "two"))
		w.pass(24 * time.Hour)
		w.sink.expect(t, "one", "three", "two")
		w.end()
		w.start()
		w.pass(24 * time.Hour)
		polls := 0
		for _, r := range w.requests() {
			if strings.HasPrefix(r, "gone.example") {
				polls++
			}
		}
		if polls != 1 {
			t.Errorf("got %d requests for a feed that is gone, want 1", polls)
		}
	})
}

func TestAttention(t *testing.T) {
	f := func(name string, settings connector.Settings, handler http.HandlerFunc, want string) {
		t.Helper()
		bubble(t, settings, func(t *testing.T, w *world) {
			w.handle("a.example", "", handler)
			w.handle("b.example", "", handler)
			for range 2 { // a person who starts the source again sees the current reason
				w.start()
				w.pass(time.Minute)
				w.requests()
				w.pass(24 * time.Hour)
				w.expect()
				err := w.end()
				if !errors.Is(err, connector.ErrAttention) || err.Error() != "the source needs attention: "+want {
					t.Errorf("%s: got the error %v\nwant attention: %s", name, err, want)
				}
			}
		})
	}
	f("denied", oneFeed, answer(http.StatusForbidden), "a.example returned 403 Forbidden")
	f("sign-in", oneFeed, answer(http.StatusUnauthorized), "a.example returned 401 Unauthorized")
	f("gone", oneFeed, answer(http.StatusGone), "a.example: the feed is gone")
	f("page without a feed", connector.Settings{"url": "a.example"}, func(rw http.ResponseWriter, r *http.Request) {
		rw.Write([]byte("<!doctype html><title>Hello</title>"))
	}, "https://a.example: no feed was found at this address; enter the address of the feed itself")
	f("all denied or gone", listOf("https://a.example/1", "https://b.example/2"), answer(http.StatusGone),
		"2 of 2 feeds cannot be read (2 of them are gone), for example https://b.example/2: b.example: the feed is gone")
}

func TestRetryAfterHoldsTheHost(t *testing.T) {
	bubble(t, listOf("https://a.example/1", "https://a.example/2", "https://b.example/feed"), func(t *testing.T, w *world) {
		until := time.Now().Add(3 * time.Hour)
		w.handle("a.example", "", func(rw http.ResponseWriter, r *http.Request) {
			if time.Now().Before(until) {
				rw.Header().Set("Retry-After", "10800")
				rw.WriteHeader(http.StatusTooManyRequests)
				return
			}
			rw.Write(rssOf(article(r.URL.Path, time.Now(), r.URL.Path)))
		})
		w.site("b.example", "/feed", article("/b", time.Now(), "b"))
		w.start()
		w.pass(time.Minute)
		w.expect("a.example/1", "b.example/feed")
		w.sink.expectState(t, connector.Live, "1 of 3 feeds cannot be read, for example https://a.example/1: a.example is limiting requests")
		w.end()
		w.start()
		w.pass(170 * time.Minute)
		for _, r := range w.requests() {
			if strings.HasPrefix(r, "a.example") {
				t.Errorf("the request %s does not honor Retry-After", r)
			}
		}
		w.pass(time.Hour)
		w.sink.expect(t, "/1", "/2", "b")
		w.sink.expectState(t, connector.Live, "")
	})
}

func TestSlowServers(t *testing.T) {
	bubble(t, listOf("https://slow.example/feed", "https://b.example/feed"), func(t *testing.T, w *world) {
		w.handle("slow.example", "/feed", answer(http.StatusOK, "Test-Body: slow"))
		w.site("b.example", "/feed", article("/b", time.Now(), "b"))
		w.start()
		w.pass(10 * time.Second)
		w.sink.expect(t, "b")
		w.pass(time.Minute)
		w.sink.expectState(t, connector.Live, "1 of 2 feeds cannot be read, for example https://slow.example/feed: slow.example did not respond in time")
	})
}

func TestDiscovery(t *testing.T) {
	page := func(links string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<!doctype html><html><head>%s</head><body>hello", links)
		}
	}
	bubble(t, connector.Settings{"url": "a.example"}, func(t *testing.T, w *world) {
		w.site("a.example", "/news.xml", article("/1", time.Now(), "linked"))
		w.handle("a.example", "", page(`<link rel=alternate type="application/rss+xml" title="Comments" href="/comments"><LINK REL="alternate home" TYPE="application/atom+xml; charset=utf-8" HREF="news.xml">`))
		w.site("a.example", "/news.xml", article("/1", time.Now(), "linked"))
		w.start()
		w.pass(time.Minute)
		w.sink.expect(t, "linked")
		w.expect("a.example/", "a.example/news.xml")
		w.end()
		w.start()
		w.pass(9 * time.Minute)
		w.expect("a.example/news.xml")
		// The site moves its feed: the source finds it again.
		w.handle("a.example", "", page(`<link rel="alternate" type="application/rss+xml" href="https://b.example/feed">`))
		w.site("b.example", "/feed", article("https://a.example/2", time.Now(), "moved"))
		w.pass(24 * time.Hour)
		w.sink.expect(t, "linked", "moved")
		w.sink.expectState(t, connector.Live, "")
	})
	bubble(t, connector.Settings{"url": "a.example/blog"}, func(t *testing.T, w *world) {
		w.handle("a.example", "/blog", page(""))
		w.site("a.example", "/atom.xml", article("/1", time.Now(), "usual path"))
		w.start()
		w.pass(time.Minute)
		w.sink.expect(t, "usual path")
		w.expect("a.example/blog", "a.example/feed", "a.example/rss", "a.example/atom.xml")
	})
}

func TestDates(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		began := time.Now().UTC()
		set := w.site("a.example", "/feed", "<guid>1</guid><title>undated</title>", article("/2", began.Add(48*time.Hour), "future"))
		w.start()
		w.pass(6 * time.Hour)
		set("<guid>1</guid><title>undated, edited</title>", article("/2", began.Add(48*time.Hour), "future, edited"))
		w.pass(12 * time.Hour)
		w.sink.expect(t, "future, edited", "undated, edited")
		for _, p := range w.sink.snapshot().posts {
			if !p.Time.Equal(began) {
				t.Errorf("%s has the time %v, want %v, when it was first seen", p.Title, p.Time, began)
			}
		}
	})
}

func TestOneArticleInTwoFeedsIsOnePost(t *testing.T) {
	bubble(t, listOf("https://a.example/1", "https://b.example/2"), func(t *testing.T, w *world) {
		w.site("a.example", "/1", article("https://news.example/story?utm_source=a", time.Now(), "story"))
		w.site("b.example", "/2", article("http://news.example/story#x", time.Now(), "story"))
		w.start()
		w.pass(time.Hour)
		w.sink.expect(t, "story")
	})
}

func TestGaps(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		began := time.Now().UTC()
		set := w.site("a.example", "/feed", article("/1", began, "one"))
		w.start()
		w.pass(time.Minute)
		w.end()
		w.pass(24 * time.Hour)
		set(article("/9", time.Now(), "nine"), article("/8", time.Now().Add(-time.Hour), "eight"))
		w.start()
		w.pass(time.Minute)
		w.sink.expect(t, "eight", "nine", "one")
		if len(w.sink.snapshot().gaps) != 1 {
			t.Fatalf("got the gaps %+v, want one", w.sink.snapshot().gaps)
		}
		g := w.sink.snapshot().gaps[0]
		want := connector.Gap{From: began, To: began.Add(23*time.Hour + time.Minute), Reason: "https://a.example/feed published more items than it lists"}
		if g.Reason != want.Reason || g.From.Sub(want.From).Abs() > time.Minute || g.To.Sub(want.To).Abs() > time.Minute {
			t.Errorf("got the gap %+v, want %+v", g, want)
		}
		// New addresses of old items are no gap, nor is a feed that is empty for a while.
		set(article("/a/9", time.Now().Add(-24*time.Hour), "nine, moved"))
		w.pass(24 * time.Hour)
		set()
		w.pass(24 * time.Hour)
		if len(w.sink.snapshot().gaps) != 1 {
			t.Errorf("got the gaps %+v, want no other", w.sink.snapshot().gaps)
		}
	})
}

func TestManyFeedsOnOneHost(t *testing.T) {
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprintf("https://a.example/%d", i))
	}
	bubble(t, listOf(list...), func(t *testing.T, w *world) {
		w.handle("a.example", "", func(rw http.ResponseWriter, r *http.Request) {
			<-time.After(300 * time.Millisecond)
			rw.Write(rssOf(article(r.URL.Path, time.Now(), r.URL.Path)))
		})
		w.start()
		w.pass(200 * 2400 * time.Millisecond)
		if n := len(w.sink.titles()); n != 200 {
			t.Errorf("got posts of %d feeds, want 200: a feed waits for its turn only once", n)
		}
	})
}

func TestLargeFeedsAreDeliveredInBatches(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		var items []string
		for i := range 1500 {
			items = append(items, article(fmt.Sprint("/", i), time.Now(), strings.Repeat("word ", 400)))
		}
		w.site("a.example", "/feed", items...)
		w.start()
		w.pass(time.Minute)
		if len(w.sink.snapshot().posts) != 1500 || len(w.sink.snapshot().batches) < 3 {
			t.Errorf("got %d posts in %v, want 1500 in batches of limited size", len(w.sink.snapshot().posts), w.sink.snapshot().batches)
		}
	})
}

func TestFailedDeliveryIsRepeated(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		w.site("a.example", "/feed", article("/1", time.Now(), "one"))
		w.sink.fail = errDisk
		w.start()
		w.pass(time.Minute)
		if err := w.end(); !errors.Is(err, errDisk) {
			t.Errorf("got the error %v, want that of Deliver", err)
		}
		w.sink.fail = nil
		w.start()
		w.pass(time.Minute)
		w.sink.expect(t, "one")
	})
}

func TestRecordsOfRemovedFeedsAreForgotten(t *testing.T) {
	bubble(t, listOf("https://a.example/feed", "https://b.example/feed"), func(t *testing.T, w *world) {
		w.site("a.example", "/feed", article("/1", time.Now(), "one"))
		w.site("b.example", "/feed", article("/1", time.Now(), "two"))
		w.start()
		w.pass(time.Minute)
		w.end()
		w.settings = oneFeed
		w.start()
		w.pass(time.Minute)
		keys, err := w.store.Keys(t.Context(), ">")
		if err != nil || len(keys) != 1 || keys[0] != recordKey("https://a.example/feed") {
			t.Errorf("got the records %q, %v, want that of one feed", keys, err)
		}
	})
}

func TestDamagedRecordsAreIgnored(t *testing.T) {
	bubble(t, oneFeed, func(t *testing.T, w *world) {
		w.site("a.example", "/feed", article("/1", time.Now(), "one"))
		for _, value := range []string{"", "{", `{"items":"AAAA"}`, `{"next":"x"}`} {
			w.store.Set(t.Context(), recordKey("https://a.example/feed"), []byte(value))
			clear(w.sink.posts)
			w.start()
			w.pass(time.Minute)
			w.sink.expect(t, "one")
			w.end()
		}
	})
}

func TestTypes(t *testing.T) {
	for _, source := range []earshot.Source{earshot.News, earshot.Blogs, earshot.Forums} {
		settings := connector.Settings{"url": "https://a.example/feed", "type": string(source)}
		if got := Kind().Sources(settings); len(got) != 1 || got[0] != source {
			t.Errorf("got the sources %v, want %v", got, source)
		}
		bubble(t, settings, func(t *testing.T, w *world) {
			w.site("a.example", "/feed", article("/1", time.Now(), "one"))
			posts, err := Kind().New(w.env()).Sample(t.Context(), 5)
			if err != nil || len(posts) != 1 || posts[0].Source != source {
				t.Errorf("got %+v, %v, want a post of %s", posts, err, source)
			}
		})
	}
}

func TestSampleErrors(t *testing.T) {
	bubble(t, listOf("https://dead.example/feed", "https://a.example/feed"), func(t *testing.T, w *world) {
		_, err := Kind().New(w.env()).Sample(t.Context(), 5)
		if err == nil || err.Error() != "a.example has no public address" {
			t.Errorf("got the error %v", err)
		}
		w.pass(hostGap)
		w.site("a.example", "/feed", article("/1", time.Now(), "one"), article("/2", time.Now().Add(-time.Hour), "two"), article("/3", time.Now().Add(time.Hour), "three"))
		posts, err := Kind().New(w.env()).Sample(t.Context(), 2)
		if err != nil || len(posts) != 2 || posts[0].Title != "one" {
			t.Errorf("got %+v, %v", posts, err)
		}
		if keys, _ := w.store.Keys(t.Context(), ">"); len(keys) > 0 {
			t.Errorf("a sample wrote the records %q", keys)
		}
	})
}
