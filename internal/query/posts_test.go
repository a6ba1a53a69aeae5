package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

const sharedPosts = "../../../shared/data/posts"

// readPosts returns the titles and contents of every n-th post in a file, where n is every.
func readPosts(t testing.TB, path string, every int) []string {
	var texts []string
	n := -1
	for line, err := range dataset.Lines(path) {
		if errors.Is(err, fs.ErrNotExist) {
			testenv.SkipMissing(t, fmt.Sprintf("no shared posts: %v", err))
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%every != 0 {
			continue
		}
		var post struct{ Title, Contents string }
		if err := json.Unmarshal([]byte(line), &post); err != nil {
			t.Fatal(err)
		}
		if post.Title != "" {
			texts = append(texts, post.Title)
		}
		texts = append(texts, post.Contents)
	}
	return texts
}

// TestSharedPosts compares the tokens of real posts with the reference tokenizer and checks their
// byte ranges.
func TestSharedPosts(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of posts take a while")
	}
	paths, err := filepath.Glob(sharedPosts + "/*.gz")
	if err != nil || len(paths) == 0 {
		testenv.SkipMissing(t, "no shared posts in "+sharedPosts)
	}
	for _, path := range paths {
		for _, text := range readPosts(t, path, 40) {
			compareWithReference(t, text)
			checkByteRanges(t, text)
		}
	}
}

func TestByteRangesInManyScripts(t *testing.T) {
	for _, tt := range tokenizeTests {
		checkByteRanges(t, tt.text)
	}
}

// checkByteRanges checks that the byte ranges of tokens ascend, and that tokenizing a range yields
// the same token. Tokens of the same character share its range.
func checkByteRanges(t *testing.T, text string) {
	t.Helper()
	var all, one tokenizer
	all.tokenize(text)
	for i, tok := range all.words {
		place := text[tok.from:tok.to]
		one.reset()
		one.tokenize(place)
		// Leading and trailing underscores count only in tags.
		want := strings.Trim(string(all.bytes(tok.text)), "_")
		shared := i > 0 && all.words[i-1].to > tok.from || i+1 < len(all.words) && all.words[i+1].from < tok.to
		if found := texts(&one); !shared && !slices.Equal(found, []string{want}) && want != "" || shared && !slices.Contains(found, want) {
			t.Errorf("%q: got %q in the byte range of %q", text, found, want)
		}
		if i > 0 && (tok.from < all.words[i-1].from || tok.to < all.words[i-1].to) {
			t.Errorf("%q: the byte range of %q precedes that of %q", text, want, all.bytes(all.words[i-1].text))
		}
	}
}

func texts(t *tokenizer) []string {
	var all []string
	for _, tok := range t.words {
		all = append(all, string(t.bytes(tok.text)))
	}
	return all
}
