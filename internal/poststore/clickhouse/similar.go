package clickhouse

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// Similar implements [poststore.Reader].
func (s *Store) Similar(ctx context.Context, of poststore.Selection, word string, edits, limit int) ([]poststore.Spelling, error) {
	plain, err := enginekit.CheckSimilar(word, edits, limit)
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	prep, err := s.prepare(ctx, v, &of, nil)
	if err != nil {
		return nil, err
	}
	posts := map[string]int64{}
	args := new(chhttp.Args)
	cond, exact := newSelector(v, &of, 0, prep, args).compile() // rows with the text
	if exact {
		err = s.countSimilar(ctx, cond, args, plain, edits, posts)
	} else {
		var doc query.Document
		err = (&scan{store: s, view: v, of: &of, prep: prep}).run(ctx, func(p *scannedPost) error {
			doc.Reset(p.Post)
			enginekit.WalkPlain(&doc, func(word string) { posts[word]++ })
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	var found []poststore.Spelling
	for word, n := range posts {
		if distance := query.Edits(plain, word); distance <= edits {
			found = append(found, poststore.Spelling{Word: word, Edits: distance, Posts: n})
		}
	}
	return enginekit.FirstSpellings(found, limit), nil
}

// maxSimilar is how many words are looked up in the text index. If more are similar, all words of the
// posts are counted instead.
const maxSimilar = 10_000

// countSimilar adds the numbers of posts with words that may be similar. Column words has the plain
// words of a post between spaces. Its other elements start with a control character.
func (s *Store) countSimilar(ctx context.Context, cond string, args *chhttp.Args, plain string, edits int, posts map[string]int64) error {
	words, complete, err := s.vocabulary(ctx, plain, edits)
	if err != nil || complete && len(words) == 0 {
		return err
	}
	const all = "splitByChar(' ', words)"
	some := ""
	if complete && len(words) <= maxSimilar {
		list := args.Strings(words)
		some = "arrayIntersect(" + all + ", " + list + ")"
		cond += " AND hasAny(" + all + ", " + list + ")" // the text index finds these posts
	} else {
		some = "arrayDistinct(arrayFilter(x -> " + mayBeSimilar("x", plain, edits, args) + ", " + all + "))"
	}
	var word proto.ColStr
	var count proto.ColUInt64
	sql := "SELECT w, count() AS n FROM (SELECT arrayJoin(" + some + ") AS w FROM posts WHERE " + cond + ") GROUP BY w"
	return s.query(ctx, sql, args, proto.Results{{Name: "w", Data: &word}, {Name: "n", Data: &count}}, func(rows int) error {
		for i := range rows {
			posts[word.Row(i)] = int64(count.Row(i))
		}
		return nil
	})
}

// mayBeSimilar returns the condition that an expression is a word whose length allows it to be
// similar.
func mayBeSimilar(expr, plain string, edits int, a *chhttp.Args) string {
	length := int64(utf8.RuneCountInString(plain))
	return "lengthUTF8(" + expr + ") BETWEEN " + a.Int(max(length-int64(edits), 1)) + " AND " + a.Int(length+int64(edits)) + " AND " + expr + " >= ' '"
}

// vocabulary returns the similar words of all posts, including those that were deleted. It returns
// false if the text index does not have all words: on several servers, or if a server was told not to
// build indexes.
func (s *Store) vocabulary(ctx context.Context, plain string, edits int) (words []string, complete bool, err error) {
	var missing proto.ColUInt64
	err = s.query(ctx, "SELECT countIf(secondary_indices_uncompressed_bytes = 0) + if(count() = 0, 1, 0) AS n FROM system.parts"+
		" WHERE active AND rows > 0 AND database = currentDatabase() AND table = 'posts'", nil,
		proto.Results{{Name: "n", Data: &missing}}, func(rows int) error {
			complete = missing.Row(rows-1) == 0
			return nil
		})
	if err != nil || !complete {
		return nil, false, notReported(err)
	}
	args := new(chhttp.Args)
	var token proto.ColStr
	sql := "SELECT DISTINCT token AS w FROM mergeTreeTextIndex(currentDatabase(), 'posts', 'wordsIndex') WHERE " + mayBeSimilar("token", plain, edits, args)
	err = s.query(ctx, sql, args, proto.Results{{Name: "w", Data: &token}}, func(rows int) error {
		for i := range rows {
			if word := token.Row(i); query.Edits(plain, word) <= edits {
				words = append(words, word)
			}
		}
		return nil
	})
	return words, err == nil, notReported(err)
}

// notReported returns nil instead of an error that the server reports, for example that a user may not
// read its system tables.
func notReported(err error) error {
	if _, ok := errors.AsType[*chhttp.Error](err); ok && !earshot.IsKind(err, earshot.Unavailable) {
		return nil
	}
	return err
}
