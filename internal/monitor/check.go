package monitor

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/query/watchlist"
)

// Limits on monitors. They bound the size of the stored record and are far above what people need.
const (
	maxName        = 200
	maxDescription = 2000
	maxValues      = 1000 // per list of places, sources, tags and so on
	maxFilters     = 100
)

// findTeam returns the team, or an [earshot.NotFound] error if it does not exist or c is not a
// member.
func (s *Service) findTeam(c *earshot.Caller, id earshot.TeamID) (*earshot.Team, error) {
	team, ok := s.Catalog.Teams.Find(id)
	if !ok || !c.In(id) {
		return nil, earshot.Errorf(earshot.NotFound, "Team %d does not exist", id)
	}
	return team, nil
}

// checkTeam returns an error unless c may add a monitor to the team.
func (s *Service) checkTeam(c *earshot.Caller, id earshot.TeamID) error {
	team, err := s.findTeam(c, id)
	if err != nil {
		return err
	}
	if team.MonitorLimit > 0 && len(s.List(c, id)) >= team.MonitorLimit {
		return earshot.Errorf(earshot.OverLimit, "Team %s has reached its limit of %d monitors; delete one or raise the limit", team.Name, team.MonitorLimit)
	}
	return nil
}

// check validates and normalizes a monitor. Sources that are in previous are allowed even if they
// no longer exist.
func (s *Service) check(m *earshot.Monitor, previous []string) error {
	m.Name = strings.TrimSpace(m.Name)
	if err := earshot.CheckText("name", m.Name, 1, maxName); err != nil {
		return err
	}
	if err := earshot.CheckText("description", m.Description, 0, maxDescription); err != nil {
		return err
	}
	if m.Start.Year < 1970 || m.Start.Year > 2099 {
		return earshot.InvalidBody("start must be a day from 1970-01-01 to 2099-12-31")
	}
	if err := checkTexts("tags", m.Tags); err != nil {
		return err
	}
	if err := checkTexts("targetHashtags", m.TargetHashtags); err != nil {
		return err
	}
	m.TargetHashtags = hashtags(m.TargetHashtags)
	if err := checkTexts("ownAccounts", m.OwnAccounts); err != nil {
		return err
	}
	m.OwnAccounts = distinctAccounts(m.OwnAccounts)
	if err := s.checkSelection(m, previous); err != nil {
		return err
	}
	return checkCategories(m)
}

// hashtags returns normalized hashtags, without duplicates.
func hashtags(tags []string) []string {
	var distinct []string
	for _, tag := range tags {
		if tag = earshot.Hashtag(tag); tag != "" && !slices.Contains(distinct, tag) {
			distinct = append(distinct, tag)
		}
	}
	return distinct
}

// checkSelection validates the fields that determine which posts and days the monitor covers.
func (s *Service) checkSelection(m *earshot.Monitor, previous []string) error {
	if err := checkZone(m); err != nil {
		return err
	}
	if err := checkType(m); err != nil {
		return err
	}
	return s.checkCriteria(m.Team, &m.Criteria, previous)
}

var errCategories = earshot.InvalidBody("categories is for OPINION monitors only")

// hostZones are names that [time.LoadLocation] accepts although their meaning depends on the host.
var hostZones = []string{"local", "localtime", "posixrules", "factory"}

func checkZone(m *earshot.Monitor) error {
	if m.Timezone == "" {
		m.Timezone = "UTC"
	}
	if _, err := time.LoadLocation(m.Timezone); err != nil || slices.Contains(hostZones, strings.ToLower(m.Timezone)) {
		return earshot.InvalidBody("timezone '%s' is not a time zone; use a name like UTC or America/New_York", m.Timezone)
	}
	return nil
}

// checkType validates the fields that depend on the monitor's type.
func checkType(m *earshot.Monitor) error {
	switch m.Type {
	case earshot.Buzz, earshot.Opinion:
		if strings.TrimSpace(m.Criteria.Keywords) == "" {
			return earshot.InvalidBody("keywords is missing")
		}
		if m.Account != (earshot.Account{}) {
			return earshot.InvalidBody("account is for SOCIAL monitors only")
		}
	case earshot.Social:
		if err := checkAccount(m); err != nil {
			return err
		}
	default:
		return earshot.InvalidBody("type must be BUZZ, OPINION or SOCIAL, not '%s'", m.Type)
	}
	return nil
}

// checkAccount validates the account. It also sets the sources, because programs recognize a social
// monitor by its single source.
func checkAccount(m *earshot.Monitor) error {
	a := &m.Account
	network, _ := earshot.FindNetwork(string(a.Network))
	for _, f := range []struct{ name, text string }{{"account.handle", a.Handle}, {"account.pageId", a.PageID}} {
		if err := earshot.CheckText(f.name, f.text, 0, maxName); err != nil {
			return err
		}
		if strings.ContainsFunc(strings.TrimSpace(f.text), unicode.IsSpace) {
			return earshot.InvalidBody("%s must not contain spaces", f.name)
		}
	}
	a.Handle = strings.TrimPrefix(strings.TrimSpace(a.Handle), "@")
	a.PageID = strings.TrimSpace(a.PageID)
	switch {
	case network.IsMicroblog(), network == earshot.Instagram:
		if a.Handle == "" {
			return earshot.InvalidBody("account.handle is missing")
		}
	case network == earshot.Facebook:
		if a.PageID == "" {
			return earshot.InvalidBody("account.pageId is missing")
		}
	default:
		return earshot.InvalidBody("account.network must be Twitter, Facebook, Instagram, Bluesky, Mastodon or Threads, not '%s'", a.Network)
	}
	a.Network = network
	m.Criteria.Sources = []string{string(network)}
	return nil
}

// checkCategories returns an error if a monitor that is not an OPINION monitor has new categories.
func checkCategories(m *earshot.Monitor) error {
	if m.Type == earshot.Opinion {
		return checkOpinionCategories(m.Categories)
	}
	if slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return c.ID == 0 }) {
		return errCategories
	}
	return nil
}

func checkOpinionCategories(list []earshot.Category) error {
	if len(list) == 0 || len(list) > earshot.MaxCategories {
		return earshot.InvalidBody("categories must list 1 to %d categories", earshot.MaxCategories)
	}
	seen := map[string]bool{}
	for i := range list {
		c := &list[i]
		c.Name, c.Group = strings.TrimSpace(c.Name), strings.TrimSpace(c.Group)
		if err := earshot.CheckText(fmt.Sprintf("categories[%d].name", i), c.Name, 1, maxName); err != nil {
			return err
		}
		if err := earshot.CheckText(fmt.Sprintf("categories[%d].group", i), c.Group, 0, maxName); err != nil {
			return err
		}
		if seen[strings.ToLower(c.Name)] {
			return earshot.InvalidBody("categories[%d].name '%s' appears twice", i, c.Name)
		}
		seen[strings.ToLower(c.Name)] = true
	}
	return nil
}

// checkCriteria validates criteria and normalizes language codes, geography IDs and source names.
func (s *Service) checkCriteria(team earshot.TeamID, c *earshot.Criteria, previous []string) error {
	for i, code := range c.Languages.Values {
		known, ok := earshot.FindLanguage(code)
		if !ok {
			return earshot.InvalidBody("languages.values[%d] '%s' is not a supported language; use one of %s", i, code, strings.Join(earshot.Languages, ", "))
		}
		c.Languages.Values[i] = known
	}
	if len(c.Places.Values) > maxValues {
		return earshot.InvalidBody("geolocations.values must list at most %d places", maxValues)
	}
	for i, id := range c.Places.Values {
		place, ok := geo.Find(id)
		if !ok {
			return earshot.InvalidBody("geolocations.values[%d] '%s' is not a geography id like USA, USA.CA or USA.CA.San Diego", i, id)
		}
		c.Places.Values[i] = place.ID()
	}
	if c.Gender != "" && c.Gender != earshot.Male && c.Gender != earshot.Female {
		return earshot.InvalidBody("gender must be M, F or empty, not '%s'", c.Gender)
	}
	if err := s.checkSources(team, c.Sources, previous); err != nil {
		return err
	}
	_, err := watchlist.Compile(team, *c)
	return err
}

func (s *Service) checkSources(team earshot.TeamID, names, previous []string) error {
	if len(names) > maxValues {
		return earshot.InvalidBody("sources must list at most %d sources", maxValues)
	}
	for i, name := range names {
		known, ok := s.FindSource(team, name)
		if !ok && slices.Contains(previous, name) {
			continue
		}
		if !ok {
			return earshot.InvalidBody("sources[%d] '%s' is neither a network nor a content source of the team", i, name)
		}
		names[i] = known
	}
	return nil
}

// FindSource returns the canonical name of a network, or of a content source that belongs to the
// team. Case does not matter.
func (s *Service) FindSource(team earshot.TeamID, name string) (string, bool) {
	if network, ok := earshot.FindNetwork(name); ok {
		return string(network), true
	}
	for _, src := range s.Catalog.Sources.List() {
		if src.Team == team && !src.Removed && strings.EqualFold(src.Name, name) {
			return src.Name, true
		}
	}
	return "", false
}

func checkTexts(field string, list []string) error {
	if len(list) > maxValues {
		return earshot.InvalidBody("%s must list at most %d values", field, maxValues)
	}
	for i, text := range list {
		if err := earshot.CheckText(fmt.Sprintf("%s[%d]", field, i), text, 1, maxName); err != nil {
			return err
		}
	}
	return nil
}
