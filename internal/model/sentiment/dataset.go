package sentiment

import (
	"slices"
	"strings"
)

// datasetDomains are the domains of labeled data sets that are not social media, by the prefix of the
// ids of their texts.
var datasetDomains = map[Domain][]string{
	Review: strings.Fields("sst husst sentipers series jrev kazsandra nsmc hirev smsa film magaza htl waimai shop asap svrev"),
	News:   strings.Fields("newsmtsc chabsa lcc lccnews europarl rusentne"),
	Forum:  strings.Fields("5ch goemotions"),
}

// DomainOfDataset returns the domain of the texts of a labeled data set, such as Review for "sst".
func DomainOfDataset(name string) Domain {
	for domain, names := range datasetDomains {
		if slices.Contains(names, name) {
			return domain
		}
	}
	return Social
}
