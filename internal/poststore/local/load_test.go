package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/watchlist"
	"earshot/internal/test/testenv"
)

// TestEverythingAtOnce writes, deletes, flushes, compacts, copies, rematches, reinfers and queries
// concurrently. Every result must be about complete batches. In the end the store must have the
// same contents as the memory store, even after it is closed and reopened.
func TestEverythingAtOnce(t *testing.T) {
	dir := t.TempDir()
	b := &workload{T: t, Store: openAt(t, dir), plain: memory.New()}
	b.even, b.odd = compile(t, "even"), compile(t, "odd")
	b.finish()

	done, stop := context.WithCancel(t.Context())
	var helpers, writers sync.WaitGroup
	for i, help := range []func(r *rand.Rand){b.queryTallies, b.queryPosts, b.queryFind, b.queryStable, b.queryCategorized, b.queryChanged, b.flushSome, b.mergeSome, b.rematchSome, b.reinferSome, b.copySome} {
		helpers.Go(func() {
			for r := rand.New(rand.NewPCG(1, uint64(i))); done.Err() == nil && !t.Failed(); {
				help(r)
			}
		})
	}
	changes := 200
	if testing.Short() || testenv.Race {
		changes = 60
	}
	for i := range 2 {
		writers.Go(func() {
			for r, n := rand.New(rand.NewPCG(2, uint64(i))), 0; n < changes/2 && !t.Failed(); n++ {
				b.write(r)
			}
		})
	}
	writers.Wait()
	stop()
	helpers.Wait()
	b.wantSame()
	if err := b.Store.Close(); err != nil {
		t.Fatal(err)
	}
	b.Store = openAt(t, dir)
	b.wantSame()
	t.Logf("%d queries, %d flushes, %d compactions, %d rematches, %d reinferences, %d copies",
		b.asked.Load(), b.flushes.Load(), b.merges.Load(), b.rematches.Load(), b.revisions.Load(), b.copies.Load())
}

func compile(t *testing.T, keywords string) *watchlist.Condition {
	t.Helper()
	where, err := watchlist.Compile(team, earshot.Criteria{Keywords: keywords})
	if err != nil {
		t.Fatal(err)
	}
	return where
}

// A workload is a store with many concurrent users, and a memory store that receives the same
// changes. Posts come in groups of groupSize. The posts of a group share a hashtag and have the
// version of the group as their likes. Each batch replaces some groups as a whole.
type workload struct {
	*testing.T
	*Store
	plain     *memory.Store
	even, odd *watchlist.Condition

	journal sync.Mutex // held while a change is made, because the pipeline makes one change at a time
	at      earshot.Position
	version int64

	asked, flushes, merges, rematches, revisions, copies atomic.Int64
}

const (
	groupSize    = 7
	looseGroups  = 40 // replaced and deleted
	stableGroups = 20 // never changed, for checks of what monitors match

	evens    = 8 // monitor that always has the even versions
	changing = 9 // monitor that has either the even or the odd stable groups
	letters  = 3 // content source
	team     = 7 // owner of the content source
)

// finish writes the stable groups.
func (b *workload) finish() {
	b.Helper()
	for i := range stableGroups {
		b.append(fmt.Sprintf("stable%d", i))
	}
}

// write makes a random change. Several goroutines call it.
func (b *workload) write(r *rand.Rand) {
	if r.IntN(5) == 0 {
		d := earshot.Deletion{ContentSource: letters}
		if r.IntN(2) == 0 {
			d.Batch = looseGroup(r)
		} else {
			for i, name := 0, looseGroup(r); i < groupSize; i++ {
				d.GUIDs = append(d.GUIDs, guid(name, i))
			}
		}
		b.change(func(s poststore.Store, at earshot.Position) error { return s.Delete(b.Context(), at, d) })
		return
	}
	names := []string{looseGroup(r), looseGroup(r), looseGroup(r)}
	slices.Sort(names)
	b.append(slices.Compact(names)...)
}

func looseGroup(r *rand.Rand) string { return fmt.Sprintf("loose%d", r.IntN(looseGroups)) }

func guid(name string, i int) string { return fmt.Sprintf("%s-%d", name, i) }

// append adds or replaces groups in one batch. The batch name of a post is the name of its group.
func (b *workload) append(names ...string) {
	b.Helper()
	b.change(func(s poststore.Store, at earshot.Position) error {
		var posts []poststore.MatchedPost
		for _, name := range names {
			for i := range groupSize {
				posts = append(posts, newPost(name, i, b.version))
			}
		}
		return s.Append(b.Context(), at, posts)
	})
}

func newPost(name string, i int, version int64) poststore.MatchedPost {
	word, monitors := "even", []poststore.SetID{1, evens}
	if version%2 != 0 {
		word, monitors = "odd", []poststore.SetID{1}
	}
	// Each version has a different time, within ten days.
	at := time.Date(2024, time.March, 1+int(version+int64(i))%10, i, int(version)%60, 0, 0, time.UTC)
	return poststore.MatchedPost{Sets: monitors, Post: earshot.Post{
		Source: "Letters", ContentSource: letters, Team: team, Batch: name, GUID: guid(name, i), Time: at,
		Contents: "a post of an " + word + " version", Author: fmt.Sprint("author", i), Hashtags: []string{name}, Likes: earshot.Counted(version),
	}}
}

// change makes the same change to both stores.
func (b *workload) change(do func(s poststore.Store, at earshot.Position) error) {
	b.Helper()
	b.journal.Lock()
	defer b.journal.Unlock()
	b.at++
	b.version++
	for _, s := range []poststore.Store{b.Store, b.plain} {
		if err := do(s, b.at); err != nil {
			b.Errorf("change %d: %v", b.at, err)
		}
	}
}

// queryTallies counts posts in several ways, which must agree.
func (b *workload) queryTallies(r *rand.Rand) {
	of := poststore.Selection{}
	switch r.IntN(4) {
	case 0:
		of.Set = evens
	case 1: // complete days, possibly from the day cache
		of = poststore.Selection{Set: 1, From: day(1), To: day(11)}
	case 2:
		of.Where = b.even
	}
	tallies := []poststore.Tally{
		{},
		{By: []poststore.Dim{poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes}},
		{By: []poststore.Dim{poststore.ByDay}},
		{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{poststore.Likes}},
	}
	rows, err := b.Store.Tallies(b.Context(), of, tallies)
	if err != nil {
		b.Error(err)
		return
	}
	b.asked.Add(1)
	sums := make([]int64, len(rows))
	for i := range rows {
		for _, row := range rows[i] {
			sums[i] += row.Posts
		}
	}
	if sums[1] != sums[0] || sums[2] != sums[0] || sums[3] != sums[0] {
		b.Errorf("%+v: got %d posts, but %d by hashtag, day and author", of, sums[0], sums[1:])
	}
	for _, row := range rows[1] {
		version, rest := row.Sums[0]/groupSize, row.Sums[0]%groupSize
		if row.Posts != groupSize || rest != 0 {
			b.Errorf("%+v: group %s has %d posts and %d likes, want %d posts of one version", of, row.Key[0], row.Posts, row.Sums[0], groupSize)
		}
		if onlyEven := of.Set == evens || of.Where != nil; onlyEven && version%2 != 0 {
			b.Errorf("%+v: group %s has version %d, which is odd", of, row.Key[0], version)
		}
	}
}

func day(n int) time.Time { return time.Date(2024, time.March, n, 0, 0, 0, 0, time.UTC) }

// queryPosts lists all posts and checks that groups are complete and each post occurs once.
func (b *workload) queryPosts(*rand.Rand) {
	posts, total, err := b.Store.Posts(b.Context(), poststore.Selection{}, 10_000)
	if err != nil || total != int64(len(posts)) {
		b.Errorf("got %d of %d posts, %v", len(posts), total, err)
		return
	}
	b.asked.Add(1)
	once, versions, sizes := map[string]bool{}, map[string]earshot.Count{}, map[string]int{}
	for _, p := range posts {
		name := p.Hashtags[0]
		if once[p.GUID] {
			b.Errorf("post %s occurs twice", p.GUID)
		}
		once[p.GUID] = true
		if known, seen := versions[name]; seen && known != p.Likes {
			b.Errorf("group %s has two versions, %v and %v", name, known, p.Likes)
		}
		versions[name] = p.Likes
		sizes[name]++
	}
	for name, n := range sizes {
		if n != groupSize {
			b.Errorf("group %s is incomplete: %d of %d posts", name, n, groupSize)
		}
	}
}

// queryFind looks up all posts of a group. It must find the complete group in one version, or
// nothing.
func (b *workload) queryFind(r *rand.Rand) {
	name := looseGroup(r)
	var keys []earshot.PostKey
	for i := range groupSize {
		keys = append(keys, earshot.PostKey{ContentSource: letters, GUID: guid(name, i)})
	}
	posts, err := b.Store.Find(b.Context(), keys)
	if err != nil {
		b.Error(err)
		return
	}
	b.asked.Add(1)
	if n := len(posts); n != 0 && n != groupSize {
		b.Errorf("found %d posts of group %s, want %d or none", n, name, groupSize)
	}
	for _, p := range posts {
		if p.Likes != posts[0].Likes {
			b.Errorf("found group %s in two versions, %v and %v", name, p.Likes, posts[0].Likes)
		}
	}
}

// queryChanged checks that the times returned by Changed never decrease.
func (b *workload) queryChanged(*rand.Rand) {
	var starts []time.Time
	for d := range 11 {
		starts = append(starts, day(d+1))
	}
	first, err := b.Store.Changed(b.Context(), 1, starts)
	if err != nil {
		b.Error(err)
		return
	}
	second, err := b.Store.Changed(b.Context(), 1, starts)
	if err != nil {
		b.Error(err)
		return
	}
	b.asked.Add(1)
	for d := range first {
		if second[d].Before(first[d]) {
			b.Errorf("March %d changed at %v, and then at %v", d+1, first[d], second[d])
		}
	}
}

// queryStable checks which stable groups the changing monitor has: all even ones or all odd ones.
func (b *workload) queryStable(*rand.Rand) {
	rows, err := poststore.TallyOne(b.Context(), b.Store, poststore.Selection{Set: changing}, poststore.Tally{
		By: []poststore.Dim{poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes},
	})
	if err != nil {
		b.Error(err)
		return
	}
	b.asked.Add(1)
	found := [2]int{} // numbers of even and odd versions
	for _, row := range rows {
		if strings.HasPrefix(row.Key[0], "stable") {
			found[row.Sums[0]/groupSize%2]++
		}
	}
	if half := stableGroups / 2; found != [2]int{} && found != [2]int{half, 0} && found != [2]int{0, half} {
		b.Errorf("the changing monitor has %d even and %d odd stable groups, want %d of one kind", found[0], found[1], half)
	}
}

func (b *workload) flushSome(r *rand.Rand) {
	<-time.After(time.Duration(r.IntN(3)) * time.Millisecond) // so that there is something to flush
	if err := b.Store.Flush(b.Context()); err != nil {
		b.Error(err)
	}
	b.flushes.Add(1)
	if durable, at := b.Store.Durable(), b.Store.current.Load().position; durable > at {
		b.Errorf("durable position %d is ahead of the store's position %d", durable, at)
	}
}

func (b *workload) mergeSome(r *rand.Rand) {
	if err := (&restless{Store: b.Store, Rand: r, t: b.T}).compactAny(); err != nil {
		b.Error(err)
	}
	if err := b.Store.Compact(b.Context()); err != nil {
		b.Error(err)
	}
	b.merges.Add(1)
}

// rematchSome applies the current query of one monitor again and changes another monitor.
func (b *workload) rematchSome(r *rand.Rand) {
	rules := poststore.Rules{evens: {Where: b.even, UpTo: earshot.EndOfJournal, Generation: 1}}
	rules[changing] = poststore.Rule{Where: b.odd, UpTo: earshot.EndOfJournal, Generation: b.rematches.Add(1)}
	if r.IntN(2) == 0 {
		rules[changing] = poststore.Rule{Where: b.even, UpTo: earshot.EndOfJournal}
	}
	set := []poststore.SetID{firstSet, secondSet}[r.IntN(2)]
	sorting := poststore.Categorization{Posts: evens, Sets: []poststore.SetID{firstSet, secondSet}, Categorize: func(sets []poststore.SetID, _ *earshot.Post) []poststore.SetID { return append(sets, set) }}
	if err := b.Store.Rematch(b.Context(), poststore.Rematch{Rules: rules, Categorizations: []poststore.Categorization{sorting}}); err != nil {
		b.Error(err)
	}
}

// queryCategorized counts the posts of the evens monitor by sets. All are in the same set, except
// those appended since the categorization.
func (b *workload) queryCategorized(*rand.Rand) {
	rows, err := poststore.TallyOne(b.Context(), b.Store, poststore.Selection{Set: evens}, poststore.Tally{
		By: []poststore.Dim{poststore.BySets}, Sets: []poststore.SetID{firstSet, secondSet},
	})
	if err != nil {
		b.Error(err)
		return
	}
	b.asked.Add(1)
	rows = slices.DeleteFunc(rows, func(r poststore.Row) bool { return r.Key[0] == "\x00" })
	if len(rows) > 1 || len(rows) == 1 && (rows[0].Key[0] == "\x03" || rows[0].Posts < stableGroups/2*groupSize) {
		b.Errorf("got %v by sets, want at least the stable groups in one of them", rows)
	}
}

// reinferSome runs newer models on all posts. The other goroutines do not check inferred
// attributes, but they check that posts keep their sets.
func (b *workload) reinferSome(*rand.Rand) {
	if err := b.Store.Reinfer(b.Context(), newReinfer(uint32(b.revisions.Add(1)))); err != nil {
		b.Error(err)
	}
}

// copySome makes a copy, opens it and checks that it has complete groups.
func (b *workload) copySome(r *rand.Rand) {
	dir := filepath.Join(b.TempDir(), "copy")
	if err := b.Store.Checkpoint(b.Context(), dir); err != nil {
		b.Error(err)
		return
	}
	s, err := Open(b.Context(), Options{Dir: dir})
	if err != nil {
		b.Error(err)
		return
	}
	defer s.Close()
	copied := &workload{T: b.T, Store: s, even: b.even}
	copied.queryTallies(r)
	copied.queryPosts(r)
	b.copies.Add(1)
}

// wantSame compares the store with the memory store. It first rematches the changing monitor and
// reinfers all posts in both, because their state depends on the order of concurrent calls.
func (b *workload) wantSame() {
	b.Helper()
	final := poststore.Rematch{Rules: poststore.Rules{changing: {Where: b.odd, UpTo: earshot.EndOfJournal}}}
	answers := [2]string{}
	for i, s := range []poststore.Store{b.Store, b.plain} {
		if err := s.Rematch(b.Context(), final); err != nil {
			b.Fatal(err)
		}
		if err := s.Reinfer(b.Context(), newReinfer(1<<20)); err != nil {
			b.Fatal(err)
		}
		answers[i] = b.describe(s)
	}
	if answers[0] != answers[1] {
		b.Errorf("got final contents\n%s\nwant\n%s", answers[0], answers[1])
	}
}

func (b *workload) describe(s poststore.Store) string {
	b.Helper()
	var text strings.Builder
	for _, monitor := range []poststore.SetID{0, 1, evens, changing} {
		posts, total, err := s.Posts(b.Context(), poststore.Selection{Set: monitor}, 10_000)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&text, "monitor %d: %d posts", monitor, total)
		for _, p := range posts {
			fmt.Fprintf(&text, " %s:%v:%s", p.GUID, p.Likes, p.Language)
		}
		text.WriteByte('\n')
	}
	return text.String()
}
