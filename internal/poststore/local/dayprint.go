package local

import (
	"context"
	"sync"

	"earshot"
	"earshot/internal/postfile"
	"earshot/internal/poststore"
)

// dayPrints returns a fingerprint of the posts of each day of a calendar, and whether
// they are all on disk.
func (s *Store) dayPrints(ctx context.Context, v *view, c *calendar) (prints []postfile.Print, settled []bool, err error) {
	ofParts := make([][]postfile.Print, len(v.parts))
	all := &poststore.Selection{From: c.starts[0], To: c.starts[c.days()]}
	err = parallel(ctx, len(v.parts), func(i int) (err error) {
		if p := v.parts[i]; p.mayHold(all) {
			ofParts[i], err = s.partPrints(p, c)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	prints, settled = make([]postfile.Print, c.days()), make([]bool, c.days())
	for day := range prints {
		settled[day] = true
		for i, ofPart := range ofParts {
			if ofPart == nil || ofPart[day] == (postfile.Print{}) {
				continue
			}
			prints[day] = prints[day].Plus(ofPart[day])
			settled[day] = settled[day] && !v.parts[i].fresh
		}
	}
	return prints, settled, nil
}

func (s *Store) partPrints(p *part, c *calendar) (prints []postfile.Print, err error) {
	name := printName{
		part: p.id, gone: p.goneID, marks: p.marks[c.monitor], monitor: c.monitor,
		zone: c.zone, monthly: c.monthly, from: c.starts[0].Unix(), to: c.starts[c.days()].Unix(),
	}
	if prints, ok := s.prints.get(name); ok {
		return prints, nil
	}
	err = reading(p, func() error {
		rows, cuts, err := s.cutDays(p, c)
		if err != nil {
			return err
		}
		prints, err = p.file.Prints(rows, cuts)
		return err
	})
	if err == nil {
		s.prints.put(name, prints)
	}
	return prints, err
}

// A printName names exactly which rows of which days fingerprints are of.
type printName struct {
	part, gone, marks uint64
	monitor           earshot.MonitorID
	zone              string
	monthly           bool
	from, to          int64 // seconds since 1970
}

// A printCache keeps fingerprints of days. When it is full, it is emptied: they are
// quick to compute.
type printCache struct {
	mu   sync.Mutex
	size int
	kept map[printName][]postfile.Print
}

// mostPrints is how many fingerprints are kept, 16 bytes each; an entry of the map counts
// as ten.
const (
	mostPrints  = 1 << 20
	entryPrints = 10
)

func newPrintCache() *printCache { return &printCache{kept: map[printName][]postfile.Print{}} }

func (c *printCache) get(name printName) ([]postfile.Print, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	prints, ok := c.kept[name]
	return prints, ok
}

func (c *printCache) put(name printName, prints []postfile.Print) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(prints) + entryPrints; c.size > mostPrints {
		clear(c.kept)
		c.size = len(prints) + entryPrints
	}
	c.kept[name] = prints
}
