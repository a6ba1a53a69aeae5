package segment

import (
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// zoneCache keeps the zones of a file's places: to find them takes longer than to count.
type zoneCache struct {
	mu     sync.Mutex
	loaded bool
	zones  []*time.Location
	zoneOf []uint16 // by number of the place: of its zone, plus one; 0: not known
}

// zonesOf returns the zones of the places in a dictionary.
func (c *zoneCache) zonesOf(places *colfile.Strings) (of []uint16, zones []*time.Location) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded {
		return c.zoneOf, c.zones
	}
	numbers := map[*time.Location]uint16{}
	for texts := places.Cursor(0); texts.Next(); {
		zone := enginekit.ZoneAt(placeOf(string(texts.Text())), nil)
		if zone == nil {
			c.zoneOf = append(c.zoneOf, 0)
			continue
		}
		if numbers[zone] == 0 {
			c.zones = append(c.zones, zone)
			numbers[zone] = uint16(len(c.zones))
		}
		c.zoneOf = append(c.zoneOf, numbers[zone])
	}
	c.loaded = true
	return c.zoneOf, c.zones
}

// placeOf is the reverse of appendPlace.
func placeOf(text string) earshot.Place {
	country, rest, _ := strings.Cut(text, "\x00")
	state, city, _ := strings.Cut(rest, "\x00")
	return earshot.Place{Country: country, State: state, City: city}
}

// clockDim is the dimension of weekdays and hours at the places of posts: hours since the
// beginning of Sunday. Rows are in the order of their times, so nearly all of them are in
// the stretch between two changes of a zone's clocks in which the row before was.
type clockDim struct {
	seconds, places *colfile.Uints
	zoneOf          []uint16    // by number of the place
	zones           []zoneClock // by zone; the first is that of posts whose place has none
	scratch         []uint64
}

// zoneClock are a zone, and a stretch of time without a change of its clocks.
type zoneClock struct {
	zone     *time.Location
	from, to uint64 // seconds of the column
	shift    uint64 // what is added to seconds of the column for the seconds since a Sunday began
}

// clockDim returns the weekdays and hours of rows.
func (q *countQuery) clockDim(zone *time.Location) (*clockDim, error) {
	seconds, err := q.segment.Uints(colTime)
	if err != nil {
		return nil, err
	}
	places, err := q.segment.Uints(colPlace)
	if err != nil {
		return nil, err
	}
	dict, err := q.segment.Strings(dictPlace)
	if err != nil {
		return nil, err
	}
	if q.segment.Rows() > 0 && places.Max() >= uint64(dict.Len()) {
		return nil, q.segment.corrupt(colPlace, "a number that "+dictPlace+" does not have")
	}
	of, zones := q.segment.zoneCache.zonesOf(dict)
	c := &clockDim{seconds: seconds, places: places, zoneOf: of, zones: make([]zoneClock, 1+len(zones)), scratch: make([]uint64, chunkRows)}
	c.zones[0].zone = zone
	for i, zone := range zones {
		c.zones[1+i].zone = zone
	}
	return c, q.meter().hold(int64(len(c.zones))*40 + 8*chunkRows)
}

const hoursOfWeek = 7 * 24

func (c *clockDim) span() uint64 { return hoursOfWeek }

func (c *clockDim) read(codes []uint64, rows []uint32) {
	codes, places := codes[:len(rows)], c.scratch[:len(rows)]
	readColumn(c.seconds, codes, rows)
	readColumn(c.places, places, rows)
	secondsBase, placesBase := c.seconds.Base(), c.places.Base()
	for i, element := range codes {
		seconds := element + secondsBase
		h := &c.zones[c.zoneOf[places[i]+placesBase]]
		if seconds-h.from >= h.to-h.from { // also when it is before
			h.seek(seconds)
		}
		codes[i] = (seconds + h.shift) % (hoursOfWeek * 3600) / 3600
	}
}

// seek moves the stretch to the one that a moment is in.
func (h *zoneClock) seek(seconds uint64) {
	t := timeOf(seconds, 0).In(h.zone)
	h.from, h.to = 0, 1<<64-1
	from, to := earshot.ZoneBounds(t)
	if !from.IsZero() {
		h.from = Seconds(from)
	}
	if !to.IsZero() {
		h.to = Seconds(to)
	}
	sinceSunday := uint64(t.Weekday())*24*3600 + uint64(t.Hour()*3600+t.Minute()*60+t.Second())
	const week = hoursOfWeek * 3600
	h.shift = (sinceSunday + week - seconds%week) % week
}

func (c *clockDim) keyFunc(bool) keyFunc {
	return func(dst []byte, hour uint64) []byte {
		sunday := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
		return append(dst, poststore.ClockKey(sunday.Add(time.Duration(hour)*time.Hour))...)
	}
}
