package manage

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/share"
)

// A shareLink shows either a dashboard, or the overview of a monitor.
type shareLink struct {
	ID        earshot.ShareLinkID `json:"id"`
	Team      earshot.TeamID      `json:"team"`
	Name      string              `json:"name"`
	State     share.State         `json:"state"`
	Target    string              `json:"target"` // name of the dashboard or monitor; empty: removed
	Dashboard earshot.DashboardID `json:"dashboard"`
	Monitor   earshot.MonitorID   `json:"monitor"`
	Filter    string              `json:"filter"`
	Range     card.RollingRange   `json:"range"`
	Start     earshot.Date        `json:"start"`
	End       earshot.Date        `json:"end"`
	Cards     []earshot.CardKind  `json:"cards"`    // of a monitor
	Password  bool                `json:"password"` // visitors have to enter one
	Expires   time.Time           `json:"expires,omitzero"`
	Revoked   time.Time           `json:"revoked,omitzero"`
	CreatedBy string              `json:"createdBy"`
	Created   time.Time           `json:"created"`
	Views     int64               `json:"views"`
	LastUsed  time.Time           `json:"lastUsed,omitzero"`
}

// A newShareLink is a link that was just created. Its path contains the token, which cannot be read
// again.
type newShareLink struct {
	shareLink
	Path string `json:"path"`
}

type shareLinkUse struct {
	Time    time.Time `json:"time"`
	Network string    `json:"network"`
	Refused string    `json:"refused"` // why; empty: the visitor saw what the link shows
}

func (a *API) newShareLink(l *earshot.ShareLink) shareLink {
	shown := shareLink{
		ID: l.ID, Team: l.Team, Name: l.Name, State: a.Shares.State(l), Dashboard: l.Dashboard, Monitor: l.Monitor(),
		Range: card.RollingRange(l.Range), Cards: jsonvalue.Map(l.Cards, func(c earshot.Card) earshot.CardKind { return c.Kind }),
		Password: l.PasswordHash != "", Expires: l.Expires, Revoked: l.Revoked, CreatedBy: l.CreatedBy, Created: l.Created, Views: l.Views,
	}
	shown.Target, _ = a.Shares.Target(l)
	if len(l.Cards) > 0 { // all cards have the same posts
		shown.Filter, shown.Start, shown.End = l.Cards[0].Filter, l.Cards[0].Start, l.Cards[0].End
	}
	if n := len(l.Uses); n > 0 {
		shown.LastUsed = l.Uses[n-1].Time
	}
	return shown
}

type shareID = idPath[earshot.ShareLinkID]

// listShares serves GET /manage/v1/shares.
func (a *API) listShares(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	Team      earshot.TeamID      `query:"team"`
	Dashboard earshot.DashboardID `query:"dashboard"`
	Monitor   earshot.MonitorID   `query:"monitor"`
}) (page[shareLink], error) {
	var list []*earshot.ShareLink
	for _, l := range a.Shares.List(c) {
		if (p.Team == 0 || l.Team == p.Team) && (p.Dashboard == 0 || l.Dashboard == p.Dashboard) && (p.Monitor == 0 || l.Monitor() == p.Monitor) {
			list = append(list, l)
		}
	}
	return paginate(p.pageParams, list, func(l *earshot.ShareLink) int64 { return int64(l.ID) }, a.newShareLink)
}

// An expiry is a time, or empty for never.
type expiry time.Time

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *expiry) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*e = expiry{}
		return nil
	}
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return errors.New("a time like 2026-03-31T22:00:00Z, or empty for never")
	}
	*e = expiry(t.UTC().Truncate(time.Second))
	return nil
}

// addShare serves POST /manage/v1/shares.
func (a *API) addShare(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Name      string              `json:"name"`
		Password  string              `json:"password"`
		Expires   expiry              `json:"expires"`
		Dashboard earshot.DashboardID `json:"dashboard"`
		Monitor   earshot.MonitorID   `json:"monitor"`
		Filter    string              `json:"filter"`
		Range     card.RollingRange   `json:"range"`
		Start     earshot.Date        `json:"start"`
		End       earshot.Date        `json:"end"`
		Cards     []earshot.CardKind  `json:"cards"`
	} `body:"json"`
}) (response rest.Created[newShareLink], err error) {
	b := p.Body
	if b.Monitor != 0 {
		query := postsQuery{monitorPath: monitorPath{ID: b.Monitor}, dayParams: dayParams{b.Start, b.End, b.Range}, Filter: b.Filter}
		if err := a.checkQuery(ctx, c, query); err != nil {
			return response, err
		}
	}
	l, token, err := a.Shares.Add(ctx, c, share.NewLink{
		Name: b.Name, Password: b.Password, Expires: time.Time(b.Expires), Dashboard: b.Dashboard,
		Monitor: b.Monitor, Filter: b.Filter, Range: string(b.Range), Start: b.Start, End: b.End, Cards: b.Cards,
	})
	if err != nil {
		return response, err
	}
	return rest.Created[newShareLink]{Value: newShareLink{a.newShareLink(l), "/share/" + token}}, nil
}

// checkQuery returns an error unless the caller may see the monitor, and the days and the filter are
// valid.
func (a *API) checkQuery(ctx context.Context, c *earshot.Caller, q postsQuery) error {
	m, _, err := q.find(a, c)
	if err != nil {
		return err
	}
	return a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		_, err := a.Filters.Refinement(c, m, q.Filter).Selection(categorization)
		return err
	})
}

// editShare serves PATCH /manage/v1/shares/{id}.
func (a *API) editShare(ctx context.Context, c *earshot.Caller, p struct {
	shareID
	Body struct {
		Name     *string `json:"name"`
		Password *string `json:"password"` // empty: none
		Expires  *expiry `json:"expires"`  // empty: never
	} `body:"json"`
}) (shareLink, error) {
	return toResponse(a.newShareLink)(a.Shares.Edit(ctx, c, p.ID, share.Changes{
		Name: p.Body.Name, Password: p.Body.Password, Expires: (*time.Time)(p.Body.Expires),
	}))
}

// listShareUses serves GET /manage/v1/shares/{id}/uses. The newest use is first.
func (a *API) listShareUses(_ context.Context, c *earshot.Caller, p shareID) (page[shareLinkUse], error) {
	l, err := a.Shares.Find(c, p.ID)
	if err != nil {
		return page[shareLinkUse]{}, err
	}
	uses := jsonvalue.Map(l.Uses, func(u earshot.ShareLinkUse) shareLinkUse { return shareLinkUse(u) })
	slices.Reverse(uses)
	return page[shareLinkUse]{Items: uses}, nil
}
