package share

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// Why a visitor was refused, in addition to the states of a link.
const (
	RefusedPassword = "password" // wrong, or too many wrong ones
	RefusedLimit    = "limit"    // too many requests
)

const (
	maxUses      = 100             // of a link
	writeEvery   = 5 * time.Second // so that visitors cannot make the catalog write more often
	repeatWithin = time.Minute     // a visitor who does the same again is recorded once
)

// usage collects what visitors did until it is written. Its size is bounded by the number of links.
type usage struct {
	mu      sync.Mutex
	pending map[earshot.ShareLinkID]*uses // guarded by mu
	writing map[earshot.ShareLinkID]*uses // guarded by mu: not yet in the catalog
	last    map[lastUse]time.Time         // guarded by mu: of uses within repeatWithin
}

func newUsage() *usage {
	return &usage{pending: map[earshot.ShareLinkID]*uses{}, last: map[lastUse]time.Time{}}
}

// A lastUse identifies uses that are recorded once if they follow each other closely.
type lastUse struct {
	link             earshot.ShareLinkID
	network, refused string
}

// maxLastUses bounds the memory of the last uses. Beyond it, uses are recorded again.
const maxLastUses = 100_000

// uses are the uses of a link.
type uses struct {
	views int64
	list  []earshot.ShareLinkUse // the last ones, newest last
}

func (u *uses) add(other uses) {
	u.views += other.views
	u.list = append(u.list, other.list...)
	if over := len(u.list) - maxUses; over > 0 {
		u.list = slices.Delete(u.list, 0, over)
	}
}

// record remembers that a visitor used a link or was refused. opened is set if the visitor opened the
// page, which counts as a view.
func (s *Service) record(l *earshot.ShareLink, v Visit, refused string, opened bool) {
	use := earshot.ShareLinkUse{Time: s.Now().UTC().Truncate(time.Second), Network: visibleNetwork(v.Address), Refused: refused}
	u := s.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	var one uses
	if opened {
		one.views = 1
	}
	same := lastUse{l.ID, use.Network, refused}
	if at, known := u.last[same]; !known || use.Time.Sub(at) >= repeatWithin {
		one.list = []earshot.ShareLinkUse{use}
		if len(u.last) >= maxLastUses {
			clear(u.last)
		}
		u.last[same] = use.Time
	}
	if one.views == 0 && len(one.list) == 0 {
		return
	}
	if u.pending[l.ID] == nil {
		u.pending[l.ID] = &uses{}
	}
	u.pending[l.ID].add(one)
}

// current returns l with the uses that are not written yet.
func (s *Service) current(l *earshot.ShareLink) *earshot.ShareLink {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	all := uses{l.Views, slices.Clone(l.Uses)}
	for _, collected := range []map[earshot.ShareLinkID]*uses{s.usage.writing, s.usage.pending} {
		if u := collected[l.ID]; u != nil {
			all.add(*u)
		}
	}
	shown := *l
	shown.Views, shown.Uses = all.views, all.list
	return &shown
}

// Run writes the uses of links until ctx ends, and once more after that.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeEvery)
			defer cancel()
			s.write(last)
			return
		case <-tick.C:
			s.write(ctx)
		}
	}
}

// write writes collected uses to the catalog.
func (s *Service) write(ctx context.Context) {
	u := s.usage
	u.mu.Lock()
	u.writing, u.pending = u.pending, map[earshot.ShareLinkID]*uses{}
	ids := slices.Sorted(maps.Keys(u.writing))
	maps.DeleteFunc(u.last, func(_ lastUse, at time.Time) bool { return s.Now().Sub(at) >= repeatWithin })
	u.mu.Unlock()
	for _, id := range ids {
		collected := *u.writing[id] // only this goroutine changes it
		_, err := s.Catalog.ShareLinks.Update(ctx, id, func(l *earshot.ShareLink) error {
			all := uses{l.Views, l.Uses}
			all.add(collected)
			l.Views, l.Uses = all.views, all.list
			return nil
		})
		u.mu.Lock()
		delete(u.writing, id)
		if err != nil && !errors.Is(err, catalog.ErrNotFound) { // written with the next ones
			s.Log.Warn("recording the use of a share link failed", "link", int64(id), "error", err)
			if later := u.pending[id]; later != nil {
				collected.add(*later)
			}
			u.pending[id] = &collected
		}
		u.mu.Unlock()
	}
}

// visibleNetwork returns the network of an address in a size that does not identify a person: 256 IPv4
// addresses, or what an organization has of IPv6.
func visibleNetwork(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	bits := 48
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		bits = 24
	}
	prefix, _ := addr.Prefix(bits)
	return prefix.String()
}
