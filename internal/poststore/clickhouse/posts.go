package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Posts implements [poststore.Reader].
func (s *Store) Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if limit < 0 {
		return nil, 0, fmt.Errorf("list posts: negative limit %d", limit)
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, 0, err
	}
	prep, err := s.prepare(ctx, v, &of, nil)
	if err != nil {
		return nil, 0, err
	}
	args := new(chhttp.Args)
	cond, exact := newSelector(v, &of, copiesOf(&of), prep, args).compile()
	if !exact {
		return s.scanPosts(ctx, &scan{store: s, view: v, of: &of, prep: prep}, limit)
	}
	var posts []earshot.Post
	var total int64
	err = parallel.For(ctx, 2, maxStatements, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			total, err = s.count(ctx, cond, args)
			return err
		}
		posts, err = s.newest(ctx, v, cond, args, limit)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range posts {
		of.Corrections.Apply(&posts[i])
	}
	return posts, total, nil
}

// newest returns the first posts that satisfy a condition, in the order of earshot.ComparePosts.
func (s *Store) newest(ctx context.Context, v *view, cond string, args *chhttp.Args, limit int) ([]earshot.Post, error) {
	if limit == 0 {
		return nil, nil
	}
	// Copies have only the time. Among posts of the same time as the last one, others may come first.
	rows, err := s.locate(ctx, "SELECT row, sec FROM posts WHERE "+cond+" ORDER BY sec DESC, nanos DESC LIMIT "+strconv.Itoa(limit)+" WITH TIES", args)
	if err != nil {
		return nil, err
	}
	byRow, err := s.readRows(ctx, v, rows)
	if err != nil {
		return nil, err
	}
	posts := make([]earshot.Post, 0, len(rows))
	for _, p := range byRow {
		posts = append(posts, p)
	}
	slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
	return posts[:min(limit, len(posts))], nil
}

// scanPosts is Posts for selections that SQL cannot decide.
func (s *Store) scanPosts(ctx context.Context, of *scan, limit int) ([]earshot.Post, int64, error) {
	var total int64
	first := firstOf[earshot.Post]{limit: limit, compare: func(a, b *earshot.Post) int { return earshot.ComparePosts(a, b) }}
	err := of.run(ctx, func(p *scannedPost) error {
		total++
		first.add(*p.Post)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return first.sorted(), total, nil
}

// firstOf collects the first elements of an order.
type firstOf[T any] struct {
	limit   int
	compare func(a, b *T) int
	list    []T
	full    bool // whether the first limit elements are sorted, so that those after them can be skipped
}

func (f *firstOf[T]) add(e T) {
	if f.limit == 0 || f.full && f.compare(&f.list[f.limit-1], &e) < 0 {
		return
	}
	if f.list = append(f.list, e); len(f.list) == 2*f.limit {
		f.list, f.full = f.sorted(), true
	}
}

// sorted returns the first elements in order.
func (f *firstOf[T]) sorted() []T {
	slices.SortFunc(f.list, func(a, b T) int { return f.compare(&a, &b) })
	clear(f.list[min(f.limit, len(f.list)):]) // release memory
	return f.list[:min(f.limit, len(f.list))]
}

// A located is a row of table posts with its time, which the index of the table needs.
type located struct {
	row uint64
	sec int64
}

// locate runs a statement that selects the columns row and sec.
func (s *Store) locate(ctx context.Context, sql string, args *chhttp.Args) (rows []located, err error) {
	var row proto.ColUInt64
	var sec proto.ColInt64
	err = s.query(ctx, sql, args, proto.Results{{Name: "row", Data: &row}, {Name: "sec", Data: &sec}}, func(n int) error {
		for i := range n {
			rows = append(rows, located{row.Row(i), sec.Row(i)})
		}
		return nil
	})
	return rows, err
}

// readRows returns the posts in rows, which must be visible.
func (s *Store) readRows(ctx context.Context, v *view, rows []located) (map[uint64]earshot.Post, error) {
	posts := make(map[uint64]earshot.Post, len(rows))
	for part := range slices.Chunk(rows, readPart) {
		err := s.eachBody(ctx, v, part, func(row uint64, body string) error {
			var p earshot.Post
			err := readBody(&p, body)
			posts[row] = p
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(posts) < len(rows) {
		return nil, fmt.Errorf("read posts: %d of %d rows are missing", len(rows)-len(posts), len(rows))
	}
	return posts, nil
}

// readPart is how many rows one statement reads by their numbers.
const readPart = 10_000

// eachBody calls visit with the encoded posts in rows.
func (s *Store) eachBody(ctx context.Context, v *view, rows []located, visit func(row uint64, body string) error) error {
	numbers, secs := make([]uint64, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		numbers[i], secs[i] = r.row, r.sec
	}
	slices.SortFunc(secs, cmp.Compare)
	args := new(chhttp.Args)
	sql := "SELECT row, body FROM posts WHERE " + v.copies(0, args) + " AND sec IN " + args.Ints(slices.Compact(secs)) + " AND row IN " + args.Uints(numbers)
	var row proto.ColUInt64
	var body proto.ColStr
	return s.query(ctx, sql, args, proto.Results{{Name: "row", Data: &row}, {Name: "body", Data: &body}}, func(n int) error {
		for i := range n {
			if err := visit(row.Row(i), body.Row(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Find implements [poststore.Reader]. Table keys has the row of each post.
func (s *Store) Find(ctx context.Context, keys []earshot.PostKey) (posts []earshot.Post, err error) {
	v, err := s.view(ctx)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	found, err := s.lookup(ctx, v, slices.Collect(poststore.NewKeySet(slices.Values(keys)).Sums()))
	if err != nil {
		return nil, err
	}
	var rows []located
	for _, one := range found {
		rows = append(rows, located{one.row, one.sec})
	}
	byRow, err := s.readRows(ctx, v, rows)
	for _, p := range byRow {
		posts = append(posts, p)
	}
	return posts, err
}
