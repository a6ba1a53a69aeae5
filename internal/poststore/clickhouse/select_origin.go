package clickhouse

import (
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// origin adds conditions for the source, author and kind of a post. It returns that for its site, and
// whether it is exact.
func (s *selector) origin(of *poststore.Selection, add func(cond string)) (sites string, exact bool) {
	if len(of.Sources) > 0 {
		add(s.sources(of.Sources))
	}
	if of.ContentSource != 0 {
		add("contentSource = " + s.args.Int(int64(of.ContentSource)))
	}
	if of.Geotagged {
		add("geotagged = 1")
	}
	if of.Engagement != "" {
		add("engagement = " + s.args.String(string(of.Engagement)))
	}
	if len(of.Parents) > 0 {
		add(s.oneOfStrings("parent", of.Parents))
	}
	if len(of.Authors) > 0 {
		add(authorNamed(of.Authors, s.args))
	}
	if len(of.Handles) > 0 {
		add(authorHandle(of.Handles, s.args))
	}
	if len(of.Accounts) > 0 {
		add(authorAccount(of.Accounts, s.args))
	}
	if len(of.Sites) > 0 {
		return s.sites(of.Sites)
	}
	return "", true
}

// sources returns the condition that a post is from one of the sources.
func (s *selector) sources(sources []earshot.Source) string {
	names := make([]string, len(sources))
	for i, name := range sources {
		names[i] = string(name)
	}
	return oneOf(len(names), func() string { return s.args.InStrings("source", names) })
}

// sites returns the condition that a post is on one of the domains or their subdomains. Domains with
// other letters than ASCII need the rules of strings.EqualFold, which SQL does not have.
func (s *selector) sites(domains []string) (cond string, exact bool) {
	var names, ends []string
	for _, d := range domains {
		if d == "" {
			continue
		}
		if strings.ContainsFunc(d, func(r rune) bool { return r >= 0x80 }) {
			return "", false
		}
		names, ends = append(names, lowerASCII(d)), append(ends, "."+lowerASCII(d))
	}
	if len(names) == 0 {
		return never, true
	}
	return "(host IN " + s.args.Strings(names) + " OR arrayExists(x -> endsWith(host, x), " + s.args.Strings(ends) + "))", true
}
