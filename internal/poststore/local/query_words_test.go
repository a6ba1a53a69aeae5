package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/test/testenv"
)

// longTexts returns posts with the maximum number of distinct words, out of twenty thousand.
func longTexts(n int) (posts []poststore.MatchedPost) {
	words := make([]string, 20_000)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		first := rng.IntN(len(words) - poststore.MaxWords)
		text := strings.Join(words[first:first+poststore.MaxWords], " ")
		p := earshot.Post{Source: earshot.News, GUID: fmt.Sprint(i), Time: time.Unix(int64(i), 0).UTC(), Contents: text}
		posts = append(posts, poststore.MatchedPost{Post: p})
	}
	return posts
}

func shortTexts(n int) []poststore.MatchedPost {
	posts := make([]poststore.MatchedPost, n)
	for i := range posts {
		posts[i].Post = earshot.Post{Source: earshot.News, GUID: fmt.Sprint(i), Time: time.Unix(int64(i), 0).UTC(), Contents: "a word"}
	}
	return posts
}

// TestWordsOfLongTexts measures the memory of a piece of a sample. It must be little more than that
// of the words because equal words share one string.
func TestWordsOfLongTexts(t *testing.T) {
	testenv.SkipUnderRace(t)
	s := openAt(t, t.TempDir())
	if err := s.Append(t.Context(), 1, longTexts(wordRows)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	posts, bytes := 0, 0
	texts := map[*byte]bool{}
	_, err := s.Words(t.Context(), poststore.Selection{}, wordRows, func(words []poststore.Word) {
		if len(words) != poststore.MaxWords {
			t.Fatalf("got %d words, want %d", len(words), poststore.MaxWords)
		}
		posts, bytes = posts+1, bytes+cap(words)*int(unsafe.Sizeof(words[0]))
		for _, w := range words {
			if text := unsafe.StringData(w.Text); !texts[text] {
				texts[text], bytes = true, bytes+len(w.Text)
			}
		}
	})
	if err != nil || posts != wordRows {
		t.Fatalf("got words of %d posts, error %v", posts, err)
	}
	word := int(unsafe.Sizeof(poststore.Word{})) // without its text
	if limit := wordRows * poststore.MaxWords * (word + 2); bytes > limit {
		t.Errorf("got %d bytes in %d texts, want at most %d", bytes, len(texts), limit)
	}
}

// TestFewPiecesAreInMemory counts the pieces that have been read but not visited whenever all
// readers are blocked.
func TestFewPiecesAreInMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(wordReaders + 3))
	synctest.Test(t, func(t *testing.T) {
		const pieces, ofPiece = 30, 2
		var read atomic.Int64
		visited, most := 0, 0
		err := visitPieces(t.Context(), pieces, func(int) ([][]poststore.Word, error) {
			read.Add(1)
			return make([][]poststore.Word, ofPiece), nil
		}, func([]poststore.Word) {
			synctest.Wait()
			most = max(most, int(read.Load())-visited/ofPiece)
			visited++
		})
		if err != nil || visited != pieces*ofPiece {
			t.Fatalf("visited %d, error %v", visited, err)
		}
		if want := wordReaders + 1; most != want {
			t.Errorf("got %d pieces in memory, want %d: one per reader plus the one being visited", most, want)
		}
	})
}

func TestPiecesAreSmall(t *testing.T) {
	var sizes []int
	for _, p := range piecesOf([]sampledRows{{rows: make([]uint32, 2*wordRows+1)}, {rows: make([]uint32, wordRows)}, {rows: make([]uint32, 3)}}) {
		sizes = append(sizes, len(p.rows))
	}
	if want := []int{wordRows, wordRows, 1, wordRows, 3}; !slices.Equal(sizes, want) {
		t.Errorf("got pieces of %d rows, want %d", sizes, want)
	}
}

// TestWordSamplesAreLimited starts one more sample than may be read concurrently.
func TestWordSamplesAreLimited(t *testing.T) {
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
		t.Error("another sample could be read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ask(ctx, func() { t.Error("visited") }); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v while other samples are read, want %v", err, context.Canceled)
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

// TestVisitedWordsAreReleased checks at the last visit that the words of at most two pieces are
// still in memory.
func TestVisitedWordsAreReleased(t *testing.T) {
	s := openAt(t, t.TempDir())
	posts := shortTexts(10 * wordRows)
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	var visited []weak.Pointer[poststore.Word]
	kept := 0
	_, err := s.Words(t.Context(), poststore.Selection{}, len(posts), func(words []poststore.Word) {
		if visited = append(visited, weak.Make(&words[0])); len(visited) < len(posts) {
			return
		}
		for range 2 { // what other goroutines were about to drop is gone after the second
			runtime.GC()
		}
		for _, w := range visited {
			if w.Value() != nil {
				kept++
			}
		}
	})
	if err != nil || len(visited) != len(posts) {
		t.Fatalf("visited %d, error %v", len(visited), err)
	}
	if kept == 0 || kept > 2*wordRows {
		t.Errorf("got words of %d posts in memory, want at most %d", kept, 2*wordRows)
	}
}

// TestDamageWhileWordsAreVisited truncates a segment file when its first words are visited.
func TestDamageWhileWordsAreVisited(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	posts := shortTexts((wordReaders + 3) * wordRows)
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "segments", "*"+segmentSuffix))
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
		t.Errorf("second call: got %d posts, error %v", n, err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || len(stats.Quarantined) != 1 {
		t.Errorf("got %v, error %v, want one quarantined segment", stats, err)
	}
}

// TestVisitorPanicDoesNotBlockStore checks that the store keeps working if a visitor panics.
func TestVisitorPanicDoesNotBlockStore(t *testing.T) {
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
