package enrich

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/model/people"
	"earshot/internal/model/sentiment"
)

// postText returns the input text for models: the contents, preceded by the title unless the
// contents begin with it.
func postText(p *earshot.Post) string {
	switch {
	case p.Title == "" || strings.HasPrefix(p.Contents, p.Title):
		return p.Contents
	case p.Contents == "":
		return p.Title
	}
	return p.Title + "\n" + p.Contents
}

func (m *models) fillLanguage(p *earshot.Post) {
	if p.Language != "" {
		return
	}
	if p.Language, _ = m.language.Detect(postText(p)); p.Language != "" {
		p.Inferred |= earshot.InferredLanguage
	}
}

// fillPlace infers where a post or its author is, from the coordinates, the ZIP code or the profile
// location, in that order.
func fillPlace(p *earshot.Post) {
	if !p.Place.IsZero() {
		return
	}
	if p.Place = placeOf(p); !p.Place.IsZero() {
		p.Inferred |= earshot.InferredPlace
	}
}

func placeOf(p *earshot.Post) earshot.Place {
	if p.Point != nil {
		if place, found := geo.Nearest(*p.Point); found {
			return place
		}
	}
	if p.Zipcode != "" {
		if place, _, found := geo.FindZIP(p.Zipcode); found {
			return place
		}
	}
	if p.Location != "" {
		if place, found := geo.Resolve(p.Location); found {
			return place
		}
	}
	return earshot.Place{}
}

// fillDemographics infers the gender and age of the author, unless the post states them.
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

// displayName returns the author's name without the handle, for example Kim Example for "kim (Kim
// Example)". It is empty if the author is only a handle.
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

func (m *models) fillSentiment(p *earshot.Post, domain sentiment.Domain) {
	s, e := m.sentiment.Infer(postText(p), p.Language, domain)
	p.Sentiment, p.Emotion = s.Inferred(), reconcile(s, e).Inferred()
}

// Points of scores. If two emotions are closer, the second is right as often as the first, provided that
// the sentiment contradicts the first. If they are not, the first is right more often: people call many
// posts joyful that complain, and sad that praise.
const (
	clearSentiment = 60
	closeEmotions  = 10
)

// reconcile returns an emotion that does not contradict a clear sentiment where that takes hardly any
// change: it exchanges the scores of the assigned emotion and of the next one that fits the sentiment.
func reconcile(s earshot.Sentiment, e earshot.Emotion) earshot.Emotion {
	contradicts := func(emotion int) bool {
		switch emotion {
		case earshot.Joy:
			return s[earshot.Negative] >= clearSentiment
		case earshot.Anger, earshot.Disgust, earshot.Fear, earshot.Sadness:
			return s[earshot.Positive] >= clearSentiment
		}
		return false
	}
	top, next := e.Assigned(), -1
	if top < 0 || !contradicts(top) {
		return e
	}
	for i := range e {
		if !contradicts(i) && (next < 0 || e[i] > e[next]) {
			next = i
		}
	}
	if e[top]-e[next] < closeEmotions {
		e[top], e[next] = e[next], e[top]
	}
	return e
}

func (m *models) fillInterests(p *earshot.Post) {
	var found [16]earshot.InterestID
	p.Interests = cloneNonEmpty(m.interest.AppendPost(found[:0], postText(p), p.Hashtags, p.Mentions))
	p.AuthorInterests = cloneNonEmpty(m.interest.AppendAuthor(found[:0], p.Bio))
}

// cloneNonEmpty returns a copy of found, or nil if it is empty.
func cloneNonEmpty(found []earshot.InterestID) []earshot.InterestID {
	if len(found) == 0 {
		return nil
	}
	return append(make([]earshot.InterestID, 0, len(found)), found...)
}
