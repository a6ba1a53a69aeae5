package colfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query"

	"github.com/RoaringBitmap/roaring/v2"
)

const sharedTweets = "../../../../../shared/data/posts/twitter_posts.jsonl.gz"

// A corpus contains posts in the form in which a store passes them to a Writer.
type corpus struct {
	times     []uint64
	followers []uint64
	sources   []uint8
	authors   dictionary
	author    []uint32
	terms     dictionary
	words     [][]uint32 // ids of terms, by row
	postings  [][]uint32 // rows, by term
	records   [][]byte
}

type dictionary []string

// newDictionary sorts the names and returns the id of each.
func newDictionary(seen map[string]uint32) (dictionary, []uint32) {
	d := make(dictionary, 0, len(seen))
	for s := range seen {
		d = append(d, s)
	}
	slices.Sort(d)
	id := make([]uint32, len(d))
	for i, s := range d {
		id[seen[s]] = uint32(i)
	}
	return d, id
}

func intern(seen map[string]uint32, s string) uint32 {
	id, ok := seen[s]
	if !ok {
		id = uint32(len(seen))
		seen[s] = id
	}
	return id
}

// index builds the dictionary and the posting lists of posts whose words are numbered in the order
// of their first occurrence.
func (c *corpus) index(terms map[string]uint32) {
	var id []uint32
	c.terms, id = newDictionary(terms)
	c.postings = make([][]uint32, len(c.terms))
	for row, words := range c.words {
		for i, w := range words {
			w = id[w]
			words[i] = w
			if p := c.postings[w]; len(p) == 0 || p[len(p)-1] != uint32(row) {
				c.postings[w] = append(p, uint32(row))
			}
		}
	}
}

func (c *corpus) nameAuthors(authors map[string]uint32) {
	var id []uint32
	c.authors, id = newDictionary(authors)
	for i, a := range c.author {
		c.author[i] = id[a]
	}
}

func (c *corpus) write(path string) error {
	w, err := Create(path, Options{Rows: len(c.times)})
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, err := range []error{
		w.Uints("time", Values(c.times)),
		w.Uints("followers", Values(c.followers)),
		w.Uints("source", Values(c.sources)),
		w.Strings("authors", bytesOf(c.authors)),
		w.Uints("author", Values(c.author)),
		w.Strings("terms", bytesOf(c.terms)),
		w.Lists("words", len(c.terms), slices.Values(c.words)),
		w.Sets("postings", numbered(c.postings)),
		w.Blobs("text", withoutErrors(c.records)),
	} {
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// syntheticTweets generates posts with words in a Zipf distribution.
func syntheticTweets(rows int) *corpus {
	rng := rand.New(rand.NewPCG(1, 2))
	frequency := rand.NewZipf(rng, 1.1, 4, 400_000)
	popular := rand.NewZipf(rng, 1.2, 10, 200_000)
	c := &corpus{}
	terms, authors := map[string]uint32{}, map[string]uint32{}
	for row := range rows {
		c.times = append(c.times, 1_700_000_000+uint64(row*86_400/rows))
		c.followers = append(c.followers, popular.Uint64()*uint64(rng.IntN(9)))
		c.sources = append(c.sources, uint8(rng.IntN(6)))
		c.author = append(c.author, intern(authors, fmt.Sprintf("user%d", popular.Uint64()*7919%1_000_003)))
		var words []uint32
		var text []byte
		for range 6 + rng.IntN(14) {
			word := spell(frequency.Uint64())
			words = append(words, intern(terms, word))
			text = append(append(text, word...), ' ')
		}
		c.words = append(c.words, words)
		c.records = append(c.records, text)
	}
	c.index(terms)
	c.nameAuthors(authors)
	return c
}

// spell returns a word for a number. Rarer words are longer.
func spell(n uint64) string {
	const syllables = "barecodafeligomahenosipatuvewi"
	n = n*2_654_435_761%1_000_000_007 ^ n
	var b strings.Builder
	for n++; n > 0; n /= 15 {
		b.WriteString(syllables[n%15*2 : n%15*2+2])
	}
	return b.String()
}

// realTweets reads the shared tweets, tokenized like the query language.
func realTweets(b testing.TB) *corpus {
	file, err := os.Open(sharedTweets)
	if err != nil {
		b.Skipf("no shared posts: %v", err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	c := &corpus{}
	terms, authors := map[string]uint32{}, map[string]uint32{}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var p struct {
			GUID, URL, Author, Contents string
			Date                        string
			AuthorFollowers             uint64
		}
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			b.Fatal(err)
		}
		c.times = append(c.times, uint64(len(c.times)%86_400))
		c.followers = append(c.followers, p.AuthorFollowers)
		c.sources = append(c.sources, 0)
		c.author = append(c.author, intern(authors, p.Author))
		d := query.NewDocument(&earshot.Post{Contents: p.Contents})
		words := make([]uint32, 0, d.Len())
		for i := range d.Len() {
			words = append(words, intern(terms, string(d.Plain(i))))
		}
		c.words = append(c.words, words)
		c.records = append(c.records, bytes.Join([][]byte{[]byte(p.GUID), []byte(p.URL), []byte(p.Author), []byte(p.Contents)}, []byte{0}))
	}
	c.index(terms)
	c.nameAuthors(authors)
	return c
}

// openCorpus writes a corpus and opens the file.
func openCorpus(b testing.TB, c *corpus) *File {
	path := filepath.Join(b.TempDir(), "posts.seg")
	if err := c.write(path); err != nil {
		b.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

func BenchmarkWrite(b *testing.B) {
	c := syntheticTweets(1_000_000)
	dir := b.TempDir()
	b.ResetTimer()
	for i := range b.N {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := c.write(path); err != nil {
			b.Fatal(err)
		}
		os.Remove(path)
	}
	b.ReportMetric(float64(len(c.times)*b.N)/b.Elapsed().Seconds(), "posts/s")
}

// BenchmarkBytes reports the size of real tweets by section.
func BenchmarkBytes(b *testing.B) {
	f := openCorpus(b, realTweets(b))
	for b.Loop() {
	}
	for _, s := range f.Sections() {
		b.ReportMetric(float64(s.Bytes)/float64(f.Rows()), s.Name+"-B/post")
	}
	b.ReportMetric(float64(f.Size())/float64(f.Rows()), "B/post")
}

// BenchmarkFirstUse opens a file and uses every section, which checks everything except blobs.
func BenchmarkFirstUse(b *testing.B) {
	path := openCorpus(b, syntheticTweets(1_000_000)).Path()
	b.ResetTimer()
	for b.Loop() {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range f.Sections() {
			f.sections[s.Name].load()
		}
		f.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/post")
}

func BenchmarkRead(b *testing.B) {
	corpus := syntheticTweets(1_000_000)
	f := openCorpus(b, corpus)
	rng := rand.New(rand.NewPCG(3, 4))
	row := func() uint32 { return rng.Uint32N(uint32(f.Rows())) }

	benchUints(b, f, row)
	benchStrings(b, f, rng, corpus.terms)
	benchLists(b, f, row)
	benchSets(b, f)
	benchBlobs(b, f, row)
}

func benchUints(b *testing.B, f *File, row func() uint32) {
	followers, _ := f.Uints("followers")
	b.Run("scan of uints", func(b *testing.B) {
		sum := uint64(0)
		for b.Loop() {
			followers.Visit(
				func(v []uint8) { sum += sumOf(v) },
				func(v []uint16) { sum += sumOf(v) },
				func(v []uint32) { sum += sumOf(v) },
				func(v []uint64) { sum += sumOf(v) })
		}
		runtime.KeepAlive(sum)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.Rows()), "ns/row")
	})
	b.Run("uint at random", func(b *testing.B) {
		for b.Loop() {
			followers.At(row())
		}
	})
}

func benchStrings(b *testing.B, f *File, rng *rand.Rand, corpus dictionary) {
	terms, _ := f.Strings("terms")
	b.Run("find a term", func(b *testing.B) {
		for b.Loop() {
			terms.Find(corpus[rng.IntN(len(corpus))])
		}
	})
	b.Run("find a term in a plain slice", func(b *testing.B) {
		for b.Loop() {
			_, _ = slices.BinarySearch(corpus, corpus[rng.IntN(len(corpus))])
		}
	})
	b.Run("term at random", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf = terms.Append(buf[:0], rng.Uint32N(uint32(terms.Len())))
		}
	})
	b.Run("all terms", func(b *testing.B) {
		for b.Loop() {
			for c := terms.Cursor(0); c.Next(); {
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(terms.Len()), "ns/term")
	})
}

func benchLists(b *testing.B, f *File, row func() uint32) {
	words, _ := f.Lists("words")
	b.Run("list at random", func(b *testing.B) {
		var buf []uint32
		for b.Loop() {
			buf = words.Append(buf[:0], row())
		}
	})
	b.Run("lists in order", func(b *testing.B) {
		var buf []uint32
		for b.Loop() {
			for r := range uint32(f.Rows()) {
				buf = words.Append(buf[:0], r)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.Rows()), "ns/row")
	})
}

func benchSets(b *testing.B, f *File) {
	postings, _ := f.Sets("postings")
	common := uint64(0)
	for k := range postings.Keys() {
		if postings.Cardinality(k) > postings.Cardinality(common) {
			common = k
		}
	}
	for _, n := range []int{20, 1000, 20_000} {
		rng := rand.New(rand.NewPCG(5, 6))
		keys := make([]uint64, n)
		total := 0
		for i := range keys {
			keys[i] = rng.Uint64N(uint64(postings.Len()))
			total += postings.Cardinality(keys[i])
		}
		b.Run(fmt.Sprintf("or of %d sets", n), func(b *testing.B) {
			for b.Loop() {
				postings.Or(slices.Values(keys), roaring.New())
			}
			b.ReportMetric(float64(total), "rows")
		})
		b.Run(fmt.Sprintf("or of %d bitmaps", n), func(b *testing.B) {
			for b.Loop() {
				into := roaring.New()
				for _, k := range keys {
					into.Or(postings.Bitmap(k))
				}
			}
		})
	}
	b.Run("bitmap of the most common term", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			postings.Bitmap(common)
		}
		b.ReportMetric(float64(postings.Cardinality(common)), "rows")
	})
}

func benchBlobs(b *testing.B, f *File, row func() uint32) {
	text, _ := f.Blobs("text")
	b.Run("blob at random", func(b *testing.B) {
		r := text.Reader()
		for b.Loop() {
			if _, err := r.Get(row()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("blobs in order", func(b *testing.B) {
		r := text.Reader()
		for b.Loop() {
			for row := range uint32(f.Rows()) {
				if _, err := r.Get(row); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.Rows()), "ns/row")
	})
}

func sumOf[T uint8 | uint16 | uint32 | uint64](column []T) uint64 {
	sum := uint64(0)
	for _, v := range column {
		sum += uint64(v)
	}
	return sum
}
