package manage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/geo"
	"earshot/internal/jsonvalue"
	"earshot/internal/state/ledger"
)

type choicesParams struct {
	Team earshot.TeamID `query:"team"`
}

// choicesResponse contains the values that forms offer.
type choicesResponse struct {
	Languages      []option         `json:"languages"`
	Sources        []earshot.Source `json:"sources"`
	Microblogs     []earshot.Source `json:"microblogs"`
	ContentSources []sourceOption   `json:"contentSources"`
	Timezones      []string         `json:"timezones"`
	Teams          []teamOption     `json:"teams"`
	Ages           []option         `json:"ages"`
	Genders        []option         `json:"genders"`
	Analyses       []ledger.Kind    `json:"analyses"`
	Limits         limits           `json:"limits"`
}

// An option is a value to choose from. Forms send the ID and show the name.
type option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type teamOption struct {
	ID   earshot.TeamID `json:"id"`
	Name string         `json:"name"`
}

type sourceOption struct {
	ID   earshot.ContentSourceID `json:"id"`
	Name string                  `json:"name"`
	Team earshot.TeamID          `json:"team"`
}

type limits struct {
	Categories  int `json:"categories"`    // per opinion monitor
	MinTraining int `json:"leastTraining"` // training posts that a category needs
	MaxTraining int `json:"mostTraining"`  // training posts per monitor
	Documents   int `json:"documents"`     // per upload
}

var fixedLimits = limits{
	Categories:  earshot.MaxCategories,
	MinTraining: earshot.MinTrainingPosts,
	MaxTraining: earshot.MaxTrainingPosts,
	Documents:   content.MaxItems,
}

var (
	ageOptions    = []option{{"ZERO_TO_SEVENTEEN", "0–17"}, {"EIGHTEEN_TO_TWENTYFOUR", "18–24"}, {"TWENTYFIVE_TO_THIRTYFOUR", "25–34"}, {"THIRTYFIVE_AND_OVER", "35 and over"}}
	genderOptions = []option{{string(earshot.Female), "Female"}, {string(earshot.Male), "Male"}}
)

// showChoices returns the possible values of fields of monitors, filters and requests. If a team is
// given, it lists only that team's content sources.
func (a *API) showChoices(_ context.Context, c *earshot.Caller, p choicesParams) (choicesResponse, error) {
	if p.Team != 0 {
		if _, err := a.Accounts.FindTeam(c, p.Team); err != nil {
			return choicesResponse{}, err
		}
	}
	return choicesResponse{
		Languages:      languageOptions(),
		Sources:        earshot.Networks,
		Microblogs:     earshot.Microblogs,
		ContentSources: a.sourceOptions(c, p.Team),
		Timezones:      append([]string{"UTC"}, geo.TimeZones()...),
		Teams:          a.teamOptions(c),
		Ages:           ageOptions,
		Genders:        genderOptions,
		Analyses:       ledger.Kinds,
		Limits:         fixedLimits,
	}, nil
}

// languageOptions returns the languages, sorted by name.
func languageOptions() []option {
	options := make([]option, len(earshot.Languages))
	for i, code := range earshot.Languages {
		options[i] = option{strings.ToLower(code), earshot.LanguageName(code)}
	}
	slices.SortFunc(options, func(a, b option) int { return cmp.Compare(a.Name, b.Name) })
	return options
}

func (a *API) sourceOptions(c *earshot.Caller, team earshot.TeamID) []sourceOption {
	var options []sourceOption
	for _, src := range a.Content.VisibleSources(c, team) {
		options = append(options, sourceOption{src.ID, src.Name, src.Team})
	}
	slices.SortStableFunc(options, func(a, b sourceOption) int { return byName(a.Name, b.Name) })
	return options
}

func (a *API) teamOptions(c *earshot.Caller) []teamOption {
	options := jsonvalue.Map(a.Accounts.ListTeams(c), func(t *earshot.Team) teamOption { return teamOption{t.ID, t.Name} })
	slices.SortStableFunc(options, func(a, b teamOption) int { return byName(a.Name, b.Name) })
	return options
}

// byName compares names, ignoring case.
func byName(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }
