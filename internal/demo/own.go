package demo

import (
	"time"

	"earshot"
)

// An ownAccount is an account of one of the brands, with its posting hours.
type ownAccount struct {
	source earshot.Source
	hours  []int // UTC
	author author
}

// ownHome is the location of the brands' offices. Their accounts post in English.
var ownHome = home{language: "en", place: earshot.Place{Country: "GBR", State: "England", City: "London"}, location: "London, UK", city: "London"}

var ownAccounts = []ownAccount{
	{source: earshot.Twitter, hours: []int{8, 12, 17},
		author: ownAuthor(&brands[0], TwitterHandle, "2400715501", 184_000)},
	{source: earshot.Instagram, hours: []int{11},
		author: ownAuthor(&brands[0], InstagramHandle, "5531208877", 261_000)},
	{source: earshot.Facebook, hours: []int{9, 16},
		author: ownAuthor(&brands[0], TwitterHandle, FacebookPageID, 422_000)},
	{source: earshot.Twitter, hours: []int{10, 15}, author: rivalAuthor},
	{source: earshot.Twitter, hours: []int{13},
		author: ownAuthor(&brands[2], SecondRivalHandle, "2718004466", 58_000)},
}

var rivalAuthor = ownAuthor(&brands[1], FirstRivalHandle, "2655190043", 97_000)

func ownAuthor(maker *brand, handle, profileID string, followers int64) author {
	return author{
		home:      &ownHome,
		username:  handle,
		name:      maker.name,
		profileID: profileID,
		bio:       "Coffee machines since 1987. We answer from 9 to 6",
		followers: followers,
		following: 312,
		posts:     9_400,
		verified:  true,
		located:   true,
		maker:     maker,
	}
}

// ownHandles is how people mention the brand on networks where it has an account.
var ownHandles = map[earshot.Source]string{
	earshot.Twitter:   TwitterHandle,
	earshot.Instagram: InstagramHandle,
}

// ownDrafts plans the brands' own posts of a day. Rivals do not mention the events.
func (w *writer) ownDrafts(c calendar, day int) []draft {
	var drafts []draft
	section := "own"
	switch day {
	case c.launch:
		section = "own.launch"
	case c.crisis, c.crisis + 1:
		section = "own.crisis"
	case c.paywallDay() + 1:
		section = "own.paywall"
	}
	for i := range ownAccounts {
		a := &ownAccounts[i]
		for _, hour := range a.hours {
			clock := time.Duration(hour)*time.Hour + time.Duration(w.r.Int64N(int64(time.Hour)))
			d := draft{at: c.at(day, clock), source: a.source, by: &a.author, topic: ownVoice, section: section}
			if a.author.maker != &brands[0] {
				d.section = "own"
			}
			drafts = append(drafts, d)
		}
	}
	return drafts
}

// writeOwn writes a post of a brand.
func (w *writer) writeOwn(p *earshot.Post, d draft, code string) {
	g := w.people.grammars[d.by.home.language]
	m := newTheme(w.r, g, ownVoice, d.by)
	m.section = d.section
	m.city = pick(w.r, w.people.homes).city
	p.Hashtags = []string{m.tag}
	b := compose(nil, w.r, g, &m, short)
	p.Contents = string(append(b, " #"+m.tag...))
	if d.source == earshot.Facebook {
		p.PageID = FacebookPageID
	}
	if d.source == earshot.Instagram {
		w.addImage(p, &m, code)
	}
	w.remember(p, d, m)
}
