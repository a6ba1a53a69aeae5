package mastodon

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"earshot"
	"earshot/internal/test/testenv"
)

const recordings = "../../../../shared/data/connectors/mastodon"

// An exchange is a recorded request and its answer.
type exchange struct {
	Request struct {
		Method string
		URI    string
	}
	Response struct {
		Body    struct{ String string }
		Headers map[string][]string
		Status  struct{ Code int }
	}
}

func readRecording(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordings, name))
	if os.IsNotExist(err) {
		testenv.SkipMissing(t, fmt.Sprintf("no recordings in %s", recordings))
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func recordedExchanges(t testing.TB, name string) []exchange {
	t.Helper()
	var file struct{ Interactions []exchange }
	if err := yaml.Unmarshal(readRecording(t, name), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Interactions) == 0 {
		t.Fatalf("%s has no exchanges", name)
	}
	return file.Interactions
}

// recordedAnswer returns the answer to a GET request for an address that contains part.
func recordedAnswer(t testing.TB, name, part string) exchange {
	t.Helper()
	all := recordedExchanges(t, name)
	i := slices.IndexFunc(all, func(x exchange) bool { return x.Request.Method == "GET" && strings.Contains(x.Request.URI, part) })
	if i < 0 {
		t.Fatalf("%s has no answer for %s", name, part)
	}
	return all[i]
}

func recordedMessages(t testing.TB) (all []message) {
	t.Helper()
	s := newScanner(strings.NewReader(string(readRecording(t, "public-stream.sse"))+"\n\n"), func() {})
	for {
		m, err := s.next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
}

func TestRecordedStream(t *testing.T) {
	var got []string
	posts := map[string]earshot.Post{}
	r := &reader{}
	for _, m := range recordedMessages(t) {
		switch c := r.change(event{message: m}); c.kind {
		case removed:
			got = append(got, m.name+" "+c.id)
		case skipped:
			got = append(got, m.name+" skipped: "+c.skip)
		default:
			p, skip := c.status.post("mastodon.social", noon)
			if skip != "" {
				got = append(got, m.name+" skipped: "+skip)
				continue
			}
			checkPost(t, &p)
			got = append(got, m.name+" "+p.GUID)
			posts[p.GUID] = p
		}
	}
	want := []string{
		"update skipped: not public",
		"status.update http://mastodon.local/users/admin/statuses/109348677773283527",
		"update https://mstdn.jp/users/aiueohisama/statuses/108914354891945610",
		"delete 107214471804101576",
		"status.update https://ruby.social/users/chrismo/statuses/109348684454557541",
		"update https://mastodon.social/users/trwnh/statuses/108914398911648589",
		"delete 108914398911648589",
		"status.update https://mastodon.social/users/gregpak/statuses/109348699525106378",
		"update https://mstdn.jp/users/aiueohisama/statuses/108914354891945610",
		"delete 107214471804101576",
		"status.update https://ruby.social/users/chrismo/statuses/109348684454557541",
		"update https://mastodon.social/users/trwnh/statuses/108914430312582020",
		"delete 108914430312582020",
		"status.update https://ruby.social/users/chrismo/statuses/109348684454557541",
		"update https://mastodon.social/users/trwnh/statuses/108914430312582020",
		"delete 108914430312582020",
		"status.update https://mastodon.social/users/trwnh/statuses/108914430312582020",
		"update skipped: not public",
		"delete 108914398911648589",
		"status.update skipped: not public",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d messages:\n%s", len(got), strings.Join(got, "\n"))
	}
	p := posts["https://ruby.social/users/chrismo/statuses/109348684454557541"]
	p.Bio = "" // long
	if want := (earshot.Post{
		Source: earshot.Mastodon, GUID: "https://ruby.social/users/chrismo/statuses/109348684454557541", URL: "https://ruby.social/@chrismo/109348684454557541", Site: "ruby.social",
		Time: time.Date(2022, 11, 15, 16, 8, 30, 0, time.UTC), Language: "en", Engagement: earshot.OriginalPost,
		Contents: "#musicTuesday\n\nHere's a solo #piano track of mine called Gravity Assist\n\n#neoclassical (#jazz ish)\n\ncstudios.bandcamp.com/track/ce…",
		Author:   "chrismo@ruby.social (chrismo)", AuthorUsername: "chrismo@ruby.social", AuthorProfileID: "https://ruby.social/@chrismo", PageID: "https://ruby.social/@chrismo",
		Followers: earshot.Counted(40), Following: earshot.Counted(62), AuthorPosts: earshot.Counted(42),
		Likes: earshot.Counted(0), Retweets: earshot.Counted(0), Replies: earshot.Counted(0),
		Hashtags: []string{"musictuesday", "piano", "neoclassical", "jazz"}, Links: []string{"https://cstudios.bandcamp.com/track/celestia-gravity-assist-no-19-var-2"},
	}); !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
}

func TestRecordedTimelines(t *testing.T) {
	all := recordedStatuses(t)
	skips := map[string]int{}
	for _, data := range all {
		st, err := decodeStatus(data)
		if err != nil {
			t.Fatal(err)
		}
		p, skip := st.post("localhost:3000", noon)
		if skips[skip]++; skip == "" {
			checkPost(t, &p)
		}
	}
	if want := map[string]int{"": 7, noIndexing: 38, notPublic: 15}; !reflect.DeepEqual(skips, want) {
		t.Errorf("skipped %v of %d posts, want %v", skips, len(all), want)
	}

	x := recordedAnswer(t, "test_hashtag_tl.yaml", "/timelines/tag/hoot")
	list, err := decodeTimeline([]byte(x.Response.Body.String))
	if err != nil || len(list) != 1 {
		t.Fatalf("got %d posts and %v, want one", len(list), err)
	}
	st, err := decodeStatus(list[0])
	if err != nil {
		t.Fatal(err)
	}
	got, skip := st.post("localhost:3000", noon)
	want := earshot.Post{
		Source: earshot.Mastodon, GUID: "http://localhost:3000/ap/users/117020566092212359/statuses/117020593741189701",
		URL: "http://localhost:3000/@mastodonpy_test_2/117020593741189701", Site: "localhost", Time: time.Date(2026, 8, 1, 13, 55, 55, 867e6, time.UTC),
		Contents: "#hoot (hashtag toot)", Language: "ja", Hashtags: []string{"hoot"}, Engagement: earshot.OriginalPost,
		Author: "mastodonpy_test_2@localhost:3000", AuthorUsername: "mastodonpy_test_2@localhost:3000",
		AuthorProfileID: "http://localhost:3000/ap/users/117020566092212359", PageID: "http://localhost:3000/ap/users/117020566092212359",
		Followers: earshot.Counted(0), Following: earshot.Counted(0), AuthorPosts: earshot.Counted(3),
		Likes: earshot.Counted(0), Retweets: earshot.Counted(0), Replies: earshot.Counted(0),
	}
	if skip != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, skipped %q\nwant %+v", got, skip, want)
	}
}

func TestRecordedLimit(t *testing.T) {
	x := recordedAnswer(t, "test_fetch_next_previous.yaml", "/statuses?limit=5")
	h := http.Header{}
	for name, values := range x.Response.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
	var l limit
	l.update(h, time.Date(2026, 8, 1, 13, 52, 0, 0, time.UTC))
	if l.total != 300 || l.remaining != 299 || l.reset.Minute() != 55 {
		t.Errorf("got %+v, want 299 of 300 until 13:55", l)
	}
}

func TestRecordedServers(t *testing.T) {
	f := func(name, part, base, wantDomain, wantStreaming string, wantRules int, wantURL string) *server {
		t.Helper()
		s, err := decodeServer([]byte(recordedAnswer(t, name, part).Response.Body.String), base)
		if err != nil {
			t.Fatal(err)
		}
		if s.domain != wantDomain || s.streaming != wantStreaming || len(s.rules.Items) != wantRules || s.rules.URL != wantURL || s.rules.Version == "" {
			t.Errorf("got %+v", s)
		}
		return s
	}
	const local, social = "http://localhost:3000", "https://mastodon.social"
	f("test_instance.yaml", "/api/v2/instance", local, "localhost:3000", "http://localhost:4000", 0, "http://localhost:3000/about")
	f("test_stream_healthy.yaml", "/api/v1/instance", local, "localhost:3000", "http://localhost:4000", 0, "http://localhost:3000/about")
	v1 := f("test_timeline_disabled.yaml", "mastodon.social/api/v1/instance", social, "mastodon.social", "https://streaming.mastodon.social", 6, "https://mastodon.social/about")
	v2 := f("test_timeline_disabled.yaml", "mastodon.social/api/v2/instance", social, "mastodon.social", "https://streaming.mastodon.social", 6, "https://mastodon.social/terms-of-service")
	if !slices.Equal(v1.rules.Items, v2.rules.Items) || !strings.HasPrefix(v2.rules.Items[0], "Sexually explicit or violent media must be marked as sensitive or with a content warning\nThis includes ") {
		t.Errorf("got the rules %q", v2.rules.Items)
	}
	for timeline, want := range map[string]string{
		hashtagTimeline: "<nil>",
		publicTimeline:  "the source needs attention: mastodon.social does not show its public timeline; choose another timeline or server",
		localTimeline:   "the source needs attention: mastodon.social does not show its local timeline; choose another timeline or server",
	} {
		if got := fmt.Sprint(v2.check(config{timeline: timeline, accepted: v2.rules.Version}, true)); got != want {
			t.Errorf("%s: got %q, want %q", timeline, got, want)
		}
	}
}
