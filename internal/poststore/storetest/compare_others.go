package storetest

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// queryOthers runs a random query other than a tally on both stores.
func (p *pair) queryOthers() {
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
		p.same(fmt.Sprintf("counter changes of monitor %d, %v to %v", id, from, to), func(s poststore.Store) (string, error) {
			var all []string
			err := s.CounterChanges(p.Context(), id, from, to, func(c poststore.CounterChange) { all = append(all, fmt.Sprint(c)) })
			slices.Sort(all)
			return strings.Join(all, "; "), err
		})
	case 3:
		p.queryChanged()
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
