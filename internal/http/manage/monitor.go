package manage

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/monitor"
	"earshot/internal/query"
	"earshot/internal/workspace/card"
)

type monitorInfo struct {
	ID             earshot.MonitorID   `json:"id"`
	Name           string              `json:"name"`
	Description    string              `json:"description"`
	Type           earshot.MonitorType `json:"type"`
	Team           earshot.TeamID      `json:"team"`
	Enabled        bool                `json:"enabled"`
	Keywords       string              `json:"keywords"`
	Languages      choice              `json:"languages"`
	Geolocations   choice              `json:"geolocations"`
	Gender         earshot.Gender      `json:"gender" values:"M,F,"`
	Sources        []string            `json:"sources"`
	Timezone       string              `json:"timezone"`
	Start          earshot.Date        `json:"start"`
	Tags           []string            `json:"tags"`
	Categories     []category          `json:"categories"`
	Emotions       []category          `json:"emotions"`
	Account        *card.SocialAccount `json:"account,omitempty"`
	TargetHashtags []string            `json:"targetHashtags"`

	// OwnAccounts are derived from the account and the keywords if the monitor states none.
	OwnAccounts        []string `json:"ownAccounts"`
	OwnAccountsDerived bool     `json:"ownAccountsDerived"`

	Filters  []monitorFilter `json:"filters"`
	Created  time.Time       `json:"created"`
	Revision int64           `json:"revision"` // changes with every edit
}

// A changedMonitor is the response to creating or editing a monitor.
type changedMonitor struct {
	monitorInfo
	Warnings []query.Remark `json:"warnings"`
}

func newChangedMonitor(m *earshot.Monitor) changedMonitor {
	return changedMonitor{newMonitor(m), query.Check(m.Criteria.Keywords, query.Lenient).Warnings}
}

type choice struct {
	Type   string   `json:"type" values:"include,exclude"`
	Values []string `json:"values"`
}

type category struct {
	ID           earshot.CategoryID `json:"id"`
	Name         string             `json:"name"`
	Group        string             `json:"group,omitempty"`
	Hidden       bool               `json:"hidden"`
	TrainingDocs int                `json:"trainingDocs"`
}

func newMonitor(m *earshot.Monitor) monitorInfo {
	own, derived := monitor.OwnAccounts(m)
	info := monitorInfo{
		ID: m.ID, Name: m.Name, Description: m.Description, Type: m.Type, Team: m.Team, Enabled: m.Enabled,
		Keywords: m.Criteria.Keywords, Languages: newChoice(m.Criteria.Languages),
		Geolocations: newChoice(geo.PlainChoice(m.Criteria.Places)), Gender: m.Criteria.Gender, Sources: m.Criteria.Sources,
		Timezone: m.Timezone, Start: m.Start, Tags: m.Tags,
		Categories: newCategories(m.Categories), Emotions: newCategories(m.Emotions),
		TargetHashtags: m.TargetHashtags, OwnAccounts: own, OwnAccountsDerived: derived,
		Filters: newFilters(m), Created: m.Created, Revision: m.Edits,
	}
	if m.Type == earshot.Social {
		account := card.SocialAccount(m.Account)
		info.Account = &account
	}
	return info
}

func newChoice(c earshot.Choice) choice {
	shown := choice{"include", c.Values}
	if c.Exclude {
		shown.Type = "exclude"
	}
	return shown
}

func newCategories(list []earshot.Category) []category {
	return jsonvalue.Map(list, func(c earshot.Category) category {
		return category{ID: c.ID, Name: c.Name, Group: c.Group, Hidden: c.Hidden, TrainingDocs: c.TrainingDocs}
	})
}

// criteriaBody contains the fields of monitors and filters that select posts.
type criteriaBody struct {
	Keywords     *string     `json:"keywords"`
	Languages    *choiceBody `json:"languages"`
	Geolocations *choiceBody `json:"geolocations"`
	Gender       *string     `json:"gender"`
	Sources      *[]string   `json:"sources"`
}

type choiceBody struct {
	Type   string   `json:"type"`
	Values []string `json:"values"`
}

func (b criteriaBody) changes() (c monitor.CriteriaChanges, err error) {
	c.Keywords, c.Sources = b.Keywords, b.Sources
	if b.Gender != nil {
		gender := earshot.Gender(strings.ToUpper(strings.TrimSpace(*b.Gender)))
		c.Gender = &gender
	}
	if c.Languages, err = b.Languages.choice("languages"); err != nil {
		return c, err
	}
	c.Places, err = b.Geolocations.choice("geolocations")
	return c, err
}

func (b *choiceBody) choice(field string) (*earshot.Choice, error) {
	if b == nil {
		return nil, nil
	}
	switch strings.ToLower(b.Type) {
	case "", "include":
		return &earshot.Choice{Values: b.Values}, nil
	case "exclude":
		return &earshot.Choice{Exclude: true, Values: b.Values}, nil
	}
	return nil, earshot.InvalidBody("%s.type must be include or exclude, not '%s'", field, b.Type)
}

type monitorBody struct {
	criteriaBody
	Name           *string         `json:"name"`
	Description    *string         `json:"description"`
	Type           *string         `json:"type"`
	Team           *earshot.TeamID `json:"team"`
	Timezone       *string         `json:"timezone"`
	Start          *earshot.Date   `json:"start"`
	Tags           *[]string       `json:"tags"`
	TargetHashtags *[]string       `json:"targetHashtags"`
	OwnAccounts    *[]string       `json:"ownAccounts"`
	Account        *accountBody    `json:"account"`
	Categories     *[]categoryBody `json:"categories"`
	Revision       *int64          `json:"revision"` // the revision that the caller last saw; ignored for a new monitor
}

type categoryBody struct {
	ID     earshot.CategoryID `json:"id"`
	Name   *string            `json:"name"`
	Group  *string            `json:"group"`
	Hidden rest.Bool          `json:"hidden"`
}

func (b categoryBody) change() monitor.CategoryChange {
	ch := monitor.CategoryChange{ID: b.ID, Name: b.Name, Group: b.Group}
	if b.Hidden.Presence == rest.Given {
		ch.Hidden = &b.Hidden.Value
	}
	return ch
}

func (b monitorBody) changes() (monitor.Changes, error) {
	criteria, err := b.criteriaBody.changes()
	ch := monitor.Changes{
		Name: b.Name, Description: b.Description, Team: b.Team, Criteria: criteria, Timezone: b.Timezone,
		Start: b.Start, Tags: b.Tags, TargetHashtags: b.TargetHashtags, OwnAccounts: b.OwnAccounts, Edits: b.Revision,
	}
	if b.Type != nil {
		kind := earshot.MonitorType(strings.ToUpper(*b.Type))
		ch.Type = &kind
	}
	if b.Account != nil {
		ch.Account = &earshot.Account{Network: b.Account.Network, Handle: b.Account.Handle, PageID: b.Account.PageID.Value}
	}
	if b.Categories != nil {
		list := make([]monitor.CategoryChange, len(*b.Categories))
		for i, c := range *b.Categories {
			list[i] = c.change()
		}
		ch.Categories = &list
	}
	return ch, err
}

type accountBody struct {
	Network earshot.Source `json:"network"`
	Handle  string         `json:"handle"`
	PageID  rest.Text      `json:"pageId"`
}

type monitorPath = idPath[earshot.MonitorID]

func (a *API) addMonitor(ctx context.Context, c *earshot.Caller, p struct {
	Body monitorBody `body:"json,large"`
}) (rest.Created[changedMonitor], error) {
	ch, err := p.Body.changes()
	if err != nil {
		return rest.Created[changedMonitor]{}, err
	}
	return toCreated(newChangedMonitor)(a.Monitors.Add(ctx, c, ch))
}

// monitor returns the monitor with the given ID. It does not return filters, which have their own
// path.
func (a *API) monitor(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	m, err := a.Monitors.Find(c, id)
	if err == nil && m.Parent != 0 {
		return nil, earshot.NoMonitor(id)
	}
	return m, err
}

func (a *API) editMonitor(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body monitorBody `body:"json,large"`
}) (changedMonitor, error) {
	ch, err := p.Body.changes()
	if err != nil {
		return changedMonitor{}, err
	}
	return toResponse(newChangedMonitor)(a.Monitors.Edit(ctx, c, p.ID, ch))
}

func (a *API) resetMonitor(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body struct {
		From earshot.Date `json:"from"`
	} `body:"json,optional"`
}) (monitorInfo, error) {
	return toResponse(newMonitor)(a.Monitors.Reset(ctx, c, p.ID, p.Body.From))
}

type snapshot struct {
	Date      earshot.Date  `json:"date"`
	Followers earshot.Count `json:"followers"`
	Likes     earshot.Count `json:"likes"`
}

// IgnoresUnknown implements [rest.Lenient]: imported files have more columns.
func (snapshot) IgnoresUnknown() {}

func (a *API) addSnapshots(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body []snapshot `body:"json,large"`
}) (rest.NoContent, error) {
	m, err := a.monitor(c, p.ID)
	if err != nil {
		return rest.NoContent{}, err
	}
	snapshots := make([]earshot.Snapshot, len(p.Body))
	for i, s := range p.Body {
		snapshots[i] = earshot.Snapshot(s)
	}
	return rest.NoContent{}, a.Content.AddSnapshots(ctx, m, snapshots)
}
