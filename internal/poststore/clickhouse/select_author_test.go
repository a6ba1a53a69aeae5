package clickhouse

import (
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
)

// strangeNames are names whose key, handle, account and folded name differ in various ways.
var strangeNames = []string{"", "ann", "ANN", "@Ann", " ann ", "Ann Lee", "ann (Ann Lee)", "@", "@@", "@ x", " ", "\u017Fmith", "Smith", "\u212A", "k", "İx", "ix", "i\u0307x", "ÄNN", "änn", "A", "a\xffb", "東京"}

// TestAuthorConditions compares the conditions on names of authors with enginekit.
func TestAuthorConditions(t *testing.T) {
	var posts []*earshot.Post
	for _, username := range strangeNames {
		for i, author := range strangeNames {
			p := &earshot.Post{Source: earshot.Twitter, AuthorUsername: username, Author: author}
			switch i % 4 {
			case 1:
				p.AuthorProfileID = username
			case 2:
				p.PageID = "Ann"
			case 3:
				p.Source, p.PageID = earshot.Facebook, "ann"
			}
			posts = append(posts, p)
		}
	}
	w := newWhereTable(t, posts)
	for _, name := range strangeNames {
		values := []string{name, "nobody"}
		for _, test := range []struct {
			of   poststore.Selection
			cond func(values []string, a *chhttp.Args) string
		}{
			{poststore.Selection{Authors: values}, authorNamed},
			{poststore.Selection{Handles: values}, authorHandle},
			{poststore.Selection{Accounts: values}, authorAccount},
		} {
			args := new(chhttp.Args)
			found, err := w.rows(t.Context(), test.cond(values, args), args, quick)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range posts {
				if got, want := found[uint64(i)], enginekit.MatchesPost(&test.of, p); got != want {
					t.Errorf("%+v by %q (%q), profile %q, page %q on %s: got %t, want %t", test.of, p.AuthorUsername, p.Author, p.AuthorProfileID, p.PageID, p.Source, got, want)
				}
			}
		}
	}
}

// TestShardOfPost compares the shard of rows in Go and in SQL.
func TestShardOfPost(t *testing.T) {
	var posts []*earshot.Post
	for _, name := range strangeNames {
		posts = append(posts, &earshot.Post{GUID: "by " + name, AuthorUsername: name})
	}
	w := newWhereTable(t, posts)
	var row, shard proto.ColUInt64
	rows := 0
	err := w.db.Query(t.Context(), chhttp.Statement{SQL: "SELECT row, toUInt64(" + shardOfPost + ") AS shard FROM posts"},
		proto.Results{{Name: "row", Data: &row}, {Name: "shard", Data: &shard}}, func(n int) error {
			for i := range n {
				p := posts[row.Row(i)]
				if got, want := shard.Row(i), shardOf(p, poststore.SumOf(p.Key())); got != want {
					t.Errorf("%q: got %d, want %d", p.AuthorUsername, got, want)
				}
			}
			rows += n
			return nil
		})
	if err != nil || rows != len(posts) {
		t.Errorf("got %d rows, want %d; %v", rows, len(posts), err)
	}
}
