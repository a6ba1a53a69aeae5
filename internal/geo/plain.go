package geo

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"earshot"
)

// Plain returns a place with the names that it has in the ids that programs see: without dots, so
// that the id has one part per level, and without diacritics. Plain(p).ID() of Bogotá is
// COL.Bogota DC.Bogota. [Find] is the inverse.
//
// docs/decisions/0075-geography-ids.md
func Plain(p earshot.Place) earshot.Place {
	plain := earshot.Place{Country: p.Country, State: plainName(p.State), City: plainName(p.City)}
	if plain != p && slices.Contains(namesakes, p.ID()) {
		return p
	}
	return plain
}

// PlainChoice returns a choice of places with the ids that programs see.
func PlainChoice(c earshot.Choice) earshot.Choice {
	c.Values = slices.Clone(c.Values)
	for i, id := range c.Values {
		if p, ok := Find(id); ok {
			c.Values[i] = Plain(p).ID()
		}
	}
	return c
}

// plainName returns a name without dots and diacritics.
func plainName(name string) string { return strings.ReplaceAll(plainLetters(name), ".", "") }

// plainLetters returns a name without diacritics.
func plainLetters(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return name
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		plain := string(appendPlain(nil, r))
		if unicode.IsUpper(r) {
			first, size := utf8.DecodeRuneInString(plain)
			plain = string(unicode.ToUpper(first)) + plain[size:]
		}
		b.WriteString(plain)
	}
	return b.String()
}

// namesakes are the ids of cities that differ only in diacritics from another city of the state, which
// has the plain id. They keep theirs.
var namesakes = []string{
	"BRA.São Paulo.José Bonifácio", "DEU.Bavaria.Pöcking", "ESP.Catalonia.Navàs", "ETH.Amhara.Robīt",
	"FIN.South Ostrobothnia.Älajärvi", "IND.Andhra Pradesh.Kānūru", "IND.Gujarat.Kālol", "IND.Kerala.Kōttayam",
	"IND.Maharashtra.Chāndūr", "IND.Maharashtra.Deolāli", "IND.Maharashtra.Malkāpur", "IND.Maharashtra.Pīpri",
	"IND.Rajasthan.Sāngaria", "IND.Uttar Pradesh.Amethī", "IND.Uttar Pradesh.Goshāīnganj", "IND.Uttar Pradesh.Jalālābād",
	"IND.Uttar Pradesh.Lālganj", "IND.Uttar Pradesh.Phūlpur", "IND.Uttar Pradesh.Tāndā", "IRN.Fars.Ābādeh",
	"JPN.Shizuoka.Ōyama", "MEX.Coahuila.Villa Unión", "MEX.Mexico City.Benito Juárez",
	"MEX.Nuevo León.San Pedro Garza García", "MEX.Sinaloa.Adolfo Ruíz Cortínes", "NPL.Bagmati Province.Panauti̇̄",
	"PHL.Autonomous Region in Muslim Mindanao.Pagaluñgan", "TJK.Sughd.Bŭston", "VNM.An Giang.Phú Quốc",
}
