package opinion

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/test/testenv"
)

// openData opens a file in the data folder. It skips the test if the file does not exist.
func openData(t testing.TB, name string) *bufio.Scanner {
	t.Helper()
	f, err := os.Open(filepath.Join("../../../../shared/data", name))
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, "no data folder")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return scanLines(unzipped)
}

func scanLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	return lines
}

// readRows reads a table from the data folder.
func readRows(t testing.TB, name string) (rows []map[string]string) {
	t.Helper()
	lines := openData(t, name+".tsv.gz")
	lines.Scan()
	columns := strings.Split(lines.Text(), "\t")
	for lines.Scan() {
		r := map[string]string{}
		for i, field := range strings.Split(lines.Text(), "\t") {
			r[columns[i]] = field
		}
		rows = append(rows, r)
	}
	return rows
}

// readTexts returns the texts of the tables by category, and the sorted categories.
func readTexts(t testing.TB, category string, names ...string) (byCategory map[string][]string, order []string) {
	t.Helper()
	byCategory = map[string][]string{}
	for _, name := range names {
		for _, r := range readRows(t, name) {
			byCategory[r[category]] = append(byCategory[r[category]], r["text"])
		}
	}
	return byCategory, slices.Sorted(maps.Keys(byCategory))
}

// A trial is a training set and a test set.
type trial struct {
	categories  []earshot.CategoryID
	train, test []Document
}

// newTrial samples each training documents per category, and up to test of the remaining documents
// for testing.
func newTrial(byCategory map[string][]string, names []string, each, test int, random *rand.Rand) (t trial) {
	for k, name := range names {
		id := earshot.CategoryID(k + 1)
		t.categories = append(t.categories, id)
		for i, n := range random.Perm(len(byCategory[name])) {
			d := Document{Category: id, Post: earshot.Post{GUID: fmt.Sprint(name, n), URL: fmt.Sprint("https://example.com/", name, n), Contents: byCategory[name][n]}}
			switch {
			case i < each:
				t.train = append(t.train, d)
			case i < each+test:
				t.test = append(t.test, d)
			}
		}
	}
	return t
}

// readTweets returns up to n real tweets.
func readTweets(t testing.TB, n int) []earshot.Post {
	t.Helper()
	lines := openData(t, "posts/twitter_posts.jsonl.gz")
	var posts []earshot.Post
	for i := 0; lines.Scan() && len(posts) < n; i++ {
		if i%50 != 0 {
			continue
		}
		var item struct{ GUID, URL, Contents, Language string }
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			t.Fatal(err)
		}
		posts = append(posts, earshot.Post{GUID: item.GUID, URL: item.URL, Contents: item.Contents, Language: item.Language})
	}
	return posts
}
