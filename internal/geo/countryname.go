package geo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

// extraCountryNames are names that people write and the data lacks. They are only those
// that mean one country: England is a part of one, America is two continents.
var extraCountryNames = map[string]string{
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
	for name, code := range extraCountryNames {
		codes[Normalize(name)] = code
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
			key := Normalize(name)
			if other, taken := codes[key]; taken && other != code {
				codes[key] = ""
			} else {
				codes[key] = code
			}
		}
	}
	return codes
}

func gunzip(packed []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}
