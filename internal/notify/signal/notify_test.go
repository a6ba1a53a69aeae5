package signal

import (
	"testing"
	"time"

	"earshot"
)

func TestQuote(t *testing.T) {
	s := &Service{Restricted: []earshot.Source{earshot.Tumblr}}
	p := earshot.Post{Source: earshot.Tumblr, GUID: "1", URL: "https://example.com/1", Author: "ann", Contents: "fire", Time: time.Unix(1e9, 0)}
	want := earshot.MessagePost{Key: p.Key(), Source: "Tumblr", URL: p.URL}
	if got := s.quote(&p); got != want {
		t.Errorf("restricted: got %+v, want %+v", got, want)
	}
	p.Source = earshot.Reddit
	want = earshot.MessagePost{Key: p.Key(), Source: "Reddit", URL: p.URL, Author: "ann", Text: "fire", Time: p.Time}
	if got := s.quote(&p); got != want {
		t.Errorf("not restricted: got %+v, want %+v", got, want)
	}
}
