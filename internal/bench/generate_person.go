package bench

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/geo"
)

// A person is an author of posts. All fields are derived from the author's number.
type person struct {
	handle    string
	gender    earshot.Gender
	age       earshot.Count
	place     earshot.Place
	location  string
	followers int64
	following int64
	posts     int64
}

const personStream = 1 // kind for newRNG

// person returns author n.
func (g *Generator) person(n int) person {
	d := newRNG(g.Seed, personStream, n)
	p := person{handle: g.handle(n)}
	if d.chance(65) {
		p.gender = earshot.Male
		if d.chance(45) {
			p.gender = earshot.Female
		}
	}
	if d.chance(40) {
		p.age = earshot.Counted(int64(14 + d.skewed(66)))
	}
	if d.chance(60) {
		at := g.Sample.homes[d.skewed(len(g.Sample.homes))]
		p.place, p.location = at.Place, at.Name
	}
	p.followers = d.logUniform(6)
	p.following = d.logUniform(3.7)
	p.posts = d.logUniform(5.3)
	return p
}

// sign makes a the author of p.
func (a *person) sign(p *earshot.Post) {
	p.Author, p.AuthorUsername = a.handle, a.handle
	p.Gender, p.Age = a.gender, a.age
	p.Followers, p.Following, p.AuthorPosts = earshot.Counted(a.followers), earshot.Counted(a.following), earshot.Counted(a.posts)
	p.Location, p.Place = a.location, a.place
}

// handle returns the username of author n: a handle from the sample, with a number appended once
// all of them are used.
func (g *Generator) handle(n int) string {
	handles := g.Sample.handles
	name := handles[n%len(handles)]
	if n < len(handles) {
		return name
	}
	return name + strconv.Itoa(n/len(handles))
}

// logUniform returns a number of at most the given number of digits, with each length equally
// likely.
func (d *rng) logUniform(digits float64) int64 { return int64(math.Exp(d.unit()*digits*math.Ln10)) - 1 }

// homes returns the cities where authors live, most common first: the largest cities of several
// countries, interleaved, with more cities for the countries listed first.
func homes() []geo.Entry {
	const maxCities = 64
	countries := []string{"USA", "GBR", "DEU", "FRA", "IND", "BRA", "RUS", "ESP", "ITA", "CAN", "JPN", "MEX"}
	var all []geo.Entry
	largest := map[string][]geo.Entry{}
	for _, c := range countries {
		largest[c] = largestCities(c)
	}
	for rank := range maxCities {
		for i, c := range countries {
			if rank < maxCities>>(i/2) && rank < len(largest[c]) {
				all = append(all, largest[c][rank])
			}
		}
	}
	return all
}

func largestCities(country string) []geo.Entry {
	cities := geo.Cities(country)
	slices.SortStableFunc(cities, func(a, b geo.Entry) int { return cmp.Compare(b.Population, a.Population) })
	return cities
}
