package enrich

import (
	"strings"

	"earshot"
	"earshot/internal/model/people"
)

// fillDemographics tells gender and age of the author, where the post does not state them.
func (m *models) fillDemographics(p *earshot.Post) {
	years, aged := p.Age.Value()
	if aged {
		p.AgeGroup = earshot.AgeGroupOf(years)
	}
	if aged && p.Gender != "" {
		return
	}
	who := people.Profile{
		Name: displayName(p), Username: p.AuthorUsername, Bio: p.Bio, Text: p.Contents,
		Language: p.Language, Country: p.Place.Country,
	}
	if p.Gender == "" {
		if p.Gender, _ = m.people.Gender(who); p.Gender != "" {
			p.Inferred |= earshot.InferredGender
		}
	}
	if !aged {
		p.AgeGroup = m.people.Age(who, p.Time)
	}
}

// displayName returns what the author is called, without the handle: Kim Example of
// "kim (Kim Example)". It is empty where there is only a handle.
func displayName(p *earshot.Post) string {
	author := strings.TrimSpace(p.Author)
	if before, rest, found := strings.Cut(author, " ("); found && strings.HasSuffix(rest, ")") && !strings.Contains(before, " ") {
		return strings.TrimSuffix(rest, ")")
	}
	if strings.TrimPrefix(author, "@") == p.AuthorUsername {
		return ""
	}
	return author
}
