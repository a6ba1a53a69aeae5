package monitor

import (
	"cmp"
	"strings"

	"earshot"
	"earshot/internal/query"
)

// OwnAccounts returns the usernames of the accounts that belong to the brand of a monitor, and
// whether they are derived. A monitor that states none has the account of a SOCIAL monitor and the
// accounts that its query looks for. See docs/decisions/0055-overview-and-refinements.md.
func OwnAccounts(m *earshot.Monitor) (names []string, derived bool) {
	if len(m.OwnAccounts) > 0 {
		return m.OwnAccounts, false
	}
	if m.Type == earshot.Social {
		names = append(names, cmp.Or(m.Account.Handle, m.Account.PageID))
	}
	if mayNameAccounts(m.Criteria.Keywords) {
		if q, err := query.Parse(m.Criteria.Keywords); err == nil {
			names = append(names, q.Accounts()...)
		}
	}
	names = distinctAccounts(names)
	return names[:min(len(names), maxValues)], true
}

// mayNameAccounts avoids parsing the queries of a list of monitors.
func mayNameAccounts(keywords string) bool {
	lower := strings.ToLower(keywords)
	return strings.Contains(lower, "@") || strings.Contains(lower, "author") || strings.Contains(lower, "at_mentions")
}

// OwnAccounts returns the own accounts of a monitor that [Service.Find] returned. Those of a filter
// are those of its monitor.
func (s *Service) OwnAccounts(m *earshot.Monitor) []string {
	if parent, ok := s.Catalog.Monitors.Find(m.Parent); ok {
		m = parent
	}
	names, _ := OwnAccounts(m)
	return names
}

// distinctAccounts returns usernames without spaces around them and a leading "@", each once,
// ignoring case.
func distinctAccounts(names []string) []string {
	var distinct []string
	seen := map[string]bool{"": true}
	for _, name := range names {
		if key := earshot.AccountName(name); !seen[key] {
			seen[key] = true
			distinct = append(distinct, strings.TrimPrefix(strings.TrimSpace(name), "@"))
		}
	}
	return distinct
}
