package mastodon

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
)

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// base is a post with what posts need.
const base = `"id":"7","uri":"https://b.example/7","visibility":"public","created_at":"2026-11-16T11:00:00.000Z"`

func TestPost(t *testing.T) {
	f := func(body string, want earshot.Post) {
		t.Helper()
		st, err := decodeStatus([]byte("{" + base + "," + body + "}"))
		if err != nil {
			t.Fatal(err)
		}
		want.Source, want.GUID, want.Time = earshot.Mastodon, "https://b.example/7", noon.Add(-time.Hour)
		if want.URL == "" {
			want.URL = want.GUID
		}
		want.Site = "b.example"
		if want.Engagement == "" {
			want.Engagement = earshot.OriginalPost
		}
		got, skip := st.post("a.example", noon)
		if skip != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v, skipped %q\nwant %+v", body, got, skip, want)
		}
	}
	f(`"content":"<p>Tom &amp; Ann</p><p>left<br>early</p>","language":"pt-BR","url":"https://b.example/@ann/7","replies_count":1,"reblogs_count":2,"favourites_count":0`,
		earshot.Post{
			Contents: "Tom & Ann\n\nleft\nearly", Language: "pt", URL: "https://b.example/@ann/7",
			Replies: earshot.Counted(1), Retweets: earshot.Counted(2), Likes: earshot.Counted(0),
		})
	f(`"content":"<p>x</p>","account":{"acct":"ann","url":"https://b.example/@ann","uri":"https://b.example/users/ann","display_name":" Ann :heart: ","note":"<p>I am<br>Ann</p>",
		"followers_count":182,"following_count":20,"statuses_count":-1,"indexable":true,"noindex":false,
		"fields":[{"name":"Pronouns","value":"she"},{"name":"Location:","value":"<a href='x'>Berlin</a>"},{"name":"City","value":"Rome"}]}`,
		earshot.Post{
			Contents: "x", Author: "ann@a.example (Ann :heart:)", AuthorUsername: "ann@a.example", AuthorProfileID: "https://b.example/users/ann", PageID: "https://b.example/users/ann",
			Bio: "I am\nAnn", Followers: earshot.Counted(182), Following: earshot.Counted(20), Location: "Berlin",
		})
	f(`"content":"<p>x</p>","account":{"acct":"bob@c.example","url":"https://c.example/@bob"}`,
		earshot.Post{Contents: "x", Author: "bob@c.example", AuthorUsername: "bob@c.example", AuthorProfileID: "https://c.example/@bob", PageID: "https://c.example/@bob"})
	f(`"spoiler_text":"Food","content":"<p>cake?</p>","poll":{"options":[{"title":"yes"},{"title":"no","votes_count":3}]}`,
		earshot.Post{Contents: "Food\n\ncake?\n\nyes\n\nno"})
	f(`"content":"<p>see <a href=\"https://b.example/tags/go\" class=\"mention hashtag\">#<span>Go</span></a> <a href=\"https://go.dev/\">go.dev</a> <span class=\"h-card\"><a href=\"https://c.example/@bob\" class=\"u-url mention\">@<span>bob</span></a></span></p>",
		"tags":[{"name":"Go","url":"x"}],"mentions":[{"id":"1","acct":"Bob@c.example"},{"id":"2","acct":"eve"}],"card":{"url":"https://go.dev/blog"}`,
		earshot.Post{Contents: "see #Go go.dev @bob", Hashtags: []string{"go"}, Mentions: []string{"bob@c.example", "eve@a.example"}, Links: []string{"https://go.dev/", "https://go.dev/blog"}})
	f(`"content":"","media_attachments":[{"type":"image","url":"https://files.example/1.png","description":"a red car"},
		{"type":"image","url":null,"remote_url":"https://c.example/2.png","description":null},{"type":"video","url":"https://files.example/3.mp4","description":"it drives"},{"type":"unknown","url":"javascript:alert(1)"}]`,
		earshot.Post{
			Contents: "a red car\n\nit drives", MediaURLs: []string{"https://files.example/3.mp4"},
			Images: []earshot.Image{{URL: "https://files.example/1.png", Alt: "a red car"}, {URL: "https://c.example/2.png"}},
		})
	f(`"content":"<p>I agree</p>","in_reply_to_id":"6","in_reply_to_account_id":"2","mentions":[{"id":"1","acct":"bob@c.example"},{"id":"2","acct":"eve"}]`,
		earshot.Post{Contents: "I agree", Engagement: earshot.Reply, EngagingWith: "eve@a.example", Mentions: []string{"bob@c.example", "eve@a.example"}})
	f(`"content":"<p>look</p>","quote":{"state":"accepted","quoted_status":{"id":"5","uri":"https://c.example/5","url":"https://c.example/@bob/5","account":{"acct":"bob@c.example"}}}`,
		earshot.Post{Contents: "look", ParentGUID: "https://c.example/5", EngagingWith: "bob@c.example", Links: []string{"https://c.example/@bob/5"}})
	f(`"content":"<p>look</p>","quote":{"state":"pending","quoted_status":null}`, earshot.Post{Contents: "look"})
	f(`"content":"","account":{"acct":"ann","url":"https://b.example/@ann"},"reblog":{"id":"5","uri":"https://c.example/5","visibility":"public","created_at":"2026-11-16T10:00:00.000Z","content":"<p>news</p>","language":"de",
		"favourites_count":9,"account":{"acct":"bob@c.example","url":"https://c.example/@bob"}}`,
		earshot.Post{
			Contents: "news", Language: "de", Likes: earshot.Counted(9), Engagement: earshot.Retweet, ParentGUID: "https://c.example/5", EngagingWith: "bob@c.example",
			Author: "ann@a.example", AuthorUsername: "ann@a.example", AuthorProfileID: "https://b.example/@ann", PageID: "https://b.example/@ann",
		})
}

func TestSkippedPosts(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		st, err := decodeStatus([]byte("{" + base + "," + body + "}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, skip := st.post("a.example", noon); skip != want {
			t.Errorf("%s: skipped because %q, want %q", body, skip, want)
		}
	}
	f(`"content":"x"`, "")
	f(`"content":"x","visibility":"unlisted"`, notPublic)
	f(`"content":"x","visibility":"private"`, notPublic)
	f(`"content":"x","visibility":null`, "") // a null does not replace the value before it
	f(`"content":"x","visibility":""`, notPublic)
	f(`"content":"x","account":{"indexable":false}`, noIndexing)
	f(`"content":"x","account":{"indexable":null,"noindex":null}`, "")
	f(`"content":"x","account":{"noindex":true}`, noSearch)
	f(`"content":"x","account":{"note":"<p>hi <a class=\"hashtag\">#<span>NoBot</span></a></p>"}`, noBots)
	f(`"content":"x","account":{"note":"likes cats.#nobots!"}`, noBots)
	f(`"content":"x","account":{"note":"#noindex"}`, noBots)
	f(`"content":"x","account":{"fields":[{"name":"x","value":"#noarchive"}]}`, noBots)
	f(`"content":"x","account":{"note":"I know nobot and #nobottles and #norway"}`, "")
	f(`"content":"x","reblog":{"visibility":"public","account":{"indexable":false}}`, noIndexing)
	f(`"content":"x","reblog":{"visibility":"unlisted","content":"x"}`, notPublic)
	f(`"content":"<p></p>"`, "no text")
	f(`"content":"x","uri":""`, "no usable id")
	f(`"content":"x","created_at":"0001-01-01T00:00:00Z"`, "no usable date")
}

func TestIDs(t *testing.T) {
	f := func(id string, want bool) {
		t.Helper()
		if got := validID(id); got != want {
			t.Errorf("validID(%q) is %v", id, got)
		}
	}
	f("117020593741189701", true)
	f("01FBVD42CQ3ZEEVMW180SBX03B", true)
	f("AR3S1O7rvZ-x_9", true)
	f("", false)
	f("1/../2", false)
	f("1 2", false)
	f(strings.Repeat("1", 65), false)
	if compareIDs("99", "100") >= 0 || compareIDs("101", "100") <= 0 || compareIDs("5", "5") != 0 {
		t.Error("ids are not ordered by length and text")
	}
}

// checkPost checks what a stored post needs.
func checkPost(t *testing.T, p *earshot.Post) {
	t.Helper()
	if p.GUID == "" || p.Time.IsZero() || p.Source != earshot.Mastodon || strings.TrimSpace(p.Contents) == "" {
		t.Errorf("got a post without guid, time, source or contents: %+v", p)
	}
	if again := *p; connector.Clean(&again) != "" || !reflect.DeepEqual(again, *p) {
		t.Errorf("the post is not clean: %+v", p)
	}
}

func FuzzStatus(f *testing.F) {
	for _, m := range recordedMessages(f) {
		f.Add(m.data)
	}
	for _, data := range recordedStatuses(f) {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := decodeTimeline(b); err == nil {
			for _, data := range list {
				newChange(current, nil, data)
			}
		}
		st, err := decodeStatus(b)
		if err != nil {
			return
		}
		if p, skip := st.post("a.example", noon); skip == "" {
			checkPost(t, &p)
			if versionOf(&p) == 0 {
				t.Error("the version is 0")
			}
		}
	})
}

func BenchmarkStatus(b *testing.B) {
	all := recordedStatuses(b)
	size := 0
	for _, data := range all {
		size += len(data)
	}
	b.SetBytes(int64(size / len(all)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		st, err := decodeStatus(all[i%len(all)])
		if err != nil {
			b.Fatal(err)
		}
		st.post("a.example", noon)
		i++
	}
}

// recordedStatuses returns the statuses of recorded timelines.
func recordedStatuses(t testing.TB) (all []json.RawMessage) {
	for _, name := range []string{"test_public_tl.yaml", "test_public_tl_anonymous.yaml", "test_hashtag_tl.yaml", "test_timeline_disabled.yaml", "test_fetch_next_previous.yaml"} {
		for _, x := range recordedExchanges(t, name) {
			if x.Request.Method == "GET" && (strings.Contains(x.Request.URI, "/timelines/") || strings.Contains(x.Request.URI, "/statuses?")) {
				list, err := decodeTimeline([]byte(x.Response.Body.String))
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, list...)
			}
		}
	}
	return all
}
