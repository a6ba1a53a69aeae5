package people

import "slices"

// Ethnicities are the groups that Expected counts, in its order.
var Ethnicities = []string{"White", "Latino", "Black", "Asian", "Other"}

// Percents are how many of 100 people with a surname are of each group but the last, which
// has the rest.
type Percents struct {
	Of    [4]uint8
	Known bool // the census has the surname
}

// Percents returns those of a surname, which is as Surname returns it.
func (m *Model) Percents(surname string) (p Percents) {
	table, err := m.surnames()
	if err != nil {
		return p
	}
	i, ok := table.find(surname)
	if !ok {
		return p
	}
	for group := range p.Of {
		p.Of[group] = table.percent[group][i]
	}
	p.Known = true
	return p
}

// A Population is a number of people with known surnames, aggregated so that it shows the
// distribution of groups, but not who has which surname. It keeps a few surnames to know whether
// there are enough different ones. The zero Population is empty.
type Population struct {
	sums     [4]int64 // of the percents; whole numbers add up to the same in any order
	known    int64
	surnames []string // different ones, until there are MinSurnames
}

// Add adds so many people with one surname, which AddSurname must note unless IsSufficient.
func (b *Population) Add(p Percents, people int64) {
	for group, percent := range p.Of {
		b.sums[group] += people * int64(percent)
	}
	b.known += people
}

// AddSurname notes a surname of people that were added.
func (b *Population) AddSurname(surname string) {
	if !b.IsSufficient() && !slices.Contains(b.surnames, surname) {
		b.surnames = append(b.surnames, surname)
	}
}

// IsSufficient reports whether there are enough different surnames to publish anything.
func (b *Population) IsSufficient() bool { return len(b.surnames) >= MinSurnames }

// AddAll adds the people of others.
func (b *Population) AddAll(others *Population) {
	for group, sum := range others.sums {
		b.sums[group] += sum
	}
	b.known += others.known
	for _, surname := range others.surnames {
		b.AddSurname(surname)
	}
}

// Expected returns how many of the people are of each of Ethnicities, to the nearest whole
// number. Without enough surnames all are 0.
func (b *Population) Expected() (people [5]int64) {
	if !b.IsSufficient() {
		return people
	}
	rest := 100 * b.known
	for group, sum := range b.sums {
		people[group] = (sum + 50) / 100
		rest -= sum
	}
	people[4] = (max(rest, 0) + 50) / 100
	return people
}

// Shares returns the shares of the groups. Without enough surnames there are none.
func (b *Population) Shares() Shares {
	if !b.IsSufficient() {
		return Shares{}
	}
	share := func(sum int64) float64 { return float64(sum) / float64(100*b.known) }
	return Shares{
		White:  share(b.sums[0]),
		Latino: share(b.sums[1]),
		Black:  share(b.sums[2]),
		Asian:  share(b.sums[3]),
		Other:  share(100*b.known - b.sums[0] - b.sums[1] - b.sums[2] - b.sums[3]),
		Known:  b.known,
	}
}
