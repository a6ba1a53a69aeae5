package feed

import (
	"testing"
	"time"

	"earshot/internal/connector"
	"earshot/internal/connector/connectortest"
	"earshot/internal/test/testenv"
)

// testScale makes the shortest interval of a minute take 20 ms.
const testScale = 3000

func TestContract(t *testing.T) {
	connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake {
		return newFake(newFakeSite(t, clock.Now, "rss"))
	})
}

// newFake returns a network that consists of one site.
func newFake(s *fakeSite) *connectortest.Fake {
	f := &connectortest.Fake{
		Kind:       Kind(),
		Settings:   connector.Settings{"url": s.feedURL(), "min_interval": "1m"},
		Publish:    s.publish,
		Edit:       s.edit,
		Disconnect: s.disconnect,
		Forget:     s.forget,
		Refuse:     s.refuse,
		Revoke: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.revoked = true
		},
		Junk: func(n int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.junk += n
		},
		Violation: s.violated,
		Scale:     testScale,
	}
	countRuns(&f.Kind, s)
	return f
}

// TestContractOfManyFeeds runs the contract with feeds of all formats, on three hosts.
func TestContractOfManyFeeds(t *testing.T) {
	connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake {
		var sites []*fakeSite
		var list []Feed
		for _, format := range []string{"rss", "atom", "json"} {
			s := newFakeSite(t, clock.Now, format)
			sites, list = append(sites, s), append(list, Feed{URL: s.feedURL(), Title: format})
		}
		each := func(do func(s *fakeSite)) {
			for _, s := range sites {
				do(s)
			}
		}
		f := newFake(sites[0])
		f.Settings = connector.Settings{"feeds": formatFeeds(list), "min_interval": "1m", "type": "Blogs"}
		f.Publish = func(n int) (guids []string) {
			for i := range n {
				guids = append(guids, sites[i%len(sites)].publish(1)...)
			}
			return guids
		}
		f.Edit = func(guid string) (word string) {
			each(func(s *fakeSite) { word += s.edit(guid) })
			return word
		}
		f.Disconnect = func() { each((*fakeSite).disconnect) }
		f.Forget = nil // each feed would have its own gap
		f.Refuse = func(d time.Duration) { each(func(s *fakeSite) { s.refuse(d) }) }
		revoke, junk := f.Revoke, f.Junk
		f.Revoke = func() {
			revoke()
			for _, s := range sites[1:] {
				newFake(s).Revoke()
			}
		}
		f.Junk = func(n int) {
			junk(n)
			newFake(sites[2]).Junk(n)
		}
		f.Violation = func() (v string) {
			each(func(s *fakeSite) { v += s.violated() })
			return v
		}
		f.Kind = Kind()
		countRuns(&f.Kind, sites...)
		return f
	})
}
