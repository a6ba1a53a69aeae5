package manage

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/dashboard"
)

// A dashboardInfo describes a dashboard in a list.
type dashboardInfo struct {
	ID        earshot.DashboardID `json:"id"`
	Team      earshot.TeamID      `json:"team"`
	Name      string              `json:"name"`
	Range     card.RollingRange   `json:"range"`
	CardCount int                 `json:"cardCount"`
	CreatedBy string              `json:"createdBy"`
	Created   time.Time           `json:"created"`
	EditedBy  string              `json:"editedBy"`
	Edited    time.Time           `json:"edited"`
	Revision  int64               `json:"revision"`
}

// A dashboardPage is a dashboard with its cards.
type dashboardPage struct {
	dashboardInfo
	Cards []card.Shown `json:"cards"`
}

func newDashboardInfo(d *earshot.Dashboard) dashboardInfo {
	return dashboardInfo{
		ID: d.ID, Team: d.Team, Name: d.Name, Range: card.RollingRange(d.Range), CardCount: len(d.Cards),
		CreatedBy: d.CreatedBy, Created: d.Created, EditedBy: d.EditedBy, Edited: d.Edited, Revision: d.Edits,
	}
}

func (a *API) newDashboard(d *earshot.Dashboard) dashboardPage {
	return dashboardPage{newDashboardInfo(d), jsonvalue.Map(d.Cards, a.Cards.Describe)}
}

type dashboardPath = idPath[earshot.DashboardID]

// addDashboard serves POST /manage/v1/dashboards: a new dashboard, or a copy of another one.
func (a *API) addDashboard(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team   earshot.TeamID      `json:"team"`
		Name   string              `json:"name"`
		Range  card.RollingRange   `json:"range"`
		Cards  []card.Shown        `json:"cards"`
		CopyOf earshot.DashboardID `json:"copyOf"`
	} `body:"json,large"`
}) (response rest.Created[dashboardPage], err error) {
	b := p.Body
	if b.CopyOf != 0 {
		if b.Team != 0 || b.Range != "" || len(b.Cards) > 0 {
			return response, earshot.InvalidBody("a copy has only a name; team, range and cards are those of the dashboard in copyOf")
		}
		return toCreated(a.newDashboard)(a.Dashboards.Copy(ctx, c, b.CopyOf, b.Name))
	}
	if b.Team == 0 {
		return response, earshot.InvalidBody("team is missing")
	}
	cards, err := card.Parse(b.Cards)
	if err != nil {
		return response, err
	}
	return toCreated(a.newDashboard)(a.Dashboards.Add(ctx, c, earshot.Dashboard{Team: b.Team, Name: b.Name, Range: string(b.Range), Cards: cards}))
}

func (a *API) editDashboard(ctx context.Context, c *earshot.Caller, p struct {
	dashboardPath
	Body struct {
		Team     *earshot.TeamID    `json:"team"`
		Name     *string            `json:"name"`
		Range    *card.RollingRange `json:"range"`
		Cards    *[]card.Shown      `json:"cards"`
		Revision *int64             `json:"revision"`
	} `body:"json,large"`
}) (response dashboardPage, err error) {
	d, err := a.Dashboards.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	b := p.Body
	if b.Team != nil && *b.Team != d.Team {
		return response, earshot.InvalidBody("team cannot be changed; create a new dashboard instead")
	}
	ch := dashboard.Changes{Name: b.Name, Range: (*string)(b.Range), Edits: b.Revision}
	if b.Cards != nil {
		cards, err := card.Parse(*b.Cards)
		if err != nil {
			return response, err
		}
		ch.Cards = &cards
	}
	return toResponse(a.newDashboard)(a.Dashboards.Edit(ctx, c, p.ID, ch))
}

// cardDayParams are the days of cards without their own, by default the days of the dashboard.
type cardDayParams struct{ dayParams }

// ResponseMemory implements [rest.Weighted]. The cards may have longer ranges.
func (p cardDayParams) ResponseMemory() int64 {
	return max(rest.LongResponse, p.dayParams.ResponseMemory())
}

// of returns the days for the cards of a dashboard.
func (p cardDayParams) of(d *earshot.Dashboard) card.Period {
	if p.dayParams == (dayParams{}) {
		return card.Period{Range: card.RollingRange(d.Range)}
	}
	return p.period()
}

type dashboardCardsParams struct {
	dashboardPath
	cardDayParams
	IDs cardIDs `query:"ids"` // empty: all
}

// cardIDs is a comma-separated list.
type cardIDs []int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (ids *cardIDs) UnmarshalText(text []byte) error {
	for field := range strings.SplitSeq(string(text), ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
		if err != nil || id <= 0 || slices.Contains(*ids, id) {
			return errors.New("a comma-separated list of IDs of cards, each once")
		}
		*ids = append(*ids, id)
	}
	return nil
}

type cardsResponse struct {
	Items []cardItem `json:"items"`
}

// A cardItem is the data of a card of a dashboard, or why there is none.
type cardItem struct {
	ID int64 `json:"id"`
	card.Result
	Error string `json:"error"`
}

// listCards serves GET /manage/v1/dashboards/{id}/cards: the data of several cards at once. Cards
// about the same posts are counted together.
func (a *API) listCards(ctx context.Context, c *earshot.Caller, p dashboardCardsParams) (response cardsResponse, err error) {
	d, err := a.Dashboards.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	cards := d.Cards
	if len(p.IDs) > 0 {
		cards = nil
		for _, id := range p.IDs {
			found, err := findCard(d, id)
			if err != nil {
				return response, err
			}
			cards = append(cards, found)
		}
	}
	results := a.Cards.ShowAll(ctx, c, cards, p.of(d), card.OnPage)
	if ctx.Err() != nil {
		return response, ctx.Err()
	}
	response.Items = make([]cardItem, len(cards))
	for i, r := range results {
		response.Items[i] = cardItem{ID: cards[i].ID, Result: r.Result, Error: a.Cards.ErrorMessage(cards[i], r.Err)}
	}
	return response, nil
}

// showCard serves GET /manage/v1/dashboards/{id}/cards/{card}.
func (a *API) showCard(ctx context.Context, c *earshot.Caller, p struct {
	dashboardPath
	cardDayParams
	Card int64 `path:"card"`
}) (card.Result, error) {
	d, err := a.Dashboards.Find(c, p.ID)
	if err != nil {
		return card.Result{}, err
	}
	found, err := findCard(d, p.Card)
	if err != nil {
		return card.Result{}, err
	}
	return a.Cards.Show(ctx, c, found, p.of(d))
}

func findCard(d *earshot.Dashboard, id int64) (earshot.Card, error) {
	i := slices.IndexFunc(d.Cards, func(card earshot.Card) bool { return card.ID == id })
	if i < 0 {
		return earshot.Card{}, earshot.Errorf(earshot.NotFound, "Dashboard %d has no card %d", d.ID, id)
	}
	return d.Cards[i], nil
}

type tryCardParams struct {
	Body card.Shown `body:"json"`
}

// ResponseMemory implements [rest.Weighted].
func (p tryCardParams) ResponseMemory() int64 {
	return max(rest.LongResponse, dayParams{p.Body.Start, p.Body.End, p.Body.Range}.ResponseMemory())
}

// tryCard serves POST /manage/v1/cards: the data of a card that is not part of a dashboard. It
// changes nothing.
func (a *API) tryCard(ctx context.Context, c *earshot.Caller, p tryCardParams) (data card.Result, err error) {
	cards, err := card.Parse([]card.Shown{p.Body})
	if err != nil {
		return data, err
	}
	team, err := a.teamOf(c, cards[0])
	if err != nil {
		return data, err
	}
	if err := a.Dashboards.CheckCards(team, cards, nil); err != nil {
		return data, err
	}
	return a.Cards.Show(ctx, c, cards[0], card.Period{})
}

// teamOf returns the team of the monitor of a card.
func (a *API) teamOf(c *earshot.Caller, card earshot.Card) (earshot.TeamID, error) {
	id := card.Monitor
	if len(card.Rows) > 0 {
		id = card.Rows[0].Monitor
	}
	if id == 0 {
		return 0, nil
	}
	m, err := a.Monitors.Find(c, id)
	if err != nil {
		return 0, err
	}
	return m.Team, nil
}
