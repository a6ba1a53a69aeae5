package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

var errSample = errors.New("negative sample size")

// Words implements [poststore.Reader].
func (s *Store) Words(ctx context.Context, of poststore.Selection, sample int, visit func(words []poststore.Word)) (int64, error) {
	var doc query.Document
	return s.sample(ctx, &of, sample, func(p *earshot.Post) { visit(enginekit.WordsOf(p, &doc)) })
}

// Sample implements [poststore.Reader].
func (s *Store) Sample(ctx context.Context, of poststore.Selection, sample int, visit func(p *earshot.Post)) (int64, error) {
	return s.sample(ctx, &of, sample, visit)
}

// sample implements Sample. The keys of posts have the order of their hashes.
func (s *Store) sample(ctx context.Context, of *poststore.Selection, sample int, visit func(p *earshot.Post)) (total int64, err error) {
	if sample < 0 {
		return 0, errSample
	}
	v, err := s.view(ctx)
	if err != nil {
		return 0, err
	}
	prep, err := s.prepare(ctx, v, of, nil)
	if err != nil {
		return 0, err
	}
	args := new(chhttp.Args)
	cond, exact := newSelector(v, of, copiesOf(of), prep, args).compile()
	if !exact {
		return scanSample(ctx, &scan{store: s, view: v, of: of, prep: prep}, sample, visit)
	}
	var rows []located
	err = parallel.For(ctx, 2, maxStatements, func(ctx context.Context, i int) (err error) {
		switch {
		case i == 0:
			total, err = s.count(ctx, cond, args)
		case sample > 0:
			rows, err = s.locate(ctx, "SELECT row, sec FROM posts WHERE "+cond+" ORDER BY key LIMIT "+strconv.Itoa(sample), args)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(rows, func(a, b located) int { return cmp.Compare(a.sec, b.sec) }) // next to each other in the table
	for part := range slices.Chunk(rows, readPart) {
		err := s.eachBody(ctx, v, part, func(_ uint64, body string) error {
			var p earshot.Post
			if err := readBody(&p, body); err != nil {
				return err
			}
			of.Corrections.Apply(&p)
			visit(&p)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

// A hashedPost is a post with its SampleHash.
type hashedPost struct {
	hash uint64
	post earshot.Post
}

// scanSample is sample for selections that SQL cannot decide.
func scanSample(ctx context.Context, of *scan, sample int, visit func(p *earshot.Post)) (total int64, err error) {
	first := firstOf[hashedPost]{limit: sample, compare: func(a, b *hashedPost) int { return cmp.Compare(a.hash, b.hash) }}
	err = of.run(ctx, func(p *scannedPost) error {
		total++
		first.add(hashedPost{enginekit.SampleHash(p.Post.Key()), *p.Post})
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, h := range first.sorted() {
		visit(&h.post)
	}
	return total, nil
}
