package demo

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"earshot"
)

//go:embed text/homes.tsv
var homesFile string

// A home is a city where authors live.
type home struct {
	language  string
	weight    float64
	utcOffset time.Duration // in winter
	place     earshot.Place
	point     earshot.Point
	location  string // as written in profiles
	city      string // local name
}

// homes returns all homes in the order of the file.
func homes() []home {
	var all []home
	for line := range strings.Lines(homesFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		h, err := parseHome(strings.TrimSuffix(line, "\n"))
		if err != nil {
			panic(err) // the file is embedded, and a test reads it
		}
		all = append(all, h)
	}
	return all
}

func parseHome(line string) (home, error) {
	f := strings.Split(line, "\t")
	if len(f) != 9 {
		return home{}, fmt.Errorf("home %q has %d columns, want 9", line, len(f))
	}
	var n [4]float64
	for i, column := range []int{1, 2, 6, 7} {
		v, err := strconv.ParseFloat(f[column], 64)
		if err != nil {
			return home{}, fmt.Errorf("home %q: %w", line, err)
		}
		n[i] = v
	}
	city, _, _ := strings.Cut(f[8], ",")
	return home{
		language:  f[0],
		weight:    n[0],
		utcOffset: time.Duration(n[1]) * time.Minute,
		place:     earshot.Place{Country: f[3], State: f[4], City: f[5]},
		point:     earshot.Point{Latitude: n[2], Longitude: n[3]},
		location:  f[8],
		city:      city,
	}, nil
}
