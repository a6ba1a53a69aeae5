package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// prepared has the data that compiling a selection needs. The zero value is correct if a
// selection refers to no time zones.
type prepared struct {
	zones    zones
	prefixes map[string][]string // the stored words with a prefix; prefixes with very many are missing
}

// zones has the tables of the time zones that a query refers to.
type zones map[*time.Location]zoneTable

// prepare reads what is necessary to compile a selection and tallies of it.
func (s *Store) prepare(ctx context.Context, v *view, of *poststore.Selection, ts []poststore.Tally) (p prepared, err error) {
	if p.zones, err = s.zonesOf(ctx, v, of, ts); err != nil {
		return p, err
	}
	p.prefixes, err = s.prefixesOf(ctx, v, of)
	return p, err
}

// zonesOf returns the tables of the time zones that a selection and tallies refer to. It omits zones
// without a table.
func (s *Store) zonesOf(ctx context.Context, v *view, of *poststore.Selection, ts []poststore.Tally) (zones, error) {
	named := map[*time.Location]bool{}
	addZones(named, of)
	for i := range ts {
		if slices.ContainsFunc(ts[i].By, usesZone) {
			named[ts[i].Location()] = true
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	first, last, err := s.seconds(ctx, v, of)
	if err != nil {
		return nil, err
	}
	tables := zones{}
	for zone := range named {
		if table, ok := newZoneTable(zone, first, last); ok {
			tables[zone] = table
		}
	}
	return tables, nil
}

func addZones(to map[*time.Location]bool, of *poststore.Selection) {
	for i := range of.Having {
		if h := &of.Having[i]; usesZone(h.By) {
			to[h.Location()] = true
		}
	}
	for i := range of.Except {
		addZones(to, &of.Except[i])
	}
}

// usesZone reports whether the keys of a dimension depend on a time zone.
func usesZone(d poststore.Dim) bool {
	return d == poststore.ByHour || d == poststore.ByDay || d == poststore.ByClock
}

const (
	// maxPrefixes is the number of prefixes of a selection whose words are read. Reading those of one
	// takes some milliseconds per part of the table.
	maxPrefixes = 8

	// maxPrefixWords is the number of words up to which looking for all of them in the text index costs
	// less than looking for the prefix in the words of all posts.
	maxPrefixWords = 2000
)

// prefixesOf returns the words that start with the prefixes that a selection looks for. The text index
// has a list of all words. In a cluster, it is only that of one server, so there are none.
func (s *Store) prefixesOf(ctx context.Context, v *view, of *poststore.Selection) (map[string][]string, error) {
	if !s.listsWords {
		return nil, nil
	}
	wanted := map[string]bool{}
	sel := newSelector(v, of, copiesOf(of), prepared{}, new(chhttp.Args))
	sel.wanted = func(prefix string) { wanted[prefix] = true }
	sel.compile()
	prefixes := slices.Sorted(maps.Keys(wanted))
	if len(prefixes) == 0 || len(prefixes) > maxPrefixes {
		return nil, nil
	}
	words := make([][]string, len(prefixes))
	err := parallel.For(ctx, len(prefixes), maxStatements, func(ctx context.Context, i int) (err error) {
		words[i], err = s.wordsWith(ctx, prefixes[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	known := map[string][]string{}
	for i, prefix := range prefixes {
		if len(words[i]) <= maxPrefixWords {
			known[prefix] = words[i]
		}
	}
	return known, nil
}

// indexWords is a table of the words in the text index.
const indexWords = "mergeTreeTextIndex(currentDatabase(), 'posts', 'wordsIndex')"

// wordsWith returns the words in the text index that start with a prefix, but at most one more than
// maxPrefixWords. They include those of all posts that were stored before.
func (s *Store) wordsWith(ctx context.Context, prefix string) ([]string, error) {
	args := new(chhttp.Args)
	var token proto.ColStr
	var words []string
	sql := "SELECT DISTINCT token FROM " + indexWords + " WHERE startsWith(token, " + args.String(prefix) + ") LIMIT " + strconv.Itoa(maxPrefixWords+1)
	err := s.query(ctx, sql, args, proto.Results{{Name: "token", Data: &token}}, func(rows int) error {
		for i := range rows {
			words = append(words, token.Row(i))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the words that start with %q: %w", prefix, err)
	}
	return words, nil
}

// ListsWords reports whether queries with prefixes use the text index. Otherwise they read the words of
// all posts, and take longer.
func (s *Store) ListsWords() bool { return s.listsWords }

// canListWords reports whether the words of the text index can be listed: on a single server that knows
// the function, and for a user that may call it.
func (s *Store) canListWords(ctx context.Context) bool {
	if s.topology.Cluster != "" {
		return false
	}
	_, err := s.wordsWith(ctx, "a")
	if err != nil {
		s.log.Info("prefixes are searched for in the words of all posts: the words of the text index cannot be listed", "error", err)
	}
	return err == nil
}
