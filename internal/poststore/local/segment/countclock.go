package segment

import (
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// clocks keeps the zones of a file's places: to find them takes longer than to count.
type clocks struct {
	mu    sync.Mutex
	known bool
	zones []*time.Location
	of    []uint16 // by number of the place: of its zone, plus one; 0: not known
}

// zonesOf returns the zones of the places in a dictionary.
func (c *clocks) zonesOf(places *colfile.Strings) (of []uint16, zones []*time.Location) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.of, c.zones
	}
	numbers := map[*time.Location]uint16{}
	for texts := places.Cursor(0); texts.Next(); {
		zone := poststore.ZoneAt(placeOf(string(texts.Text())), nil)
		if zone == nil {
			c.of = append(c.of, 0)
			continue
		}
		if numbers[zone] == 0 {
			c.zones = append(c.zones, zone)
			numbers[zone] = uint16(len(c.zones))
		}
		c.of = append(c.of, numbers[zone])
	}
	c.known = true
	return c.of, c.zones
}

// placeOf is the reverse of appendPlace.
func placeOf(text string) earshot.Place {
	country, rest, _ := strings.Cut(text, "\x00")
	state, city, _ := strings.Cut(rest, "\x00")
	return earshot.Place{Country: country, State: state, City: city}
}

// clock is the dimension of weekdays and hours at the places of posts: hours since the
// beginning of Sunday. Rows are in the order of their times, so nearly all of them are in
// the stretch between two changes of a zone's clocks in which the row before was.
type clock struct {
	seconds, places *colfile.Uints
	zoneOf          []uint16 // by number of the place
	hands           []hands  // by zone; the first is that of posts whose place has none
	scratch         []uint64
}

// hands are a zone, and a stretch of time without a change of its clocks.
type hands struct {
	zone     *time.Location
	from, to uint64 // seconds of the column
	ahead    uint64 // what is added to seconds of the column for the seconds since a Sunday began
}

// clock returns the weekdays and hours of rows.
func (q *question) clock(zone *time.Location) (*clock, error) {
	seconds, err := q.file.Uints(colTime)
	if err != nil {
		return nil, err
	}
	places, err := q.file.Uints(colPlace)
	if err != nil {
		return nil, err
	}
	dict, err := q.file.Strings(dictPlace)
	if err != nil {
		return nil, err
	}
	if q.file.Rows() > 0 && places.Max() >= uint64(dict.Len()) {
		return nil, q.file.corrupt(colPlace, "a number that "+dictPlace+" does not have")
	}
	of, zones := q.file.clocks.zonesOf(dict)
	c := &clock{seconds: seconds, places: places, zoneOf: of, hands: make([]hands, 1+len(zones)), scratch: make([]uint64, chunkRows)}
	c.hands[0].zone = zone
	for i, zone := range zones {
		c.hands[1+i].zone = zone
	}
	return c, q.meter().hold(int64(len(c.hands))*40 + 8*chunkRows)
}

const hoursOfWeek = 7 * 24

func (c *clock) span() uint64 { return hoursOfWeek }

func (c *clock) read(codes []uint64, rows []uint32) {
	codes, places := codes[:len(rows)], c.scratch[:len(rows)]
	readColumn(c.seconds, codes, rows)
	readColumn(c.places, places, rows)
	secondsBase, placesBase := c.seconds.Base(), c.places.Base()
	for i, element := range codes {
		seconds := element + secondsBase
		h := &c.hands[c.zoneOf[places[i]+placesBase]]
		if seconds-h.from >= h.to-h.from { // also when it is before
			h.set(seconds)
		}
		codes[i] = (seconds + h.ahead) % (hoursOfWeek * 3600) / 3600
	}
}

// set moves the stretch to the one that a moment is in.
func (h *hands) set(seconds uint64) {
	t := moment(seconds, 0).In(h.zone)
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
	h.ahead = (sinceSunday + week - seconds%week) % week
}

func (c *clock) speller(bool) speller {
	return func(dst []byte, hour uint64) []byte {
		sunday := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
		return append(dst, poststore.Clock(sunday.Add(time.Duration(hour)*time.Hour))...)
	}
}
