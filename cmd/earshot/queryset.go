package main

import (
	"fmt"
	"strings"

	"earshot"
)

// setSource takes a network's name, also in the singular, as queries do. Any other
// is that of a content source.
func setSource(p *earshot.Post, value any) error {
	name, err := readName(value)
	if name == "" || err != nil {
		return err
	}
	p.Source = earshot.Source(name)
	for _, spelt := range []string{name, name + "s"} {
		if network, ok := earshot.FindNetwork(spelt); ok {
			p.Source = network
		}
	}
	return nil
}

// setSite takes a host or an address.
func setSite(p *earshot.Post, value any) error {
	site, err := readName(value)
	if _, rest, ok := strings.Cut(site, "://"); ok {
		site = rest
	}
	if end := strings.IndexAny(site, "/?#:"); end >= 0 {
		site = site[:end]
	}
	p.Site = strings.TrimPrefix(strings.ToLower(site), "www.")
	return err
}

func setDate(p *earshot.Post, value any) error {
	text, err := readName(value)
	if text == "" || err != nil {
		return err
	}
	if p.Time, err = earshot.ParseTime(text); err != nil {
		return fmt.Errorf("'%s' is not %w", earshot.Clip(text, 60), err)
	}
	return nil
}

// setLanguage drops a region, as in en-GB.
func setLanguage(p *earshot.Post, value any) error {
	code, err := readName(value)
	if end := strings.IndexAny(code, "-_"); end == 2 {
		code = code[:end]
	}
	p.Language = strings.ToLower(code)
	return err
}

func setGender(p *earshot.Post, value any) error {
	gender, err := readName(value)
	if err != nil {
		return err
	}
	switch strings.ToLower(gender) {
	case "", "u", "unknown":
		p.Gender = ""
	case "m", "male", "man":
		p.Gender = earshot.Male
	case "f", "female", "woman":
		p.Gender = earshot.Female
	default:
		return fmt.Errorf("'%s' is neither M nor F", earshot.Clip(gender, 60))
	}
	return nil
}

func setVerified(p *earshot.Post, value any) (err error) {
	p.Verified, err = readBool(value)
	return err
}

func setEngagement(p *earshot.Post, value any) error {
	kind, err := readName(value)
	p.Engagement = earshot.Engagement(strings.ToUpper(kind))
	return err
}

func setRating(p *earshot.Post, value any) error {
	n, stated, err := readNumber(value)
	if stated {
		p.Rating = &n
	}
	return err
}
