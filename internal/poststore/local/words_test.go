package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// longTexts returns posts that have as many different words as count, of twenty thousand.
func longTexts(n int) (posts []poststore.Matched) {
	words := make([]string, 20_000)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		first := rng.IntN(len(words) - poststore.WordLimit)
		text := strings.Join(words[first:first+poststore.WordLimit], " ")
		p := earshot.Post{Source: earshot.News, GUID: fmt.Sprint(i), Time: time.Unix(int64(i), 0).UTC(), Contents: text}
		posts = append(posts, poststore.Matched{Post: p})
	}
	return posts
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestWordsOfLongTexts looks at the memory that is in use in the middle of a sample.
func TestWordsOfLongTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("stores 20 MB of text")
	}
	const posts = 3000
	s := openAt(t, t.TempDir())
	all := longTexts(posts)
	for at := range 3 {
		if err := s.Append(t.Context(), earshot.Position(at+1), all[at*1000:(at+1)*1000]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	const word = 24 // bytes, without its text
	before, most, n := heap(), int64(0), 0
	_, err := s.Words(t.Context(), poststore.Selection{}, posts, func(words []poststore.Word) {
		if n++; n%1000 == 500 {
			most = max(most, heap()-before)
		}
		if len(words) != poststore.WordLimit {
			t.Fatalf("got %d words, want %d", len(words), poststore.WordLimit)
		}
	})
	if err != nil || n != posts {
		t.Fatalf("got the words of %d posts, error %v", n, err)
	}
	// Each reader has a piece, and one is visited; a piece also has the texts.
	pieces := int64(min(wordReaders, runtime.GOMAXPROCS(0)) + 1)
	if limit := pieces * wordRows * poststore.WordLimit * (word + 2); most > limit {
		t.Errorf("got %d MB in use, want %d at most", most>>20, limit>>20)
	}
}

// TestWordsOfASampleWait has one sample more than may be read at the same time.
func TestWordsOfASampleWait(t *testing.T) {
	s := openAt(t, t.TempDir())
	if err := s.Append(t.Context(), 1, longTexts(1)); err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, visit func()) error {
		_, err := s.Words(ctx, poststore.Selection{}, 1, func([]poststore.Word) { visit() })
		return err
	}
	begun, end, done := make(chan bool), make(chan bool), make(chan error)
	for range wordSamples {
		go func() { done <- ask(t.Context(), func() { begun <- true; <-end }) }()
	}
	for range wordSamples {
		<-begun
	}
	if s.sampling.TryAcquire(1) {
		t.Error("another sample may be read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ask(ctx, func() { t.Error("visited") }); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v while others read, want %v", err, context.Canceled)
	}
	close(end)
	for range wordSamples {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := ask(t.Context(), func() {}); err != nil {
		t.Error(err)
	}
}

// TestDamageWhileWordsAreVisited takes a file away when its first words are visited.
func TestDamageWhileWordsAreVisited(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	posts := make([]poststore.Matched, (wordReaders+3)*wordRows)
	for i := range posts {
		posts[i].Post = earshot.Post{Source: earshot.News, GUID: fmt.Sprint(i), Time: time.Unix(int64(i), 0).UTC(), Contents: "a word"}
	}
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "segments", "*"+fileSuffix))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	visited := 0
	n, err := s.Words(t.Context(), poststore.Selection{}, len(posts), func([]poststore.Word) {
		if visited++; visited > 1 {
			return
		}
		if err := os.Truncate(files[0], 0); err != nil {
			t.Error(err)
		}
	})
	if err != errVisited || n != 0 || visited == len(posts) {
		t.Errorf("got %d posts, error %v, %d visited, want %v", n, err, visited, errVisited)
	}
	if n, err := s.Words(t.Context(), poststore.Selection{}, 10, func([]poststore.Word) { t.Error("visited") }); n != 0 || err != nil {
		t.Errorf("asked again: got %d posts, error %v", n, err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || len(stats.SetAside) != 1 {
		t.Errorf("got %v, error %v, want a file set aside", stats, err)
	}
}

// TestWordsEndWithTheirVisitor has a visitor that panics: the store goes on.
func TestWordsEndWithTheirVisitor(t *testing.T) {
	s := openAt(t, t.TempDir())
	if err := s.Append(t.Context(), 1, longTexts(3)); err != nil {
		t.Fatal(err)
	}
	for range wordSamples + 1 {
		func() {
			defer func() {
				if got := recover(); got != "enough" {
					t.Errorf("got %v, want the panic of the visitor", got)
				}
			}()
			s.Words(t.Context(), poststore.Selection{}, 3, func([]poststore.Word) { panic("enough") })
		}()
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
