package people

import "strings"

// localNames are first names that have one gender in a country, or where its language is spoken,
// but the other gender or both in the registers.
var localNames = []struct {
	names     string
	languages string
	countries string
	odds      float32
}{
	{"andrea simone nicola gabriele daniele michele luca mattia elia battista", "it", "ITA SMR", -4},
	{"jean rene pascal stephane laurent valery jocelyn joel yannick claude maxime", "fr", "FRA BEL CHE LUX", -4},
	{"laurence camille", "fr", "FRA BEL CHE LUX", 2},
	{"dominique", "fr", "FRA BEL CHE LUX", 0},
	{"jan kai sven jens uwe bernd rainer jorn maik", "de nl pl cs sk da sv no", "DEU AUT CHE NLD BEL POL CZE SVK DNK SWE NOR", -4},
	{"heike silke ulrike antje elke heidrun", "de", "DEU AUT CHE", 4},
	{"joan jordi oriol", "ca es", "ESP AND", -4},
	{"nikita ilya misha vanya kolya dima vova", "ru uk", "RUS UKR BLR KAZ", -3},
	{"sasha zhenya valya", "ru uk", "RUS UKR BLR KAZ", 0},
	{"kari toni jari jani ari", "fi", "FIN", -4},
	{"karen gagik armen", "hy", "ARM", -4},
	{"deniz evren umut derya", "tr", "TUR", 0},
	{"kim hyun min jung", "ko", "KOR", 0},
}

// A local is the meaning of a name in some countries.
type local struct {
	languages, countries string
	odds                 float32
}

// in reports whether a profile is from one of the countries or, if its country is unknown, in one
// of the languages.
func (l local) in(p Profile) bool {
	if p.Country != "" {
		return strings.Contains(l.countries, p.Country)
	}
	return p.Language != "" && strings.Contains(l.languages, p.Language)
}

// newLocals returns the local names by hash.
func newLocals() map[uint32]local {
	locals := make(map[uint32]local)
	for _, l := range localNames {
		for _, name := range strings.Fields(l.names) {
			locals[hashWord(name)] = local{languages: l.languages, countries: l.countries, odds: l.odds}
		}
	}
	return locals
}
