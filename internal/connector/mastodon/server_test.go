package mastodon

import (
	"fmt"
	"strings"
	"testing"

	"earshot/internal/connector"
)

func TestServerCheck(t *testing.T) {
	f := func(timeline string, hashtag, live feed, token bool, want string) {
		t.Helper()
		s := &server{domain: "a.example", access: access{Hashtag: hashtag, Live: live}, rules: connector.Rules{Version: "v1"}}
		got := fmt.Sprint(s.check(config{timeline: timeline, accepted: "v1"}, token))
		if want != "" {
			want = connector.ErrAttention.Error() + ": " + want
		} else {
			want = "<nil>"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", timeline, got, want)
		}
	}
	none := feed{}
	f(hashtagTimeline, none, none, false, "")
	f(publicTimeline, none, none, false, "")
	f(hashtagTimeline, feed{byNobody, byNobody}, none, true, "a.example does not show its hashtag timeline; choose another timeline or server")
	f(hashtagTimeline, feed{byUsers, byUsers}, none, true, "")
	f(hashtagTimeline, feed{byUsers, byNobody}, none, false, "a.example shows its hashtag timeline only with an access token")
	f(hashtagTimeline, feed{byAll, byNobody}, feed{byNobody, byNobody}, false, "")
	f(publicTimeline, none, feed{byNobody, byNobody}, true, "a.example does not show its public timeline; choose another timeline or server")
	f(publicTimeline, none, feed{byNobody, byAll}, false, "")
	f(localTimeline, none, feed{byNobody, byAll}, true, "a.example does not show its local timeline; choose another timeline or server")
	f(remoteTimeline, none, feed{byAll, byUsers}, false, "a.example shows its remote timeline only with an access token")
	f(remoteTimeline, none, feed{byAll, "tomorrow"}, true, "a.example does not show its remote timeline; choose another timeline or server")

	s := &server{domain: "a.example", rules: connector.Rules{Version: "v2"}}
	for accepted, want := range map[string]string{"": "the rules of a.example have not been accepted", "v1": "the rules of a.example changed; read and accept them again", "v2": "<nil>"} {
		if got := fmt.Sprint(s.check(config{timeline: publicTimeline, accepted: accepted}, true)); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStreamingURL(t *testing.T) {
	f := func(address, base, want string) {
		t.Helper()
		if got := streamingURL(address, base); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
	f("wss://streaming.a.example", "https://a.example", "https://streaming.a.example")
	f("wss://a.example/stream/", "https://a.example", "https://a.example/stream")
	f("https://s.a.example/", "https://a.example", "https://s.a.example")
	f("ws://localhost:4000", "http://localhost:3000", "http://localhost:4000")
	f("ws://a.example", "https://a.example", "https://a.example") // the token stays encrypted
	f("wss://user:x@b.example", "https://a.example", "https://a.example")
	f("", "https://a.example", "https://a.example")
	f("javascript:x", "https://a.example", "https://a.example")
	f("%zz", "https://a.example", "https://a.example")
}

func TestRules(t *testing.T) {
	f := func(body string) connector.Rules {
		t.Helper()
		s, err := decodeServer([]byte(body), "https://a.example")
		if err != nil {
			t.Fatal(err)
		}
		return s.rules
	}
	one := f(`{"domain":"a.example","rules":[{"id":"1","text":"Be <b>kind</b>","hint":""}]}`)
	if len(one.Items) != 1 || one.Items[0] != "Be kind" || one.URL != "https://a.example/about" {
		t.Errorf("got %+v", one)
	}
	for _, other := range []string{
		`{"domain":"a.example","rules":[]}`,
		`{"domain":"a.example","rules":[{"id":"1","text":"Be kind","hint":"always"}]}`,
		`{"domain":"a.example","rules":[{"id":"1","text":"Be kind"},{"id":"2","text":"No bots"}]}`,
		`{"domain":"a.example","rules":[{"id":"1","text":"Be kind"}],"configuration":{"urls":{"terms_of_service":"https://a.example/terms-of-service/2026-01-01"}}}`,
	} {
		if r := f(other); r.Version == one.Version || r.Version == "" {
			t.Errorf("%s has the version %q, which others have too", other, r.Version)
		}
	}
	if again := f(`{"domain":"a.example","title":"New title","usage":{"users":{}},"rules":[{"id":"9","text":"Be kind","translations":{}}]}`); again.Version != one.Version {
		t.Error("the version depends on more than the rules")
	}
}

func TestSettings(t *testing.T) {
	f := func(settings connector.Settings, want string) {
		t.Helper()
		if settings["url"] == "" && want != "url is missing" {
			settings["url"] = "https://a.example"
		}
		if got := fmt.Sprint(Kind().Check(settings, "")); !strings.Contains(got, want) {
			t.Errorf("%v: got %q, want %q", settings, got, want)
		}
	}
	type s = connector.Settings
	f(s{}, "url is missing")
	f(s{"url": "a.example"}, "url must be an address")
	f(s{}, "hashtags is missing")
	f(s{"hashtags": "go, #Rust,日本語,caf_é"}, "<nil>")
	f(s{"hashtags": "two words"}, "hashtags must be separated by commas")
	f(s{"hashtags": "a/b"}, "hashtags must be separated by commas")
	f(s{"hashtags": "a,b,c,d,e,f,g,h,i,j,k"}, "at most 10")
	f(s{"hashtags": "go", "timeline": "public"}, "hashtags must be empty")
	f(s{"timeline": "public"}, "<nil>")
	f(s{"timeline": "home"}, "timeline must be")
	cfg, err := parseSettings(s{"url": "https://a.example/", "hashtags": "#Go, go ,日本語"})
	if err != nil || len(cfg.streams) != 2 || cfg.streams[1].path != "/api/v1/timelines/tag/%E6%97%A5%E6%9C%AC%E8%AA%9E" || cfg.streams[0].events != "/api/v1/streaming/hashtag?tag=go" {
		t.Errorf("got %+v, %v", cfg, err)
	}
}

func FuzzServer(f *testing.F) {
	for _, name := range []string{"test_instance.yaml", "test_timeline_disabled.yaml"} {
		for _, x := range recordedExchanges(f, name) {
			f.Add([]byte(x.Response.Body.String))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeServer(b, "https://a.example")
		if err != nil {
			return
		}
		if s.domain == "" || s.rules.Version == "" || !strings.HasPrefix(s.streaming, "https://") || !strings.HasPrefix(s.rules.URL, "http") {
			t.Errorf("got %+v", s)
		}
	})
}
