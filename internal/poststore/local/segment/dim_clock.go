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

// zoneCache caches the time zones of a segment's places. Finding them takes longer than counting.
type zoneCache struct {
	mu     sync.Mutex
	zones  []*time.Location // guarded by mu
	zoneOf []uint16         // guarded by mu; indexed by place id: index in zones plus 1, or 0 if unknown
}

// zonesOf returns the time zones of the places in a dictionary.
func (c *zoneCache) zonesOf(places *colfile.Strings) (zoneOf []uint16, zones []*time.Location) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.zoneOf != nil {
		return c.zoneOf, c.zones
	}
	numbers := map[*time.Location]uint16{}
	for texts := places.Cursor(0); texts.Next(); {
		zone := enginekit.ZoneAt(placeOf(string(texts.Text())), nil)
		if zone != nil && numbers[zone] == 0 {
			zones = append(zones, zone)
			numbers[zone] = uint16(len(zones))
		}
		zoneOf = append(zoneOf, numbers[zone])
	}
	c.zones, c.zoneOf = zones, zoneOf
	return zoneOf, zones
}

// placeOf is the inverse of appendPlace.
func placeOf(text string) earshot.Place {
	country, rest, _ := strings.Cut(text, "\x00")
	state, city, _ := strings.Cut(rest, "\x00")
	return earshot.Place{Country: country, State: state, City: city}
}

// clockDim is the dimension of local weekdays and hours. Codes are hours since the start of Sunday.
// Rows are in chronological order, so almost every row is between the same two clock changes of its
// time zone as the previous row.
type clockDim struct {
	seconds, places *colfile.Uints
	zoneOf          []uint16    // indexed by place id: index in zones
	zones           []zoneClock // the first is for posts without a known time zone
	scratch         []uint64
}

// A zoneClock is a time zone and a time range without a clock change.
type zoneClock struct {
	zone     *time.Location
	from, to uint64 // values of the time column
	shift    uint64 // added to a value of the time column, gives seconds since the start of a Sunday
}

// clockDim returns the dimension of local weekdays and hours.
func (q *countQuery) clockDim(zone *time.Location) (*clockDim, error) {
	seconds, err := q.segment.Uints(colTime)
	if err != nil {
		return nil, err
	}
	places, dict, err := q.segment.openDictColumn(colPlace, dictPlace)
	if err != nil {
		return nil, err
	}
	zoneOf, zones := q.segment.zoneCache.zonesOf(dict)
	c := &clockDim{seconds: seconds, places: places, zoneOf: zoneOf, zones: make([]zoneClock, 1+len(zones)), scratch: make([]uint64, chunkRows)}
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
		if seconds-h.from >= h.to-h.from { // true if earlier, too, because the subtraction wraps around
			h.seek(seconds)
		}
		codes[i] = (seconds + h.shift) % (hoursOfWeek * 3600) / 3600
	}
}

// seek moves the range to the one that contains seconds.
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
