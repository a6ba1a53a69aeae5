package connector

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/ingest/item"
)

// Dates outside this range are mistakes, for example milliseconds read as seconds.
var (
	earliest = time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Clean prepares a post from a network for storage. It repairs invalid UTF-8, removes control
// characters and script links, and truncates long values. It returns "" or, if the post cannot be
// stored because it has no guid, date or text, the reason for [Counters].Skipped.
func Clean(p *earshot.Post) (skip string) {
	p.Contents = cut(text(p.Contents, ' '), item.MaxContents)
	p.Title = cut(text(p.Title, ' '), item.MaxText)
	for _, s := range []*string{
		&p.Author, &p.AuthorUsername, &p.AuthorProfileID, &p.Bio, &p.Location, &p.EngagingWith, &p.ParentGUID, &p.PageID, &p.Site,
	} {
		*s = short(*s)
	}
	p.URL = link(p.URL)
	p.Language = language(p.Language)
	if p.Site == "" {
		if u, err := url.Parse(p.URL); err == nil {
			p.Site = strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
		}
	}
	p.Hashtags = list(p.Hashtags, func(s string) string { return earshot.Hashtag(short(s)) })
	p.Mentions = list(p.Mentions, func(s string) string { return strings.ToLower(strings.TrimLeft(short(s), "@")) })
	p.Cashtags = list(p.Cashtags, func(s string) string { return strings.ToLower(strings.TrimLeft(short(s), "$")) })
	p.Links = list(p.Links, link)
	p.MediaURLs = list(p.MediaURLs, link)
	p.Images = images(p.Images)

	switch {
	case p.GUID == "" || len(p.GUID) > item.MaxText || !utf8.ValidString(p.GUID) || strings.ContainsFunc(p.GUID, isControl):
		return "no usable id"
	case p.Time.Before(earliest) || !p.Time.Before(latest):
		return "no usable date"
	case strings.TrimSpace(p.Contents) == "":
		return "no text"
	}
	return ""
}

// CountOf returns a count from a network, or an unstated count if n is implausible.
func CountOf(n int64) earshot.Count {
	if n < 0 || n > math.MaxInt64/2 {
		return earshot.Count{}
	}
	return earshot.Counted(n)
}

func short(s string) string { return cut(strings.TrimSpace(text(s, -1)), item.MaxText) }

func link(s string) string {
	if s = short(s); earshot.IsUnsafeLink(s) {
		return ""
	}
	return s
}

// text repairs invalid UTF-8 and replaces control characters, or removes them if by is negative.
func text(s string, by rune) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return by
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
}

// cut returns at most the first n characters of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return strings.Clone(s[:i]) // the rest may be huge
		}
		n--
	}
	return s
}

// list cleans entries and removes empty and duplicate ones.
func list(entries []string, clean func(string) string) []string {
	var kept []string
	for _, s := range entries {
		if len(kept) == item.MaxList {
			break
		}
		if s = clean(s); s != "" && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

func images(all []earshot.Image) []earshot.Image {
	var kept []earshot.Image
	for _, i := range all {
		if len(kept) == item.MaxList {
			break
		}
		if i.URL, i.Alt = link(i.URL), short(i.Alt); i.URL != "" {
			kept = append(kept, i)
		}
	}
	return kept
}

// language returns a two-letter code without a region such as -US, or "".
func language(s string) string {
	code, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "-")
	code, _, _ = strings.Cut(code, "_")
	if len(code) != 2 || strings.ContainsFunc(code, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return ""
	}
	return code
}
