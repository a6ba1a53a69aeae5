package bluesky

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/connector"
)

// FuzzEvent checks that no message does harm: posts have what they need, and the scanner finds the
// same members as encoding/json.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"expected_v1.jsonl", "golden_v1.jsonl"} {
		data, _ := os.ReadFile(recordings + name) // seeds are optional
		for line := range bytes.Lines(data) {
			f.Add(line, false)
		}
	}
	f.Add([]byte(`{"did":"did:plc:a","time_us":1783175888172335,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.post","rkey":"3k","record":{"text":"a @b c","facets":[{"index":{"byteStart":2,"byteEnd":4},"features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:plc:m"}]}],"embed":{"$type":"app.bsky.embed.recordWithMedia","record":{"record":{"uri":"at://did:plc:q/app.bsky.feed.post/3q"}},"media":{"images":[{"alt":"x","image":{"ref":{"$link":"bafk4"}}}]}}}}}`), false)
	f.Add([]byte(`{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit","seq":7,"did":"did:plc:a","time":"2026-07-04T14:38:08.172335Z","operation":"create","collection":"app.bsky.feed.post","rkey":"3k","record":{"text":"x"}}}`), true)
	f.Add([]byte(`{"$type":"error","error":"ConsumerTooSlow"}`), true)
	f.Fuzz(func(t *testing.T, message []byte, second bool) {
		checkMembers(t, message)
		e, ok := parseEvent(message, second)
		if !ok {
			return
		}
		d := interpret(&e)
		if p := d.post; p != nil {
			if !strings.HasPrefix(p.GUID, "at://did:") || p.Time.IsZero() || p.PageID == "" || d.seen.IsZero() {
				t.Errorf("incomplete post %+v", p)
			}
			if d.kind == postEvent && strings.TrimSpace(p.Contents) == "" || !utf8.ValidString(p.Contents) || utf8.RuneCountInString(p.Contents) > 16_384 {
				t.Errorf("bad text %q", p.Contents)
			}
			for _, link := range append(p.Links, p.MediaURLs...) {
				if strings.HasPrefix(strings.ToLower(link), "javascript:") {
					t.Errorf("unsafe link %q", link)
				}
			}
		}
		if d.kind == deleteEvent && d.guid == "" || d.kind == departedEvent && d.did == "" {
			t.Errorf("deletion of nothing: %+v", d)
		}
	})
}

// checkMembers compares members with encoding/json for valid JSON.
func checkMembers(t *testing.T, data []byte) {
	got := map[string]string{}
	ok := members(data, func(key, value []byte) {
		var name string
		if json.Unmarshal([]byte(`"`+string(key)+`"`), &name) == nil {
			got[name] = string(value)
		}
	})
	var want map[string]json.RawMessage
	if !json.Valid(data) {
		return
	}
	isObject := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
	if ok != isObject {
		t.Fatalf("members(%q) = %v", data, ok)
	}
	if !ok || json.Unmarshal(data, &want) != nil {
		return
	}
	if len(got) != len(want) {
		t.Fatalf("got %d members of %q, want %d", len(got), data, len(want))
	}
	for name, value := range want {
		if got[name] != string(value) {
			t.Fatalf("member %q of %q: got %q, want %q", name, data, got[name], value)
		}
	}
}

// FuzzAppView checks that no answer of the AppView does harm.
func FuzzAppView(f *testing.F) {
	f.Add([]byte(`{"profiles":[{"did":"did:plc:a","handle":"a.bsky.social","displayName":"A","description":"x","followersCount":7,"followsCount":-1,"postsCount":1e99,"verification":{"verifiedStatus":"valid"}},{"did":"did:plc:b","handle":"handle.invalid"}]}`))
	f.Add([]byte(`{"posts":[{"uri":"at://did:plc:a/app.bsky.feed.post/3k","record":{"text":"x","createdAt":"2026-11-16T12:00:00Z"},"likeCount":7,"repostCount":"many","replyCount":0},{"uri":"at://x"},{"record":null}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var profiles profilesAnswer
		if decode(body, &profiles) {
			for did, about := range profiles.profiles() {
				p := earshot.Post{AuthorProfileID: did, GUID: "1", Time: seen, Contents: "x"}
				about.fill(&p)
				if skip := connector.Clean(&p); skip != "" || strings.ContainsAny(p.AuthorUsername, " /?#") {
					t.Errorf("got the author %q %s", p.AuthorUsername, skip)
				}
			}
		}
		var posts postsAnswer
		if decode(body, &posts) {
			for uri, p := range posts.posts(map[string]time.Time{"at://did:plc:a/app.bsky.feed.post/3k": seen}) {
				if p.GUID != "" && (p.GUID != uri || p.Contents == "") {
					t.Errorf("got the post %+v for %s", p, uri)
				}
			}
		}
	})
}

func FuzzChecks(f *testing.F) {
	f.Add([]byte("1783175888 at://did:plc:a/app.bsky.feed.post/3k\n1783175889 at://did:plc:a/app.bsky.feed.repost/3k at://did:plc:b/app.bsky.feed.post/3k\n"))
	f.Fuzz(func(t *testing.T, chunk []byte) {
		checks := parseChecks(chunk)
		if again := parseChecks(formatChecks(checks)); len(again) != len(checks) {
			t.Errorf("%d checks became %d", len(checks), len(again))
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("1783175888172335@jetstream1.us-east.bsky.network")
	f.Add("1783175888172335.7216@jetstream.us-east.bsky.network")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCursor(text)
		if err != nil {
			return
		}
		if again, err := parseCursor(c.String()); err != nil || again != c {
			t.Errorf("%q: %+v became %+v %v", text, c, again, err)
		}
	})
}
