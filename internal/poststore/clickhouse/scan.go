package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
	"earshot/internal/state/journal"
)

// A scan reads selected posts with their text. It decides in Go what the condition in SQL leaves open.
type scan struct {
	store *Store
	view  *view
	of    *poststore.Selection
	prep  prepared
	sets  []poststore.SetID // that the caller asks for, in addition to those of the selection
	order string            // of the posts, as SQL; "": any
}

// A scannedPost is a selected post, after corrections. It is valid until the next one.
type scannedPost struct {
	enginekit.StoredPost
	row uint64
}

// run calls visit with each selected post.
func (s *scan) run(ctx context.Context, visit func(p *scannedPost) error) error {
	a := new(chhttp.Args)
	sel := newSelector(s.view, s.of, 0, s.prep, a) // rows with the text
	cond, exact := sel.compile()
	sets := s.allSets()
	members := make([]string, 0, len(sets))
	for _, id := range sets {
		members = append(members, sel.stored(id))
	}
	var row, position proto.ColUInt64
	var body proto.ColStr
	var in proto.ColUInt8 // the members of all rows
	columns := "row, position, body"
	results := proto.Results{{Name: "row", Data: &row}, {Name: "position", Data: &position}, {Name: "body", Data: &body}}
	if len(sets) > 0 {
		columns += ", [" + strings.Join(members, ", ") + "] AS members"
		results = append(results, proto.ResultColumn{Name: "members", Data: proto.NewArray[uint8](&in)})
	}
	sql := "SELECT " + columns + " FROM posts WHERE " + cond
	if s.order != "" {
		sql += " ORDER BY " + s.order
	}
	var doc query.Document
	return s.store.query(ctx, sql, a, results, func(rows int) error {
		for i := range rows {
			var p earshot.Post
			if err := readBody(&p, body.Row(i)); err != nil {
				return err
			}
			correction := s.of.Corrections.Of(p.Key())
			correction.Apply(&p)
			found := scannedPost{row: row.Row(i), StoredPost: enginekit.StoredPost{Post: &p, Arrived: earshot.Position(position.Row(i)), In: func(id poststore.SetID) bool {
				if id == s.of.Set {
					return true // part of the condition
				}
				n, _ := slices.BinarySearch(sets, id)
				return correction.Has(id, in.Row(i*len(sets)+n) != 0)
			}}}
			if !exact && !enginekit.Selects(s.of, &found.StoredPost, &doc) {
				continue
			}
			if err := visit(&found); err != nil {
				return err
			}
		}
		return nil
	})
}

// allSets returns the sets that the result depends on, except that of the selection, sorted.
func (s *scan) allSets() []poststore.SetID {
	named := map[poststore.SetID]bool{}
	for _, id := range s.sets {
		named[id] = true
	}
	addSets(named, s.of)
	delete(named, s.of.Set)
	delete(named, 0)
	return slices.Sorted(maps.Keys(named))
}

func addSets(to map[poststore.SetID]bool, of *poststore.Selection) {
	to[of.Set] = true
	for _, id := range of.Categories.Sets {
		to[id] = true
	}
	for i := range of.Except {
		addSets(to, &of.Except[i])
	}
}

func readBody(p *earshot.Post, body string) error {
	if err := journal.ReadPost(p, body); err != nil {
		return fmt.Errorf("decode a post: %w", err)
	}
	return nil
}

// tallyInGo counts selected posts for those of the tallies that SQL cannot count, and adds the rows
// to result.
func (s *Store) tallyInGo(ctx context.Context, v *view, of *poststore.Selection, prep prepared, days *intervals, ts []poststore.Tally, which []int, result [][][]poststore.Row) error {
	if len(which) == 0 {
		return nil
	}
	n := 1
	if days != nil {
		n = days.len()
	}
	counters := make([][]*enginekit.RowCounter, len(which)) // by tally and interval
	posts := scan{store: s, view: v, of: of, prep: prep}
	for k, i := range which {
		for range n {
			counters[k] = append(counters[k], enginekit.NewRowCounter(&ts[i]))
		}
		posts.sets = append(posts.sets, ts[i].Sets...)
	}
	err := posts.run(ctx, func(p *scannedPost) error {
		in := 0
		if days != nil {
			in = days.find(p.Post.Time)
		}
		for k := range counters {
			counters[k][in].Add(p.Post, p.In)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, i := range which {
		result[i] = make([][]poststore.Row, n)
		for in, c := range counters[k] {
			result[i][in] = c.Rows()
		}
	}
	return nil
}
