package analysis

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/state/ledger"
)

// customPrefix is the prefix of content source names, for example CUSTOM:Survey.
const customPrefix = "CUSTOM:"

// parseSources returns the named sources, and the team of the content sources among them.
func (s *Service) parseSources(c *earshot.Caller, names []string) ([]ledger.Source, earshot.TeamID, error) {
	switch {
	case names == nil:
		return nil, 0, earshot.InvalidBody("sources is missing")
	case len(names) == 0:
		return nil, 0, earshot.InvalidBody("sources must list at least one source")
	case len(names) > maxSources:
		return nil, 0, earshot.InvalidBody("sources must list at most %d sources", maxSources)
	}
	own, err := s.findTeam(c, names)
	if err != nil {
		return nil, 0, err
	}
	var sources []ledger.Source
	for i, name := range names {
		source, err := own.find(i, name)
		if err != nil {
			return nil, 0, err
		}
		if slices.Contains(sources, source) {
			return nil, 0, earshot.InvalidBody("sources[%d] '%s' is there twice", i, clip(name))
		}
		sources = append(sources, source)
	}
	return sources, own.team, nil
}

// find returns the source with a name, which is at index i of the list.
func (o teamSources) find(i int, name string) (ledger.Source, error) {
	if wanted, isCustom := customName(name); isCustom {
		display := o.names[strings.ToLower(wanted)]
		return ledger.Source{Name: customPrefix + display, Source: earshot.Source(display)}, nil
	}
	network, ok := earshot.FindNetwork(strings.TrimSpace(name))
	if !ok {
		return ledger.Source{}, earshot.InvalidBody("sources[%d] '%s' is not one of %s or CUSTOM:<name of a content source>", i, clip(name), analysisNames(earshot.Networks))
	}
	return ledger.Source{Name: network.AnalysisName(), Source: network}, nil
}

// customName returns the name of the content source that a source refers to.
func customName(source string) (string, bool) {
	source = strings.TrimSpace(source)
	if len(source) < len(customPrefix) || !strings.EqualFold(source[:len(customPrefix)], customPrefix) {
		return "", false
	}
	return strings.TrimSpace(source[len(customPrefix):]), true
}

func analysisNames(sources []earshot.Source) string {
	var names []string
	for _, s := range sources {
		names = append(names, s.AnalysisName())
	}
	return strings.Join(names, ", ")
}

// teamSources are the content sources of a team.
type teamSources struct {
	team  earshot.TeamID
	names map[string]string // lowercase name -> original spelling
}

// findTeam finds the team of the named content sources. If several teams of the caller have sources
// with these names, it returns the first team that has all of them. Teams that the caller is a
// member of come before those that only an administrator may see.
func (s *Service) findTeam(c *earshot.Caller, names []string) (teamSources, error) {
	teams := s.visibleSources(c)
	var wanted []string
	for i, name := range names {
		own, isCustom := customName(name)
		if !isCustom {
			continue
		}
		wanted = append(wanted, strings.ToLower(own))
		has := func(t teamSources) bool { return t.names[strings.ToLower(own)] != "" }
		if !slices.ContainsFunc(teams, has) {
			return teamSources{}, earshot.InvalidBody("sources[%d] '%s' names no content source of your teams", i, clip(name))
		}
	}
	if len(wanted) == 0 {
		return teamSources{}, nil
	}
	i := slices.IndexFunc(teams, func(t teamSources) bool {
		return !slices.ContainsFunc(wanted, func(name string) bool { return t.names[name] == "" })
	})
	if i < 0 {
		return teamSources{}, earshot.InvalidBody("sources names content sources of different teams; name those of one team alone")
	}
	return teams[i], nil
}

// visibleSources lists the content sources that a caller may see, by team.
func (s *Service) visibleSources(c *earshot.Caller) []teamSources {
	var teams []teamSources
	for _, src := range s.Catalog.Sources.List() {
		if src.Removed || !c.In(src.Team) {
			continue
		}
		i := slices.IndexFunc(teams, func(t teamSources) bool { return t.team == src.Team })
		if i < 0 {
			i = len(teams)
			teams = append(teams, teamSources{src.Team, map[string]string{}})
		}
		teams[i].names[strings.ToLower(src.Name)] = src.Name
	}
	rank := func(t teamSources) int {
		if slices.Contains(c.Teams, t.team) {
			return 0
		}
		return 1
	}
	slices.SortFunc(teams, func(a, b teamSources) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.team, b.team))
	})
	return teams
}
