package manage

import (
	"context"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/filter"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// A card is an [earshot.Card] as JSON.
type card struct {
	ID      int64             `json:"id"`
	Kind    earshot.CardKind  `json:"kind"`
	Title   string            `json:"title"`
	Width   int               `json:"width"`
	Monitor earshot.MonitorID `json:"monitor"`
	Filter  string            `json:"filter"`
	Range   rollingRange      `json:"range"`
	Start   earshot.Date      `json:"start"`
	End     earshot.Date      `json:"end"`
	Sort    string            `json:"sort"`
	Rows    []cardRow         `json:"rows"`
	Earlier earlierPeriod     `json:"earlier"`
	Text    string            `json:"text"`
}

// A cardRow is an [earshot.CardRow] as JSON.
type cardRow struct {
	Label   string            `json:"label"`
	Monitor earshot.MonitorID `json:"monitor"`
	Filter  string            `json:"filter"`
	Range   rollingRange      `json:"range"`
	Start   earshot.Date      `json:"start"`
	End     earshot.Date      `json:"end"`
}

func newCard(c earshot.Card) card {
	return card{
		ID: c.ID, Kind: c.Kind, Title: c.Title, Width: c.Width, Monitor: c.Monitor, Filter: c.Filter,
		Range: rollingRange(c.Range), Start: c.Start, End: c.End, Sort: c.Sort,
		Rows: jsonvalue.Map(c.Rows, func(r earshot.CardRow) cardRow {
			return cardRow{r.Label, r.Monitor, r.Filter, rollingRange(r.Range), r.Start, r.End}
		}),
		Earlier: earlierPeriod(c.Earlier), Text: c.Text,
	}
}

// parseCards returns cards of a request body, which may be those of an earlier response. It is an error
// if a filter cannot be parsed.
func parseCards(cards []shownCard) ([]earshot.Card, error) {
	list := make([]earshot.Card, len(cards))
	for i, c := range cards {
		list[i] = earshot.Card{
			ID: c.ID, Kind: c.Kind, Title: c.Title, Width: c.Width, Monitor: c.Monitor, Filter: c.Filter,
			Range: string(c.Range), Start: c.Start, End: c.End, Sort: c.Sort, Earlier: string(c.Earlier), Text: c.Text,
		}
		if err := filter.Check(c.Filter); err != nil {
			return nil, earshot.InvalidBody("cards[%d].filter: %v", i, err)
		}
		for k, r := range c.Rows {
			if err := filter.Check(r.Filter); err != nil {
				return nil, earshot.InvalidBody("cards[%d].rows[%d].filter: %v", i, k, err)
			}
			list[i].Rows = append(list[i].Rows, earshot.CardRow{Label: r.Label, Monitor: r.Monitor, Filter: r.Filter, Range: string(r.Range), Start: r.Start, End: r.End})
		}
	}
	return list, nil
}

// A shownCard is a card with what readers need to understand it. A removed monitor has no name.
type shownCard struct {
	card
	MonitorName string            `json:"monitorName"`
	Parent      earshot.MonitorID `json:"parent"`     // the monitor of a saved filter; 0 for other cards
	FilterName  string            `json:"filterName"` // of a saved filter
	Removed     bool              `json:"removed"`    // the monitor or saved filter no longer exists
}

func (a *API) newShownCard(c earshot.Card) shownCard {
	shown := shownCard{card: newCard(c)}
	if c.Monitor == 0 {
		return shown
	}
	m, ok := a.Monitors.Catalog.FindMonitor(c.Monitor)
	if !ok {
		shown.Removed = true
		return shown
	}
	shown.MonitorName = m.Name
	if f, ok := m.Filter(c.Monitor); ok {
		shown.Parent, shown.FilterName = m.ID, f.Name
	}
	return shown
}

// cardData is what a card shows: the response of the endpoint that counts it. The others are null.
type cardData struct {
	Overview   *overview       `json:"overview"`
	Topics     *topicsResponse `json:"topics"`
	Posts      *postsResponse  `json:"posts"`
	Comparison *comparison     `json:"comparison"`
	Removed    bool            `json:"removed"` // the monitor no longer exists, or in a comparison, one of the monitors
}

// cardParts are the parts of the overview that a card of each kind shows.
var cardParts = map[earshot.CardKind][]insight.Part{
	earshot.FiguresCard:   {insight.DaysPart, insight.CategoriesPart, insight.PreviousPart, insight.AuthorsPart},
	earshot.VolumeCard:    {insight.DaysPart, insight.HoursPart, insight.PreviousPart, insight.UnusualPart},
	earshot.SentimentCard: {insight.DaysPart, insight.HoursPart, insight.CategoriesPart},
	earshot.EmotionsCard:  {insight.DaysPart, insight.HoursPart, insight.EmotionsPart},
	earshot.SourcesCard:   {insight.SourcesPart},
	earshot.SitesCard:     {insight.SitesPart},
	earshot.LanguagesCard: {insight.LanguagesPart},
	earshot.PlacesCard:    {insight.PlacesPart},
	earshot.AgesCard:      {insight.AgesPart},
	earshot.GendersCard:   {insight.GendersPart},
	earshot.HashtagsCard:  {insight.HashtagsPart},
	earshot.WordsCard:     {insight.WordsPart},
	earshot.AuthorsCard:   {insight.AuthorsPart},
	earshot.InterestsCard: {insight.InterestsPart},
	earshot.ClockCard:     {insight.ClockPart},
	earshot.UnusualCard:   {insight.DaysPart, insight.UnusualPart},
}

// Number of posts and topics on a card.
const (
	cardPosts  = 10
	cardTopics = 8
)

// cardData returns what a card shows to a caller. days applies to cards without days of their own.
func (a *API) cardData(ctx context.Context, c *earshot.Caller, card earshot.Card, days dayParams) (cardData, error) {
	r := a.cardsData(ctx, c, []earshot.Card{card}, days, insight.CompareTotals)[0]
	return r.cardData, r.err
}

// A cardResult is the data of a card, or why there is none.
type cardResult struct {
	cardData
	err error
}

// An overviewGroup are cards that show parts of the same overview.
type overviewGroup struct {
	query postsQuery
	parts []insight.Part
	cards []int // indexes
}

// cardsData returns what cards show to a caller, in their order. Parts of the overview of the same
// posts are counted at once. compared is the part of comparisons that is needed.
func (a *API) cardsData(ctx context.Context, c *earshot.Caller, cards []earshot.Card, days dayParams, compared insight.ComparePart) []cardResult {
	results := make([]cardResult, len(cards))
	var groups []*overviewGroup
	for i, card := range cards {
		query := postsQuery{monitorPath: monitorPath{ID: card.Monitor}, dayParams: cardDays(days, card.Range, card.Start, card.End), Filter: card.Filter}
		parts, counted := cardParts[card.Kind]
		if !counted {
			results[i] = a.listedCard(ctx, c, card, query, compared)
			continue
		}
		k := slices.IndexFunc(groups, func(g *overviewGroup) bool { return g.query == query })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &overviewGroup{query: query})
		}
		groups[k].cards = append(groups[k].cards, i)
		groups[k].parts = append(groups[k].parts, parts...)
	}
	for _, g := range groups {
		shown, err := a.showOverview(ctx, c, overviewParams{g.query, orderedParts(g.parts)})
		for _, i := range g.cards {
			results[i] = cardResult{err: err}
			if err == nil {
				of := shown.only(cardParts[cards[i].Kind])
				results[i].Overview = &of
			}
		}
	}
	for i := range results {
		if earshot.IsKind(results[i].err, earshot.NotFound) && a.isRemoved(cards[i].Monitor) {
			results[i] = cardResult{cardData: cardData{Removed: true}}
		}
	}
	return results
}

// isRemoved reports whether there is no monitor or saved filter with an ID. Others may exist without
// being visible to the caller.
func (a *API) isRemoved(id earshot.MonitorID) bool {
	_, ok := a.Monitors.Catalog.FindMonitor(id)
	return !ok
}

// orderedParts returns parts in the order of insight.Parts, without duplicates.
func orderedParts(requested []insight.Part) (ordered parts) {
	for _, part := range insight.Parts {
		if slices.Contains(requested, part) {
			ordered = append(ordered, part)
		}
	}
	return ordered
}

// listedCard returns the data of a card that does not show parts of an overview.
func (a *API) listedCard(ctx context.Context, c *earshot.Caller, card earshot.Card, query postsQuery, compared insight.ComparePart) (r cardResult) {
	switch card.Kind {
	case earshot.TextCard:
	case earshot.TopicsCard:
		limit := cardTopics
		topics, err := a.showTopics(ctx, c, topicsParams{postsQuery: query, Limit: &limit})
		if r.err = err; err == nil {
			r.Topics = &topics
		}
	case earshot.PostsCard:
		limit, order := cardPosts, postOrder{order: postOrders[card.Sort], given: true}
		posts, err := a.listPosts(ctx, c, postsParams{postsQuery: query, Limit: &limit, Sort: order})
		if r.err = err; err == nil {
			r.Posts = &posts
		}
	case earshot.ComparisonCard:
		return a.comparedCard(ctx, c, card, query.dayParams, compared)
	default:
		r.err = fmt.Errorf("unknown kind of card %q", card.Kind)
	}
	return r
}

// comparedCard returns the data of a comparison. Rows of removed monitors are left out.
func (a *API) comparedCard(ctx context.Context, c *earshot.Caller, card earshot.Card, days dayParams, part insight.ComparePart) (r cardResult) {
	body := compareBody{Earlier: earlierPeriod(card.Earlier), Parts: []insight.ComparePart{part}}
	for _, row := range card.Rows {
		if a.isRemoved(row.Monitor) {
			r.Removed = true
			continue
		}
		d := cardDays(days, row.Range, row.Start, row.End)
		body.Rows = append(body.Rows, compareRow{row.Label, row.Monitor, row.Filter, d.Start, d.End, d.Range})
	}
	if len(body.Rows) == 0 {
		return r
	}
	compared, err := a.compare(ctx, c, compareParams{body})
	if r.err = err; err == nil {
		r.Comparison = &compared
	}
	return r
}

// cardDays returns the days of a card or row, or days if it has none of its own.
func cardDays(days dayParams, rolling string, start, end earshot.Date) dayParams {
	if own := (dayParams{start, end, rollingRange(rolling)}); own != (dayParams{}) {
		return own
	}
	return days
}
