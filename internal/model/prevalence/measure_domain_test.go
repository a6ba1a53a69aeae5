package prevalence_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"earshot/internal/model/sentiment"
	"earshot/internal/test/testenv"
)

// DomainShares are the accuracy of estimated shares of the texts of a domain, with it and as if it were not
// known.
type DomainShares struct {
	Language string         `json:"language"`
	Domain   string         `json:"domain"`
	Texts    int            `json:"texts"`
	Known    SharesAccuracy `json:"known"`
	Unknown  SharesAccuracy `json:"unknown"`
}

var domains = map[sentiment.Domain]string{sentiment.Review: "reviews", sentiment.News: "news", sentiment.Forum: "forums"}

// TestMeasureDomains measures what the domain of a content source is worth: sentiment shares of texts that are
// not from social media. Samples have the mix of the texts. docs/models/shares.md quotes its figures.
func TestMeasureDomains(t *testing.T) {
	testenv.SkipUnlessLong(t)
	files, err := filepath.Glob("../../../../shared/data/sentiment/*_dev.tsv.gz")
	if err != nil || len(files) == 0 {
		testenv.SkipMissing(t, err)
	}
	m, err := sentiment.New()
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		language string
		domain   sentiment.Domain
	}
	known, unknown := map[key][]feltText{}, map[key][]feltText{}
	var order []key
	for _, file := range files {
		with, err := readFelt(m, nil, file, false, domainOf)
		if err != nil {
			t.Fatal(err)
		}
		without, err := readFelt(m, nil, file, false, func(string, string) sentiment.Domain { return sentiment.Social })
		if err != nil {
			t.Fatal(err)
		}
		for language, texts := range with {
			for i, text := range texts {
				if k := (key{language, text.group.Domain}); k.domain != sentiment.Social {
					if known[k] == nil {
						order = append(order, k)
					}
					known[k], unknown[k] = append(known[k], text), append(unknown[k], without[language][i])
				}
			}
		}
	}
	slices.SortFunc(order, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.language, b.language), cmp.Compare(a.domain, b.domain))
	})
	var result []DomainShares
	for _, k := range order {
		if len(known[k]) < minSharesTexts {
			continue
		}
		var with, without SharesOf
		with.measure(known[k], false, *bags)
		without.measure(unknown[k], false, *bags)
		result = append(result, DomainShares{k.language, domains[k.domain], len(known[k]), with.Natural, without.Natural})
	}
	testenv.LogJSON(t, result)
}
