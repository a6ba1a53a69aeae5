package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// askOthers puts a random question to both that no tally answers.
func (p *pair) askOthers() {
	p.Helper()
	switch p.IntN(4) {
	case 0:
		keys := some(p.random, 20, p.keys()...)
		p.same(fmt.Sprintf("posts %+v", keys), func(s poststore.Store) (string, error) {
			posts, err := s.Find(p.Context(), keys)
			slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
			return describe(posts), err
		})
	case 1:
		of, sample := p.selection(), one(p.random, 0, 3, 30, 1000)
		p.same(fmt.Sprintf("words of %d of %+v", sample, of), func(s poststore.Store) (string, error) {
			var all []string
			n, err := s.Words(p.Context(), of, sample, func(words []poststore.Word) { all = append(all, spellWords(words)) })
			slices.Sort(all)
			return fmt.Sprintf("%d: %s", n, strings.Join(all, "; ")), err
		})
	case 2:
		id, from, to := p.monitor(), noon.AddDate(0, 0, 9), noon.AddDate(0, 0, 12)
		p.same(fmt.Sprintf("figures of monitor %d, %v to %v", id, from, to), func(s poststore.Store) (string, error) {
			var all []string
			err := s.FigureChanges(p.Context(), id, from, to, func(c poststore.FigureChange) { all = append(all, fmt.Sprint(c)) })
			slices.Sort(all)
			return strings.Join(all, "; "), err
		})
	case 3:
		p.askChanged()
	}
}

// keys returns keys that random posts may have.
func (p *pair) keys() (keys []earshot.PostKey) {
	for range 20 {
		post := p.post()
		keys = append(keys, post.Key())
	}
	return keys
}

// askChanged asks when days changed. The reference tells when that was. The store may
// tell a later moment, but none after it was asked, and the same one as long as nothing
// changes; but when matching has changed back and forth in between, it need not notice.
func (p *pair) askChanged() {
	p.Helper()
	id, starts := p.monitor(), p.starts()
	want, err := p.reference.Changed(p.Context(), id, starts)
	if err != nil {
		p.Fatal(err)
	}
	var before []time.Time
	for range 2 {
		got, err := p.store.Changed(p.Context(), id, starts)
		if err != nil {
			p.Fatal(err)
		}
		for d := range want {
			day := fmt.Sprintf("monitor %d, %v to %v", id, starts[d], starts[d+1])
			switch {
			case got[d].IsZero() != want[d].IsZero():
				p.Errorf("%s: got %v, the reference has %v", day, got[d], want[d])
			case got[d].IsZero():
			case got[d].Before(p.beganBefore(want[d])) && want[d].After(p.rematched):
				p.Errorf("%s: got %v, before the change at %v", day, got[d], want[d])
			case got[d].After(now()):
				p.Errorf("%s: got %v, which is in the future", day, got[d])
			case before != nil && !got[d].Equal(before[d]):
				p.Errorf("%s: got %v, then %v", day, before[d], got[d])
			}
		}
		before = got
	}
	if p.Failed() {
		p.FailNow()
	}
}

// beganBefore returns when the change began that was made at a moment.
func (p *pair) beganBefore(t time.Time) (began time.Time) {
	for _, at := range p.began {
		if !at.After(t) {
			began = at
		}
	}
	return began
}
