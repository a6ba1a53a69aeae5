package delivery

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/state/catalog"
)

// An index has the deliveries of each channel. It follows the catalog at a cost that depends only on
// the number of changes.
type index struct {
	mu       sync.Mutex
	version  uint64 // guarded by mu, as all fields below
	channels map[earshot.ChannelID]map[earshot.DeliveryID]*earshot.Delivery
	channel  map[earshot.DeliveryID]earshot.ChannelID
	open     map[earshot.ChannelID]int // number of deliveries that are not finished; has no zeros
}

// update applies the changes since the last call.
func (x *index) update(table *catalog.Table[earshot.DeliveryID, earshot.Delivery]) {
	if x.channels == nil {
		x.channels, x.channel = map[earshot.ChannelID]map[earshot.DeliveryID]*earshot.Delivery{}, map[earshot.DeliveryID]earshot.ChannelID{}
		x.open = map[earshot.ChannelID]int{}
	}
	changed, version := table.Changes(x.version)
	x.version = version
	for _, id := range changed {
		if ch, ok := x.channel[id]; ok {
			x.count(x.channels[ch][id], -1)
			delete(x.channels[ch], id)
			delete(x.channel, id)
			if len(x.channels[ch]) == 0 {
				delete(x.channels, ch)
			}
		}
		if d, ok := table.Find(id); ok {
			if x.channels[d.Channel] == nil {
				x.channels[d.Channel] = map[earshot.DeliveryID]*earshot.Delivery{}
			}
			x.channels[d.Channel][id], x.channel[id] = d, d.Channel
			x.count(d, 1)
		}
	}
}

func (x *index) count(d *earshot.Delivery, by int) {
	if !isOpen(d) {
		return
	}
	if x.open[d.Channel] += by; x.open[d.Channel] == 0 {
		delete(x.open, d.Channel)
	}
}

// deliveriesOf returns the deliveries of a channel, oldest first.
func (s *Service) deliveriesOf(id earshot.ChannelID) []*earshot.Delivery {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Deliveries)
	list := make([]*earshot.Delivery, 0, len(s.index.channels[id]))
	for _, d := range s.index.channels[id] {
		list = append(list, d)
	}
	slices.SortFunc(list, byAge)
	return list
}

func byAge(a, b *earshot.Delivery) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// openChannels returns the channels with deliveries that are not finished, in order, and a number that
// changes with every change of a delivery or channel.
func (s *Service) openChannels() ([]earshot.ChannelID, uint64) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Deliveries)
	_, channels := s.Catalog.Channels.Changes(math.MaxUint64)
	return slices.Sorted(maps.Keys(s.index.open)), s.index.version + channels
}

// openOf returns the number of deliveries of channels that are not finished.
func (s *Service) openOf(channels []earshot.ChannelID) (open int) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Deliveries)
	for _, id := range channels {
		open += s.index.open[id]
	}
	return open
}

// isOpen reports whether a delivery is not finished.
func isOpen(d *earshot.Delivery) bool {
	return d.State == earshot.DeliveryWaiting || d.State == earshot.DeliverySending
}
