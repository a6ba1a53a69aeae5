package watchlist

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"earshot"
	"earshot/internal/query"
)

const postsFile = "../../../../shared/data/posts/twitter_posts.jsonl.gz"

// A world is a sample of real posts and their vocabulary.
type world struct {
	posts   []earshot.Post // a sample
	words   []string       // words that occur at least five times, most common first
	counts  []int          // occurrences of each word
	bigrams []string       // bigrams that occur at least twice
}

// realWorld reads the posts once for all benchmarks.
var realWorld = sync.OnceValues(func() (*world, error) {
	f, err := os.Open(postsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var posts []earshot.Post
	for lines := bufio.NewReader(unzipped); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		var p struct{ Guid, Author, Contents, Language string }
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, err
		}
		posts = append(posts, earshot.Post{Source: earshot.Twitter, GUID: p.Guid, Author: p.Author, Contents: p.Contents, Language: p.Language})
	}
	return newWorld(posts), nil
})

func newWorld(posts []earshot.Post) *world {
	w := new(world)
	words, bigrams := map[string]int{}, map[string]int{}
	var d query.Document
	for i := range posts {
		d.Reset(&posts[i])
		before := ""
		for t := range d.Len() {
			word := string(d.Plain(t))
			if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				before = ""
				continue
			}
			words[word]++
			if before != "" {
				bigrams[before+" "+word]++
			}
			before = word
		}
		if i%8 == 0 {
			w.posts = append(w.posts, posts[i])
		}
	}
	for word, n := range words {
		if n >= 5 {
			w.words = append(w.words, word)
		}
	}
	slices.SortFunc(w.words, func(a, b string) int { return cmp.Or(words[b]-words[a], cmp.Compare(a, b)) })
	for _, word := range w.words {
		w.counts = append(w.counts, words[word])
	}
	for bigram, n := range bigrams {
		if n >= 2 {
			w.bigrams = append(w.bigrams, bigram)
		}
	}
	slices.Sort(w.bigrams)
	return w
}

func load(b *testing.B) *world {
	b.Helper()
	w, err := realWorld()
	if errors.Is(err, fs.ErrNotExist) {
		b.Skip("no shared posts: ", err)
	}
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// A drawing is a function that draws a random word for a monitor.
type drawing func(r *rand.Rand) string

// uniform draws each word with the same probability.
func (w *world) uniform(r *rand.Rand) string { return w.words[r.IntN(len(w.words))] }

// weighted draws words in proportion to their frequency in posts, except for the fifty most common,
// which people do not search for.
func (w *world) weighted() drawing {
	const common = 50
	sums := make([]int, len(w.words))
	sum := 0
	for i, n := range w.counts {
		if i >= common {
			sum += n
		}
		sums[i] = sum
	}
	return func(r *rand.Rand) string {
		i, found := slices.BinarySearch(sums, r.IntN(sum))
		if found {
			i++
		}
		return w.words[i]
	}
}

// brands returns monitors like those used to track brands.
func (w *world) brands(n int, draw drawing) []*earshot.Monitor {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	monitors := make([]*earshot.Monitor, n)
	for i := range monitors {
		bigram := w.bigrams[r.IntN(len(w.bigrams))]
		monitors[i] = &earshot.Monitor{ID: earshot.MonitorID(i + 1), Enabled: true, Criteria: keywords(
			fmt.Sprintf(`(%s OR %s OR "%s") AND (%s OR %s) -%s`, draw(r), draw(r), bigram, draw(r), draw(r), draw(r)))}
	}
	return monitors
}

func newList(b *testing.B, monitors []*earshot.Monitor) *List {
	b.Helper()
	l, errs := New(monitors, 1)
	if len(errs) > 0 {
		b.Fatal(errs[0])
	}
	return l
}

// reindexedList matches all posts once and reindexes the list by the observed frequencies, as the
// pipeline does in small steps.
func reindexedList(l *List, posts []earshot.Post) *List {
	var d query.Document
	var ids []earshot.MonitorID
	for i := range posts {
		d.Reset(&posts[i])
		ids = l.Match(&d, ids[:0])
	}
	for next := l.Reindex(1000); next != l; next = l.Reindex(1000) {
		l = next
	}
	return l
}

// onOneCore limits the benchmark, including the garbage collector, to one core.
func onOneCore(b *testing.B) {
	before := runtime.GOMAXPROCS(1)
	b.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// BenchmarkMatch matches one post per iteration. "tokenized" excludes the time to tokenize posts.
// "guessed" uses a list that has not learned from posts.
func BenchmarkMatch(b *testing.B) {
	w := load(b)
	onOneCore(b)
	for _, words := range []struct {
		name string
		draw drawing
	}{{"uniform", w.uniform}, {"weighted", w.weighted()}} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			guessed := newList(b, w.brands(n, words.draw))
			list := reindexedList(guessed, w.posts)
			b.Run(fmt.Sprintf("%s/%d", words.name, n), func(b *testing.B) { benchmarkMatch(b, list, w.posts) })
			b.Run(fmt.Sprintf("%s/%d/tokenized", words.name, n), func(b *testing.B) { benchmarkTokenized(b, list, w.posts) })
			b.Run(fmt.Sprintf("%s/%d/guessed", words.name, n), func(b *testing.B) { benchmarkMatch(b, guessed, w.posts) })
		}
	}
}

func benchmarkMatch(b *testing.B, l *List, posts []earshot.Post) {
	var d query.Document
	var m matcher
	var ids []earshot.MonitorID
	for i := range posts { // grow all buffers to their final size
		d.Reset(&posts[i])
		ids = m.match(l, &d, ids[:0])
	}
	m.postingsRead, m.entriesChecked = 0, 0
	matched, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		d.Reset(&posts[i])
		ids = m.match(l, &d, ids[:0])
		matched += len(ids)
		if i++; i == len(posts) {
			i = 0
		}
	}
	report(b, &m, matched)
}

func benchmarkTokenized(b *testing.B, l *List, posts []earshot.Post) {
	documents := make([]query.Document, 4096)
	for i := range documents {
		documents[i].Reset(&posts[i*len(posts)/len(documents)])
	}
	var m matcher
	var ids []earshot.MonitorID
	for i := range documents { // grow all buffers to their final size
		ids = m.match(l, &documents[i], ids[:0])
	}
	m.postingsRead, m.entriesChecked = 0, 0
	matched, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		ids = m.match(l, &documents[i], ids[:0])
		matched += len(ids)
		i = (i + 1) % len(documents)
	}
	report(b, &m, matched)
}

func report(b *testing.B, m *matcher, matched int) {
	perPost := func(n int) float64 { return float64(n) / float64(b.N) }
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
	b.ReportMetric(perPost(m.postingsRead), "postings/post")
	b.ReportMetric(perPost(m.entriesChecked), "candidates/post")
	b.ReportMetric(perPost(matched), "matches/post")
}

// BenchmarkLinearScan is BenchmarkMatch with a loop over all monitors.
func BenchmarkLinearScan(b *testing.B) {
	w := load(b)
	onOneCore(b)
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("weighted/%d", n), func(b *testing.B) {
			l := newLinearList(w.brands(n, w.weighted()), 1)
			var d query.Document
			var ids []earshot.MonitorID
			i := 0
			for b.Loop() {
				d.Reset(&w.posts[i*97%len(w.posts)])
				ids = l.match(&d, ids[:0])
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	w := load(b)
	onOneCore(b)
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			monitors := w.brands(n, w.weighted())
			b.ReportAllocs()
			for b.Loop() {
				newList(b, monitors)
			}
		})
	}
}

// BenchmarkAdd changes one monitor of many. "crowded" is a list in which all monitors are indexed
// under the same word.
func BenchmarkAdd(b *testing.B) {
	w := load(b)
	onOneCore(b)
	const n = 100_000
	change := func(b *testing.B, l *List, monitors []*earshot.Monitor) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			l, _ = l.With(monitors[i:i+1], nil, 1)
			i = (i + 1) % len(monitors)
		}
	}
	b.Run(fmt.Sprint(n), func(b *testing.B) {
		monitors := w.brands(n, w.weighted())
		change(b, newList(b, monitors), monitors)
	})
	b.Run(fmt.Sprintf("%d/crowded", n), func(b *testing.B) {
		var monitors []*earshot.Monitor
		for i := range n {
			monitors = append(monitors, &earshot.Monitor{ID: earshot.MonitorID(i + 1), Enabled: true, Criteria: keywords("acme")})
		}
		change(b, newList(b, monitors), monitors)
	})
}

// BenchmarkReindex reindexes as many monitors as the pipeline does before each batch.
func BenchmarkReindex(b *testing.B) {
	w := load(b)
	onOneCore(b)
	guessed := newList(b, w.brands(100_000, w.weighted()))
	reindexedList(guessed, w.posts) // leaves guessed unchanged, but shares the learned frequencies with it
	b.ReportAllocs()
	l := guessed
	for b.Loop() {
		next := l.Reindex(256)
		if next == l {
			next = guessed
		}
		l = next
	}
}
