package bluesky

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/test/testenv"
)

// recordings is where recorded events of the real network are, outside the repository.
const recordings = "../../../../shared/data/connectors/bluesky/"

// recorded returns the lines of a recording. It skips the test if there are no recordings.
func recorded(t testing.TB, name string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(recordings + name)
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, "the recordings are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

func TestRecordedEvents(t *testing.T) {
	got := map[kind]int{}
	for i, line := range recorded(t, "expected_v1.jsonl") {
		e, ok := parseFirst(line)
		if !ok {
			t.Errorf("line %d cannot be parsed", i)
		}
		d := interpret(&e)
		if d.skip != "" {
			t.Errorf("line %d is skipped: %s", i, d.skip)
		}
		got[d.kind]++
	}
	want := map[kind]int{postEvent: 17, repostEvent: 15, deleteEvent: 1, profileEvent: 1, otherEvent: 118}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	var kinds []kind
	for _, line := range recorded(t, "golden_v1.jsonl") {
		e, ok := parseFirst(line)
		if !ok {
			t.Errorf("%s cannot be parsed", line)
		}
		kinds = append(kinds, e.kind)
	}
	if want := []kind{otherEvent, postEvent, repostEvent, otherEvent, profileEvent, otherEvent, otherEvent, profileEvent, otherEvent, otherEvent}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
}

// recordedPosts are posts of expected_v1.jsonl, by line.
var recordedPosts = map[int]earshot.Post{
	1: {
		GUID: "at://did:plc:dclwtltrt2ggsryagfzk7dp4/app.bsky.feed.post/3mptbyoeyc22k", Time: time.Date(2026, 7, 4, 14, 38, 6, 240e6, time.UTC),
		Contents: "www.youtube.com/watch?v=V5lD...", Language: "en", Engagement: earshot.OriginalPost,
		Links: []string{"https://www.youtube.com/watch?v=V5lDo-jw8mA"},
	},
	25: {
		GUID: "at://did:plc:o2rolxey6s5k7d4lxcz3inl4/app.bsky.feed.post/3mptbyp7lu223", Time: time.Date(2026, 7, 4, 14, 38, 7, 112e6, time.UTC),
		Contents: "이쁘시네용~~~", Language: "ko", Engagement: earshot.Reply,
		ParentGUID: "at://did:plc:i5y2f3gtpjxs3qg6fwgb6jb4/app.bsky.feed.post/3mpt7u2vlgs2c",
	},
	45: {
		GUID: "at://did:plc:tn3hni2jpphsgl6amfbb7ja6/app.bsky.feed.post/3mptbypfywk2v", Time: time.Date(2026, 7, 4, 14, 38, 7, 323e6, time.UTC),
		Contents: "#HowToTellAiToShutUp!  \n\nThese days I was googling something about a band and weirdly ended up to read Radio TFSC started an #IndieRebellion 😂 As if I would have that power... But hey so lets keep going with the rebellion! \n👇",
		Language: "de", Engagement: earshot.OriginalPost, Hashtags: []string{"howtotellaitoshutup", "indierebellion"},
	},
	143: {
		GUID: "at://did:plc:6aw7u7xjbaiznddugigmdhvc/app.bsky.feed.post/3mptbxs3hq22j", Time: time.Date(2026, 7, 4, 14, 37, 36, 557e6, time.UTC),
		Contents: "Вечерок с Аватаром, дошли и в мульте до Тоф 😍🔥\n\nТакая крутышка, я не могу :", Language: "ru", Engagement: earshot.OriginalPost,
		MediaURLs: []string{"https://cdn.bsky.app/img/feed_fullsize/plain/did:plc:6aw7u7xjbaiznddugigmdhvc/bafkreicwsq23gkygrgpijv7ocssxdyjokfv3quss3f2dg4csds3jpeqkwe@jpeg"},
		Images:    []earshot.Image{{URL: "https://cdn.bsky.app/img/feed_fullsize/plain/did:plc:6aw7u7xjbaiznddugigmdhvc/bafkreicwsq23gkygrgpijv7ocssxdyjokfv3quss3f2dg4csds3jpeqkwe@jpeg"}},
	},
}

func TestRecordedPosts(t *testing.T) {
	lines := recorded(t, "expected_v1.jsonl")
	for i, want := range recordedPosts {
		did, rkey, _ := splitURI(want.GUID)
		want.Source, want.Site, want.AuthorProfileID, want.PageID, want.URL = earshot.Bluesky, "bsky.app", did, did, "https://bsky.app/profile/"+did+"/post/"+rkey
		e, _ := parseFirst(lines[i])
		if d := interpret(&e); d.post == nil || !reflect.DeepEqual(*d.post, want) {
			t.Errorf("line %d:\ngot  %+v\nwant %+v", i, d.post, want)
		}
	}
}

var seen = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// TestPost checks the fields that each kind of record sets, besides those that all posts have.
func TestPost(t *testing.T) {
	const cdn = "https://cdn.bsky.app/img/feed_fullsize/plain/did:plc:a/"
	const quoted = "at://did:plc:q/app.bsky.feed.post/3q"
	f := func(record string, want earshot.Post) {
		t.Helper()
		want.Source, want.GUID, want.URL, want.Site = earshot.Bluesky, "at://did:plc:a/app.bsky.feed.post/3k", "https://bsky.app/profile/did:plc:a/post/3k", "bsky.app"
		want.AuthorProfileID, want.PageID = "did:plc:a", "did:plc:a"
		if want.Time.IsZero() {
			want.Time = seen
		}
		if want.Engagement == "" {
			want.Engagement = earshot.OriginalPost
		}
		got, skip := newPost("did:plc:a", "3k", []byte(record), seen)
		if skip != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v %s\nwant %+v", record, got, skip, want)
		}
	}
	f(`{"text":"Hi","createdAt":"2026-11-16T13:00:00+02:00","langs":["pt-BR","en"]}`,
		earshot.Post{Contents: "Hi", Time: seen.Add(-time.Hour), Language: "pt"})
	f(`{"text":"Hi","createdAt":"2026-11-15T11:59:59Z","langs":["xyz"]}`, earshot.Post{Contents: "Hi"}) // more than a day ago
	f(`{"text":"Hi","createdAt":"soon"}`, earshot.Post{Contents: "Hi"})
	f(`{"text":"Tags #One","tags":["Two","one"],"facets":[{"index":{"byteStart":5,"byteEnd":9},"features":[{"$type":"app.bsky.richtext.facet#tag","tag":"One"}]}]}`,
		earshot.Post{Contents: "Tags #One", Hashtags: []string{"one", "two"}})
	f(`{"text":"é @Ann.bsky.social and you","facets":[{"index":{"byteStart":3,"byteEnd":19},"features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:plc:m"}]}]}`,
		earshot.Post{Contents: "é @Ann.bsky.social and you", Mentions: []string{"ann.bsky.social"}})
	f(`{"text":"a link","facets":[{"index":{"byteStart":2,"byteEnd":6},"features":[{"$type":"app.bsky.richtext.facet#link","uri":"https://a.example/"},{"$type":"app.bsky.richtext.facet#link","uri":"javascript:alert(1)"}]}],
		"embed":{"$type":"app.bsky.embed.external","external":{"uri":"https://b.example/","title":"B","description":"About B"}}}`,
		earshot.Post{Contents: "a link", Links: []string{"https://a.example/", "https://b.example/"}})
	f(`{"text":" ","embed":{"$type":"app.bsky.embed.external","external":{"uri":"https://b.example/","title":"B","description":"About B"}}}`,
		earshot.Post{Contents: "B\nAbout B", Links: []string{"https://b.example/"}})
	f(`{"text":"","embed":{"$type":"app.bsky.embed.images","images":[{"alt":"A cat","image":{"ref":{"$link":"bafk1"}}},{"alt":"","image":{"cid":"bafk2"}},{"image":{"ref":{"$link":"../x"}}}]}}`,
		earshot.Post{Contents: "A cat", MediaURLs: []string{cdn + "bafk1@jpeg", cdn + "bafk2@jpeg"}, Images: []earshot.Image{{URL: cdn + "bafk1@jpeg", Alt: "A cat"}, {URL: cdn + "bafk2@jpeg"}}})
	f(`{"text":"Gallery","embed":{"$type":"app.bsky.embed.gallery","items":[{"alt":"A dog","image":{"ref":{"$link":"bafk3"}}}]}}`,
		earshot.Post{Contents: "Gallery", MediaURLs: []string{cdn + "bafk3@jpeg"}, Images: []earshot.Image{{URL: cdn + "bafk3@jpeg", Alt: "A dog"}}})
	f(`{"text":"","embed":{"$type":"app.bsky.embed.video","alt":"A wave","video":{"ref":{"$link":"bafkv"},"mimeType":"video/mp4"}}}`,
		earshot.Post{Contents: "A wave", MediaURLs: []string{"https://video.bsky.app/watch/did%3Aplc%3Aa/bafkv/playlist.m3u8"}})
	f(`{"text":"So true","embed":{"$type":"app.bsky.embed.record","record":{"uri":"`+quoted+`","cid":"c"}}}`,
		earshot.Post{Contents: "So true", ParentGUID: quoted})
	f(`{"text":"A feed","embed":{"$type":"app.bsky.embed.record","record":{"uri":"at://did:plc:q/app.bsky.feed.generator/x","cid":"c"}}}`,
		earshot.Post{Contents: "A feed"})
	f(`{"text":"Both","embed":{"$type":"app.bsky.embed.recordWithMedia","record":{"$type":"app.bsky.embed.record","record":{"uri":"`+quoted+`"}},"media":{"$type":"app.bsky.embed.images","images":[{"alt":"x","image":{"ref":{"$link":"bafk4"}}}]}}}`,
		earshot.Post{Contents: "Both", ParentGUID: quoted, MediaURLs: []string{cdn + "bafk4@jpeg"}, Images: []earshot.Image{{URL: cdn + "bafk4@jpeg", Alt: "x"}}})
	f(`{"text":"No","reply":{"root":{"uri":"at://did:plc:r/app.bsky.feed.post/3r"},"parent":{"uri":"at://did:plc:p/app.bsky.feed.post/3p"}},"embed":{"$type":"app.bsky.embed.record","record":{"uri":"`+quoted+`"}}}`,
		earshot.Post{Contents: "No", Engagement: earshot.Reply, ParentGUID: "at://did:plc:p/app.bsky.feed.post/3p"})

	// Fields of the wrong type are ignored.
	f(`{"text":"Odd","facets":{},"langs":7,"tags":[1,"x"],"embed":"none","reply":[]}`, earshot.Post{Contents: "Odd", Hashtags: []string{"x"}})
	f(`{"text":"Far","facets":[{"index":{"byteStart":-1,"byteEnd":999},"features":[{"$type":"app.bsky.richtext.facet#mention"}]},{"index":{"byteStart":3,"byteEnd":1},"features":[{"$type":"#mention"}]}]}`, earshot.Post{Contents: "Far"})
	f("{\"text\":\"bad \xff\\u0000 \\ud800\"}", earshot.Post{Contents: "bad \uFFFD  \uFFFD"})
}

func TestSkippedPosts(t *testing.T) {
	f := func(record, want string) {
		t.Helper()
		if _, skip := newPost("did:plc:a", "3k", []byte(record), seen); skip != want {
			t.Errorf("%.60s: got %q, want %q", record, skip, want)
		}
	}
	f(`{"text":"x"}`, "")
	f(`{"text":""}`, "no text")
	f(`{"text":7}`, "no text")
	f(`{}`, "no text")
	f(`{"text":"","embed":{"$type":"app.bsky.embed.images","images":[{"alt":" ","image":{"ref":{"$link":"b"}}}]}}`, "no text")
	f(`{"text":"x"`, undecodable)
	f(`null`, "no text")
	f(`"x"`, undecodable)
	f(strings.Repeat(`{"embed":`, 50_000), undecodable)
	f(strings.Repeat(`{"embed":`, 50_000)+"1"+strings.Repeat("}", 50_000), undecodable)
}

func TestParseEvent(t *testing.T) {
	const did = `"did":"did:plc:a","time_us":1783175888172335`
	f := func(second bool, message, want string) {
		t.Helper()
		e, ok := parseEvent([]byte(message), second)
		got := "invalid"
		if ok {
			got = fmt.Sprintf("%d %s %s %d %d", e.kind, e.did, e.rkey, e.micros, e.seq)
			if e.kind == errorEvent {
				got = e.message
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
	first := func(rest string, k kind, rkey string) {
		t.Helper()
		f(false, "{"+did+rest+"}", fmt.Sprintf("%d did:plc:a %s 1783175888172335 0", k, rkey))
	}
	invalid := func(message string) {
		t.Helper()
		f(false, message, "invalid")
	}
	first(`,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.post","rkey":"3k","record":{}}`, postEvent, "3k")
	first(` , "commit" : { "record" : { "collection" : "app.bsky.feed.like" } , "rkey" : "3k" , "collection" : "app.bsky.feed.post" , "operation" : "update" } , "kind" : "commit" `, postEvent, "3k")
	first(`,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.repost","rkey":"3k","record":{}}`, repostEvent, "3k")
	first(`,"kind":"commit","commit":{"operation":"delete","collection":"app.bsky.feed.repost","rkey":"3k"}`, deleteEvent, "3k")
	first(`,"kind":"commit","commit":{"operation":"update","collection":"app.bsky.actor.profile","rkey":"self","record":{}}`, profileEvent, "self")
	first(`,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.like","rkey":"3k","record":{"text":"\"}"}}`, otherEvent, "3k")
	first(`,"kind":"identity","identity":{"handle":"a.example"}`, profileEvent, "")
	first(`,"kind":"account","account":{"active":true,"status":"deleted"}`, otherEvent, "")
	first(`,"kind":"account","account":{"active":false,"status":"throttled"}`, otherEvent, "")
	for _, status := range departed {
		first(`,"kind":"account","account":{"active":false,"status":"`+status+`"}`, departedEvent, "")
	}
	first(`,"kind":"prophecy","prophecy":[[[]]]`, otherEvent, "")

	invalid(``)
	invalid(`{}`)
	invalid(`{` + did)
	invalid(`{` + did + `}x`)
	invalid(`{` + did + `,}`)
	invalid(`{` + did + `,"kind":"commit"}`)
	invalid(`{` + did + `,"kind":"commit","commit":{"operation":"explode","collection":"app.bsky.feed.post","rkey":"3k"}}`)
	invalid(`{` + did + `,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.post","rkey":"3k"}}`)
	invalid(`{` + did + `,"kind":"commit","commit":{"operation":"delete","collection":"app.bsky.feed.post","rkey":"a/b"}}`)
	invalid(`{"did":"alert(1)","time_us":1783175888172335,"kind":"identity"}`)
	invalid(`{"did":"did:plc:a\"<","time_us":1783175888172335,"kind":"identity"}`)
	invalid(`{"did":"did:plc:a","time_us":1783175888,"kind":"identity"}`)
	invalid(`{"did":"did:plc:a","time_us":1e16,"kind":"identity"}`)

	second := func(payload string, k kind, rkey string) {
		t.Helper()
		f(true, `{"$type":"message","payload":{"seq":7,"did":"did:plc:a","time":"2026-07-04T14:38:08.172335Z",`+payload+`}}`,
			fmt.Sprintf("%d did:plc:a %s 1783175888172335 7", k, rkey))
	}
	second(`"$type":"network.bsky.jetstream.subscribeEvents#commit","operation":"create","collection":"app.bsky.feed.post","rkey":"3k","record":{"text":"x"}`, postEvent, "3k")
	second(`"$type":"network.bsky.jetstream.subscribeEvents#commit","operation":"delete","collection":"app.bsky.feed.post","rkey":"3k"`, deleteEvent, "3k")
	second(`"$type":"network.bsky.jetstream.subscribeEvents#account","account":{"active":false,"status":"takendown","seq":9}`, departedEvent, "")
	second(`"$type":"network.bsky.jetstream.subscribeEvents#identity","identity":{"handle":"x"}`, profileEvent, "")
	f(true, `{"$type":"error","error":"ConsumerTooSlow","message":"too slow"}`, "ConsumerTooSlow")
	f(true, `{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#info","name":"OutdatedCursor"}}`, "0   0 0")
	f(true, `{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit","seq":0}}`, "invalid")
	f(true, `{"$type":"message"}`, "invalid")
}
