package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/test/testenv"
)

// Compare checks that a store returns the same results as the reference. Each round starts with two
// empty stores, makes the same random changes to both, and runs the same random queries after each
// change. A round is a subtest named by its seed, so a failing one can be run alone.
//
// With -long, Compare runs rounds 0 to all-1. Otherwise it runs as many as [testenv.Rounds] says for
// some: half of the first 2*some rounds, from one that depends on the commit.
func Compare(t *testing.T, open, reference func(t *testing.T) poststore.Store, some, all int) {
	for i := range testenv.Rounds(some, all) {
		seed := i
		if !testenv.Long() {
			seed = int((testenv.Seed() + uint64(i)) % uint64(2*some))
		}
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			r := newRandom(t, uint64(seed))
			p := &pair{T: t, random: r, store: open(t), reference: reference(t), times: changeLog{told: map[timeRange]time.Time{}}}
			for range 20 {
				p.change()
				for range 8 {
					p.query()
				}
				for range 2 {
					p.queryOthers()
				}
			}
		})
	}
}

// A pair is a store and its reference, which receive the same calls.
type pair struct {
	*testing.T
	*random
	store, reference poststore.Store
	at               earshot.Position
	times            changeLog
}

// change makes a random change to both stores.
func (p *pair) change() {
	p.Helper()
	p.times.began = append(p.times.began, now())
	if p.IntN(10) > 0 { // otherwise the position is repeated, and the stores must skip the change
		p.at++
	}
	switch p.IntN(10) {
	case 0:
		d := p.deletion()
		p.both(func(s poststore.Store) error { return s.Delete(p.Context(), p.at, d) })
	case 1:
		id, from := p.monitor(), p.maybeTime()
		upTo := earshot.EndOfJournal
		if p.IntN(2) == 0 {
			upTo = p.at / 2
		}
		rules := poststore.Rules{id: {Where: p.maybeCondition(), UpTo: upTo, Generation: int64(p.IntN(3))}, id + 1: {}}
		p.rematch(poststore.Rematch{From: from, Rules: rules})
	case 4:
		r := poststore.Rematch{From: p.maybeTime(), Categorizations: []poststore.Categorization{p.categorization()}}
		if p.IntN(2) == 0 {
			r.Rules = poststore.Rules{r.Categorizations[0].Posts: {Where: p.maybeCondition(), UpTo: earshot.EndOfJournal}, poststore.CategorizedSet(earshot.MonitorID(r.Categorizations[0].Posts)): {Generation: p.categorizations}}
		}
		p.rematch(r)
	case 2:
		id, snapshots := p.monitor(), p.snapshots()
		p.both(func(s poststore.Store) error {
			return s.AddSnapshots(p.Context(), p.at, earshot.MonitorID(id), snapshots)
		})
	case 3:
		models := uint32(1 + p.IntN(4))
		p.both(func(s poststore.Store) error {
			return s.Reinfer(p.Context(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) { reinferAll(posts, models) }})
		})
	default:
		p.append()
	}
	got, want := p.state(p.store), p.state(p.reference)
	if got != want {
		p.Fatalf("got %s, want %s like the reference", got, want)
	}
}

// append appends a batch of posts, or a group of batches if the store has a method for that.
func (p *pair) append() {
	p.Helper()
	group := []poststore.Batch{{At: p.at, Posts: p.posts()}}
	for p.IntN(2) == 0 {
		p.at++
		group = append(group, poststore.Batch{At: p.at, Posts: p.posts()})
	}
	p.both(func(s poststore.Store) error {
		if w, ok := s.(poststore.GroupWriter); ok {
			return w.AppendGroup(p.Context(), group)
		}
		for _, b := range group {
			if err := s.Append(p.Context(), b.At, b.Posts); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *pair) rematch(r poststore.Rematch) {
	p.Helper()
	p.both(func(s poststore.Store) error { return s.Rematch(p.Context(), r) })
	p.times.forget(r)
}

func (p *pair) both(do func(poststore.Store) error) {
	p.Helper()
	if err := do(p.store); err != nil {
		p.Fatal(err)
	}
	if err := do(p.reference); err != nil {
		p.Fatal(err)
	}
}

// state returns a short description of a store's contents.
func (p *pair) state(s poststore.Store) string {
	p.Helper()
	at, err := s.Position(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	stats, err := s.Stats(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	stamps, err := s.Generations(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return fmt.Sprintf("%d posts at position %d, generations %v", stats.Posts, at, stamps)
}

// query runs a random query on both stores and compares the results.
func (p *pair) query() {
	p.Helper()
	switch p.IntN(10) {
	case 0:
		of, limit := p.selection(), p.IntN(30)
		p.same(fmt.Sprintf("%d posts of %+v", limit, of), func(s poststore.Store) (string, error) {
			posts, total, err := s.Posts(p.Context(), of, limit)
			return fmt.Sprintf("%d: %s", total, describe(posts)), err
		})
	case 1:
		id, start := p.monitor(), march(p.IntN(40)-5)
		days := earshot.Days{Start: start, End: start.AddDays(p.IntN(30))}
		p.same(fmt.Sprintf("snapshots of monitor %d, %v", id, days), func(s poststore.Store) (string, error) {
			found, err := s.Snapshots(p.Context(), earshot.MonitorID(id), days)
			return fmt.Sprintf("%+v", found), err
		})
	case 2:
		of, ts := p.selection(), []poststore.Tally{p.tally(), p.tally(), p.tally()}
		p.same(fmt.Sprintf("tallies %+v of %+v", ts, of), func(s poststore.Store) (string, error) {
			rows, err := s.Tallies(p.Context(), of, ts)
			return fmt.Sprintf("%+v", rows), err
		})
	case 3, 4:
		of, starts, ts := p.selection(), p.starts(), []poststore.Tally{p.tally(), p.tally()}
		p.same(fmt.Sprintf("days %v, tallies %+v of %+v", starts, ts, of), func(s poststore.Store) (string, error) {
			answers, err := s.Days(p.Context(), of, starts, ts)
			return fmt.Sprintf("%+v", answers), err
		})
	case 5:
		of, starts := p.selection(), p.starts()
		p.same(fmt.Sprintf("histogram %v of %+v", starts, of), func(s poststore.Store) (string, error) {
			counts, err := s.Histogram(p.Context(), of, starts)
			return fmt.Sprint(counts), err
		})
	default:
		of, t := p.selection(), p.tally()
		p.same(fmt.Sprintf("tally %+v of %+v", t, of), func(s poststore.Store) (string, error) {
			rows, err := poststore.TallyOne(p.Context(), s, of, t)
			return fmt.Sprintf("%+v", rows), err
		})
	}
}

// same checks that both stores return the same result.
func (p *pair) same(question string, ask func(poststore.Store) (string, error)) {
	p.Helper()
	got, err := ask(p.store)
	if err != nil {
		p.Fatalf("%s: %v", question, err)
	}
	want, err := ask(p.reference)
	if err != nil {
		p.Fatalf("%s: reference: %v", question, err)
	}
	if got != want {
		p.Fatalf("%s:\ngot  %s\nwant %s", question, got, want)
	}
}

// describe returns a description of posts that includes more than their keys.
func describe(posts []earshot.Post) string {
	text := ""
	for _, p := range posts {
		text += fmt.Sprintf("%s/%d/%s %s %q models %d %s %v %v %v likes %d shares %d comments %d; ", p.Source, p.ContentSource, p.GUID,
			p.Time.UTC().Format("2006-01-02T15:04:05"), p.Contents, p.InferredBy, p.Language, p.Sentiment, p.Emotion, p.Interests, p.Likes, p.Shares, p.Comments)
	}
	return text
}

// newRandom returns a generator of random posts and queries. The same seed gives the same sequence.
func newRandom(t *testing.T, seed uint64) *random {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 0))}
	for _, c := range criteria {
		r.conditions = append(r.conditions, compile(t, c))
	}
	return r
}
