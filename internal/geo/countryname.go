package geo

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// spell brings what is written alike into one spelling: lower case, without
// accents, dots, apostrophes and a leading "the", words separated by one space.
// It is not for display.
func spell(name string) string {
	var b strings.Builder
	for _, r := range cases.Fold().String(norm.NFKD.String(name)) {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Cf) || strings.ContainsRune(".'’", r): // U.S. is US
		case r == '&':
			b.WriteString(" and ")
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimPrefix(strings.Join(strings.Fields(b.String()), " "), "the ")
}

// writtenNames are names that people write and the data lacks. They are only those
// that mean one country: England is a part of one, America is two continents.
var writtenNames = map[string]string{
	"Bosnia":              "BIH",
	"Britain":             "GBR",
	"DR Congo":            "COD",
	"DRC":                 "COD",
	"East Timor":          "TLS",
	"KSA":                 "SAU",
	"PRC":                 "CHN",
	"Republic of Ireland": "IRL",
	"Vatican City":        "VAT",
	"한국":                  "KOR",
}

//go:embed countrynames.tsv.gz
var packedCountryNames []byte

// countryNames are the codes of countries by the spelling of their other names.
var countryNames = sync.OnceValue(func() map[string]string {
	text, err := gunzip(packedCountryNames)
	if err != nil {
		panic(fmt.Sprintf("geo: read the embedded names of countries: %v", err))
	}
	codes := parseCountryNames(text)
	for name, code := range writtenNames {
		codes[spell(name)] = code
	}
	return codes
})

// parseCountryNames reads lines of a country's code and its names, all separated by
// tabs. A name of several countries gets no code.
func parseCountryNames(text string) map[string]string {
	codes := make(map[string]string, strings.Count(text, "\t"))
	for line := range strings.Lines(text) {
		code, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for name := range strings.SplitSeq(names, "\t") {
			key := spell(name)
			if other, taken := codes[key]; taken && other != code {
				codes[key] = ""
			} else {
				codes[key] = code
			}
		}
	}
	return codes
}
