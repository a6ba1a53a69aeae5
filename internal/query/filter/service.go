package filter

import (
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// A Service selects posts with filters.
type Service struct {
	Monitors    Monitors
	Marks       Marks
	Corrections Corrections // nil: no post is corrected
}

// Monitors resolves references of filters.
type Monitors interface {
	// FindSource returns the canonical name of a source of a team. Case does not matter.
	FindSource(team earshot.TeamID, name string) (string, bool)

	// OwnAccounts returns the usernames of the brand's own accounts.
	OwnAccounts(m *earshot.Monitor) []string
}

// Marks has what teams keep about posts.
type Marks interface {
	// Select returns the posts that a team has marked in some way.
	Select(team earshot.TeamID, f earshot.MarkFilter) *poststore.KeySet

	// FindMember returns the user with a name, if posts of the team can be assigned to that user.
	FindMember(team earshot.TeamID, username string) (earshot.UserID, bool)
}

// Corrections has what people corrected about the posts of monitors.
type Corrections interface {
	// For returns the corrections of a monitor or filter, or nil.
	For(id earshot.MonitorID) *poststore.Corrections
}

// Categories has the posts of the categories of an opinion monitor.
type Categories interface {
	// Set returns the set of the posts of a category of m. The error says what is missing if the posts
	// of m are not categorized.
	Set(m *earshot.Monitor, id earshot.CategoryID) (poststore.SetID, error)
}

// Select returns the selection that a filter makes among the posts of m.
func (s *Service) Select(m *earshot.Monitor, f Filter, c Categories) (poststore.Selection, error) {
	if !f.given {
		return poststore.Selection{}, nil
	}
	sources := make([]string, len(f.criteria.Sources))
	for i, name := range f.criteria.Sources {
		known, ok := s.Monitors.FindSource(m.Team, name)
		if !ok {
			return poststore.Selection{}, earshot.InvalidParameter("filter", name, "source is a network or a content source of the team")
		}
		sources[i] = known
	}
	f.criteria.Sources = sources
	categories, err := f.selectCategories(m, c)
	if err != nil {
		return poststore.Selection{}, err
	}
	where, err := watchlist.Compile(m.Team, f.criteria)
	if err != nil {
		return poststore.Selection{}, err
	}
	return poststore.Selection{Where: where, Sites: f.sites, Authors: f.authors, Categories: categories}, nil
}

// selectCategories resolves the IDs of categories and emotions in the filter. It returns an error
// if m does not have one of them, or if it names a category and m is not trained.
func (f *Filter) selectCategories(m *earshot.Monitor, c Categories) (selected poststore.CategoryFilter, err error) {
	for _, id := range f.categories {
		hasID := func(c earshot.Category) bool { return strconv.FormatInt(int64(c.ID), 10) == id }
		if i := slices.IndexFunc(m.Emotions, hasID); i >= 0 {
			selected.Emotions |= 1 << i // there are only seven
		} else if i := slices.IndexFunc(m.Categories, hasID); i < 0 {
			return selected, earshot.InvalidParameter("filter", id, "category is the id of a category or an emotion of the monitor")
		} else if m.HasBasicCategories() {
			selected.Sentiments |= 1 << i
		} else if set, err := c.Set(m, m.Categories[i].ID); err != nil {
			return selected, err
		} else {
			selected.Sets = append(selected.Sets, set)
		}
	}
	return selected, nil
}

// refine returns the selection of the filter of a [Refinement].
func (s *Service) refine(m *earshot.Monitor, f *Filter, c Categories) (poststore.Selection, error) {
	selection, err := s.Select(m, *f, c)
	if err != nil {
		return poststore.Selection{}, err
	}
	selection.Having = f.more.having(m.Location())
	selection.Ranges = f.more.ranges
	f.more.marked.narrow(&selection)
	switch f.more.own {
	case excludeOwn:
		selection.Except = append(selection.Except, s.ownPosts(m)...)
	case onlyOwn:
		selection.Except = append(selection.Except, poststore.Selection{Except: s.ownPosts(m)})
	}
	switch corrected := (poststore.Selection{Keys: s.correctedPosts(m)}); f.more.corrected {
	case yes:
		selection.Except = append(selection.Except, poststore.Selection{Except: []poststore.Selection{corrected}})
	case no:
		selection.Except = append(selection.Except, corrected)
	}
	for _, other := range f.more.except {
		except, err := s.refine(m, other, c)
		if err != nil {
			return poststore.Selection{}, err
		}
		selection.Except = append(selection.Except, except)
	}
	return selection, nil
}

// ownPosts returns selections that together pick the posts of the brand's own accounts. The posts of
// a SOCIAL monitor's account are among them even if it goes by another name, such as that of a page.
func (s *Service) ownPosts(m *earshot.Monitor) (own []poststore.Selection) {
	if names := s.Monitors.OwnAccounts(m); len(names) > 0 {
		own = append(own, poststore.Selection{Handles: names})
	}
	if m.Type == earshot.Social {
		own = append(own, poststore.Selection{Set: poststore.OwnSet(m.ID)})
	}
	return own
}

func (s *Service) correctedPosts(m *earshot.Monitor) *poststore.KeySet {
	if s.Corrections != nil {
		if c := s.Corrections.For(m.ID); c != nil {
			return c.Keys()
		}
	}
	return poststore.NewKeySet(slices.Values([]earshot.PostKey(nil)))
}
