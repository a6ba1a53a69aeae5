package people

import "slices"

// Ethnicities are the groups that [Population.Expected] counts, in its order.
var Ethnicities = []string{"White", "Latino", "Black", "Asian", "Other"}

// Percents are the percentages of people with a surname in each group except the last, which gets
// the rest.
type Percents struct {
	Of    [4]uint8
	Known bool // whether the census has the surname
}

// Percents returns the percentages for a surname in the form that [Model.Surname] returns.
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

// A Population is a group of people with known surnames. It is aggregated, so it shows the
// distribution of groups but not who has which surname. It keeps a few surnames to determine
// whether there are enough distinct ones. The zero value is an empty population.
type Population struct {
	sums     [4]int64 // sums of percentages; integers, so that their order does not matter
	known    int64
	surnames []string // distinct surnames, at most MinSurnames
}

// Add adds a number of people with the same surname. Unless IsSufficient, the caller must also add
// the surname with [Population.AddSurname].
func (b *Population) Add(p Percents, people int64) {
	for group, percent := range p.Of {
		b.sums[group] += people * int64(percent)
	}
	b.known += people
}

// AddSurname records the surname of people that were added.
func (b *Population) AddSurname(surname string) {
	if !b.IsSufficient() && !slices.Contains(b.surnames, surname) {
		b.surnames = append(b.surnames, surname)
	}
}

// IsSufficient reports whether there are enough distinct surnames to publish an estimate.
func (b *Population) IsSufficient() bool { return len(b.surnames) >= MinSurnames }

// AddAll adds the people of another population.
func (b *Population) AddAll(others *Population) {
	for group, sum := range others.sums {
		b.sums[group] += sum
	}
	b.known += others.known
	for _, surname := range others.surnames {
		b.AddSurname(surname)
	}
}

// Expected returns the expected number of people in each of [Ethnicities], rounded to integers.
// Without enough surnames, all are 0.
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

// Shares returns the shares of the groups. Without enough surnames, it returns zero values.
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
