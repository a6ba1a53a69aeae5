package people

// Log odds for parts of a display name other than the first name.
const (
	titleOdds      = 4 // Mrs, Mr
	patronymicOdds = 5 // -ovna, -ovich
	surnameOdds    = 2 // -ova, -ov
)

// readDisplay reads the gender of a display name from its title, first name and surname ending.
func (r *Extractor) readDisplay(e *Evidence, p Profile, display string) {
	if display == "" {
		return
	}
	var s spelling
	s.read(display)
	city := false // the previous part may be a city
	for i := range s.parts {
		part := s.part(i)
		hash := hashLetters(part)
		class := r.classes.of(hash)
		e.company = e.company || class&companyOnly != 0 || city && class&newsWord != 0 || r.classes.of(hashLetters(s.start(i+1)))&brandName != 0
		city = class&cityName != 0
		switch {
		case class&commonWord != 0 && r.isRare(hash):
		case i+1 < s.parts && class&femaleTitle != 0:
			e.addDisplay(titleOdds)
		case i+1 < s.parts && class&maleTitle != 0:
			e.addDisplay(-titleOdds)
		case i+1 < s.parts && class&title != 0:
		case !e.named || i == 0:
			r.readGiven(e, p, hash, len(part), i > 0)
		}
	}
	readEndings(e, &s)
}

// minFame is the minimum fame of a name that is also a common word to count as a name. Given is
// below it; Said and Can, which are names in other countries, are not.
const minFame = 8

// isRare reports whether few people have the name.
func (r *Extractor) isRare(hash uint32) bool {
	n := r.names.find(hash)
	return n == nil || n.fame < minFame
}

// readGiven reads a part of a display name as a first name. A later part may be a surname, so it
// counts half.
func (r *Extractor) readGiven(e *Evidence, p Profile, hash uint32, length int, later bool) {
	local, ok := r.locals[hash]
	n := r.names.find(hash)
	var odds float32
	switch {
	case ok && local.in(p):
		odds = local.odds
	case n != nil && length > 1:
		odds = n.logOdds()
	default:
		return
	}
	if later {
		odds /= 2
	}
	e.addDisplay(odds)
	e.Dense[denseKnown] = 1
}

func (e *Evidence) addDisplay(odds float32) {
	e.display += odds
	e.named = true
}

// endings are endings of Slavic and Icelandic names that only one gender has.
var endings = []struct {
	ending   string
	odds     float32
	cyrillic bool // only in Cyrillic; elsewhere a coincidence or inherited by daughters
	last     bool // of the last part, otherwise of a part before it
}{
	{ending: "ovna", odds: patronymicOdds},
	{ending: "evna", odds: patronymicOdds},
	{ending: "ichna", odds: patronymicOdds},
	{ending: "ovich", odds: -patronymicOdds},
	{ending: "evich", odds: -patronymicOdds},
	{ending: "ovna", odds: patronymicOdds, cyrillic: true, last: true},
	{ending: "evna", odds: patronymicOdds, cyrillic: true, last: true},
	{ending: "skaya", odds: surnameOdds, last: true},
	{ending: "dottir", odds: patronymicOdds, last: true},
	{ending: "ova", odds: surnameOdds, last: true},
	{ending: "eva", odds: surnameOdds, last: true},
	{ending: "ina", odds: surnameOdds, cyrillic: true, last: true},
	{ending: "aya", odds: surnameOdds, cyrillic: true, last: true},
	{ending: "ov", odds: -surnameOdds, cyrillic: true, last: true},
	{ending: "ev", odds: -surnameOdds, cyrillic: true, last: true},
	{ending: "in", odds: -surnameOdds, cyrillic: true, last: true},
	{ending: "iy", odds: -surnameOdds, cyrillic: true, last: true},
}

// readEndings reads the endings of all parts except the first, which is a first name.
func readEndings(e *Evidence, s *spelling) {
	for i := 1; i < s.parts; i++ {
		part := s.part(i)
		for _, x := range endings {
			if x.last != (i+1 == s.parts) || x.cyrillic && !s.cyrillic || len(part) < len(x.ending)+2 {
				continue
			}
			if string(part[len(part)-len(x.ending):]) == x.ending {
				e.addDisplay(x.odds)
				break
			}
		}
	}
}
