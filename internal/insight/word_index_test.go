package insight

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"earshot/internal/poststore"
)

func TestWordIndex(t *testing.T) {
	var x wordIndex
	for range 2 {
		for i := range 50_000 { // more than the initial capacity
			if got := x.number(fmt.Sprint(i)); got != i {
				t.Fatalf("got number %d for %q, want %d", got, fmt.Sprint(i), i)
			}
		}
	}
	if len(x.words) != 50_000 || x.words[49_999] != "49999" {
		t.Errorf("got %d words, want 50000", len(x.words))
	}
}

// TestManyWords adds posts with one common word and many unique words each.
func TestManyWords(t *testing.T) {
	const posts, each = 600, 999
	var cloud wordCounts
	var sample wordPosts
	for i := range posts {
		words := []poststore.Word{{Text: "#common", Count: 2}, {Text: strings.Repeat("x", maxWordBytes+1), Count: 1}}
		for k := range each {
			words = append(words, poststore.Word{Text: "word" + strconv.Itoa(i*each+k), Count: 1})
		}
		cloud.add(words)
		sample.add(words)
		if len(cloud.words) > maxWords || len(sample.words) > maxWords {
			t.Fatalf("got %d and %d words after %d posts, want at most %d", len(cloud.words), len(sample.words), i+1, maxWords)
		}
	}
	if got := cloud.counts[cloud.number("#common")]; got != 2*posts {
		t.Errorf("common word: got %d occurrences, want %d", got, 2*posts)
	}
	if got := len(sample.having[sample.number("common")]); got != posts {
		t.Errorf("common word: got %d posts, want %d", got, posts)
	}
	last := fmt.Sprintf("word%d", posts*each-1)
	if known := len(cloud.words); cloud.number(last) != known-1 || len(cloud.counts) != known {
		t.Errorf("last word: got number %d, %d words and %d counts", cloud.number(last), known, len(cloud.counts))
	}
	for _, word := range []string{"word0", strings.Repeat("x", maxWordBytes+1)} {
		if known := len(cloud.words); cloud.number(word) != known {
			t.Errorf("%.10s was not dropped", word)
		}
	}
}
