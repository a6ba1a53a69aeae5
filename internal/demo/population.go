package demo

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"earshot"
)

// people is the total number of authors on all networks.
const people = 6000

// interests are the topics that authors care about in addition to coffee. The grammar sections chat
// and bio have a subsection for each.
var interests = strings.Fields("football music travel food technology film pets fitness garden fashion")

// An author posts on one network, always under the same name.
type author struct {
	home      *home
	username  string
	name      string
	profileID string
	bio       string
	interest  string
	site      string
	gender    earshot.Gender // empty: unknown to the network
	age       earshot.Count
	followers int64
	following int64
	posts     int64
	verified  bool
	located   bool   // whether the profile has a location
	maker     *brand // the brand that owns the account; nil: none
}

// A population contains all authors, by network.
type population struct {
	homes    []home
	grammars map[string]*grammar
	authors  map[earshot.Source][]author
}

func newPopulation(r *rand.Rand) *population {
	p := &population{homes: homes(), grammars: map[string]*grammar{}, authors: map[earshot.Source][]author{}}
	for _, language := range languages {
		g, err := readGrammar(language)
		if err != nil {
			panic(err) // the files are embedded, and a test reads them
		}
		p.grammars[language] = g
	}
	weights := make([]float64, len(p.homes))
	for i, h := range p.homes {
		weights[i] = h.weight
	}
	sums := cumulate(weights)
	taken := map[string]bool{}
	for i := range networks {
		n := &networks[i]
		for range int(people * n.share / 100) {
			h := &p.homes[pickWeighted(r, sums)]
			p.authors[n.source] = append(p.authors[n.source], newAuthor(r, h, p.grammars[h.language], n, taken))
		}
	}
	return p
}

// pick returns an author on the network. A few authors write most of the posts.
func (p *population) pick(r *rand.Rand, s earshot.Source) *author {
	all := p.authors[s]
	return &all[int(float64(len(all))*math.Pow(r.Float64(), 1.8))]
}

func newAuthor(r *rand.Rand, h *home, g *grammar, n *network, taken map[string]bool) author {
	a := author{
		home:      h,
		profileID: strconv.FormatInt(1e9+r.Int64N(8e9), 10),
		interest:  pick(r, interests),
		followers: followers(r),
		following: 20 + int64(400*r.ExpFloat64()),
		posts:     30 + int64(4000*r.ExpFloat64()),
		located:   r.Float64() < 0.6,
	}
	gender, names := earshot.Female, g.lists["female"]
	if r.Float64() < 0.52 {
		gender, names = earshot.Male, g.lists["male"]
	}
	if r.Float64() < 0.6 {
		a.gender = gender
	}
	if r.Float64() < 0.45 {
		a.age = earshot.Counted(16 + int64(30*(r.Float64()+r.Float64())))
	}
	if r.Float64() < 0.8 {
		a.bio = string(pick(r, g.find("bio."+a.interest)).say(nil, r, &subject{city: h.city}))
	}
	if len(n.sites) > 0 {
		a.site = pick(r, n.sites)
	}
	a.verified = a.followers > 20_000 && r.Float64() < 0.6
	a.username, a.name = newName(r, pick(r, names), pick(r, g.lists["surname"]), taken)
	return a
}

// followers has a long tail: half of all authors have fewer than 100 followers, and a handful have
// hundreds of thousands.
func followers(r *rand.Rand) int64 {
	return int64(min(40*math.Pow(1-r.Float64(), -1.15), 4e6))
}

// newName returns a unique username and a display name. Names in other scripts are listed as
// latin=displayed.
func newName(r *rand.Rand, first, last string, taken map[string]bool) (username, name string) {
	latinFirst, shownFirst := spellings(first)
	latinLast, shownLast := spellings(last)
	base := []string{
		latinFirst + latinLast,
		latinFirst + "_" + latinLast,
		latinLast + latinFirst[:1],
		latinFirst,
	}[r.IntN(4)]
	username = base
	for taken[username] || len(username) < 5 {
		username = base + strconv.Itoa(r.IntN(9990)+10)
	}
	taken[username] = true
	return username, shownFirst + " " + shownLast
}

func spellings(name string) (latin, shown string) {
	if latin, shown, both := strings.Cut(name, "="); both {
		return latin, shown
	}
	return slug(name), name
}

// slug returns the letters of a name that are valid in a username: Jürgen becomes jurgen.
func slug(name string) string {
	return strings.Map(func(c rune) rune {
		if c > unicode.MaxASCII || !unicode.IsLetter(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, norm.NFD.String(name))
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
