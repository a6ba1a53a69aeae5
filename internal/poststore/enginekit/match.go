package enginekit

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query"
)

// Matches reports whether a selection picks a document, as far as that can be decided from the post
// itself. Sets and journal positions are stored separately, so Matches ignores Set, After, a
// CategoryFilter with Sets, and Except, whose selections may have them.
func Matches(s *poststore.Selection, d *query.Document) bool {
	return MatchesPost(s, d.Post) && (s.Where == nil || s.Where.Match(d))
}

// MatchesPost is [Matches] without Where. It does not need the words of the post.
func MatchesPost(s *poststore.Selection, p *earshot.Post) bool {
	return matchesTime(s, p) && matchesOrigin(s, p) &&
		(s.Keys == nil || s.Keys.Has(p.Key())) &&
		(len(s.Parents) == 0 || p.ParentGUID != "" && slices.Contains(s.Parents, p.ParentGUID)) &&
		(s.Engagement == "" || p.Engagement == s.Engagement) &&
		(s.Categories.IsZero() || len(s.Categories.Sets) > 0 || s.Categories.Has(p.Sentiment.Assigned(), p.Emotion.Assigned())) &&
		matchesAll(s.Having, p) &&
		!slices.ContainsFunc(s.Ranges, func(r poststore.Range) bool { return !inRange(&r, p) })
}

// inRange reports whether a post has a number in the range.
func inRange(r *poststore.Range, p *earshot.Post) bool {
	var sum int64
	known := false
	for _, m := range r.Of {
		n, stated := countOf(m, p).Value()
		sum = poststore.SaturatingAdd(sum, n)
		known = known || stated
	}
	return known && r.Contains(sum)
}

// matchesTime reports whether a post is in the time range of a selection.
func matchesTime(s *poststore.Selection, p *earshot.Post) bool {
	return (s.From.IsZero() || !p.Time.Before(s.From)) &&
		(s.To.IsZero() || p.Time.Before(s.To)) &&
		(s.FromPost == nil || earshot.ComparePosts(p, s.FromPost) >= 0)
}

// matchesOrigin reports whether the source, site, author and geotag of a post match a selection.
func matchesOrigin(s *poststore.Selection, p *earshot.Post) bool {
	return (len(s.Sources) == 0 || slices.Contains(s.Sources, p.Source)) &&
		(s.ContentSource == 0 || p.ContentSource == s.ContentSource) &&
		(!s.Geotagged || p.Geotagged) &&
		(len(s.Sites) == 0 || onSite(p.Site, s.Sites)) &&
		(len(s.Authors) == 0 || isBy(p, s.Authors)) &&
		(len(s.Handles) == 0 || hasHandle(p, s.Handles)) &&
		(len(s.Accounts) == 0 || hasAccount(p, s.Accounts))
}

// onSite reports whether host is one of the domains or a subdomain of one.
func onSite(host string, domains []string) bool {
	for _, d := range domains {
		above := len(host) - len(d)
		if d == "" || above < 0 || !strings.EqualFold(host[above:], d) {
			continue
		}
		if above == 0 || host[above-1] == '.' {
			return true
		}
	}
	return false
}

// isBy reports whether one of the names is the username, display name or handle of the post's
// author.
func isBy(p *earshot.Post, names []string) bool {
	shown := earshot.Post{Author: p.Author} // take the handle from the display name, regardless of the username
	handle := shown.Handle()
	for _, n := range names {
		if n == "" {
			continue
		}
		if strings.EqualFold(n, p.AuthorUsername) || strings.EqualFold(n, p.Author) || strings.EqualFold(n, handle) {
			return true
		}
	}
	return false
}

// hasHandle reports whether one of the names is the username of the post's author.
func hasHandle(p *earshot.Post, names []string) bool {
	handle := earshot.AccountName(p.Handle())
	return handle != "" && slices.ContainsFunc(names, func(n string) bool { return handle == earshot.AccountName(n) })
}

// hasAccount reports whether one of the names identifies the author of the post.
func hasAccount(p *earshot.Post, names []string) bool {
	for account := range p.AccountNames() {
		for _, name := range names {
			if account == earshot.AccountName(name) {
				return true
			}
		}
	}
	return false
}

// DeletionMatcher returns a function that reports whether d selects a post.
func DeletionMatcher(d earshot.Deletion) func(*earshot.Post) bool {
	guids, urls, pages := setOf(d.GUIDs), setOf(d.URLs), setOf(d.Pages)
	listed := len(d.GUIDs)+len(d.URLs)+len(d.Pages) > 0
	valid, everywhere := d.Valid(), d.Everywhere()
	return func(p *earshot.Post) bool {
		return valid && (everywhere || p.ContentSource == d.ContentSource) &&
			(len(d.Accounts) == 0 || hasAccount(p, d.Accounts)) &&
			(d.Source == "" || p.Source == d.Source) &&
			(d.Batch == "" || p.Batch == d.Batch) &&
			(d.Before.IsZero() || p.Time.Before(d.Before)) &&
			(!listed || guids[p.GUID] || pages[p.PageID] || d.ContentSource != 0 && urls[p.URL])
	}
}

// setOf returns the set of nonempty values. An empty URL must not match posts without a URL.
func setOf(values []string) map[string]bool {
	set := make(map[string]bool, len(values))
	for _, v := range values {
		if v != "" {
			set[v] = true
		}
	}
	return set
}

// MatchesHaving reports whether a condition picks a post.
func MatchesHaving(h *poststore.Having, p *earshot.Post) bool {
	return slices.ContainsFunc(AppendKeys(nil, h.By, p, h.Location()), func(key string) bool {
		id, _, _ := strings.Cut(key, " ")
		return slices.Contains(h.Keys, key) || h.ByID() && id != "" && slices.Contains(h.Keys, id)
	})
}

// matchesAll reports whether all conditions pick a post.
func matchesAll(all []poststore.Having, p *earshot.Post) bool {
	for i := range all {
		if !MatchesHaving(&all[i], p) {
			return false
		}
	}
	return true
}
