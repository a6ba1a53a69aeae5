package manage

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
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
		Rows: rest.Map(c.Rows, func(r earshot.CardRow) cardRow {
			return cardRow{r.Label, r.Monitor, r.Filter, rollingRange(r.Range), r.Start, r.End}
		}),
		Earlier: earlierPeriod(c.Earlier), Text: c.Text,
	}
}

// cardData is what a card shows: the response of the endpoint that counts it. The others are null.
type cardData struct {
	Overview   *overview       `json:"overview"`
	Topics     *topicsResponse `json:"topics"`
	Posts      *postsResponse  `json:"posts"`
	Comparison *comparison     `json:"comparison"`
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
func (a *API) cardData(ctx context.Context, c *earshot.Caller, card earshot.Card, days dayParams) (data cardData, err error) {
	days = cardDays(days, card.Range, card.Start, card.End)
	query := postsQuery{monitorPath: monitorPath{ID: card.Monitor}, dayParams: days, Filter: card.Filter}
	switch card.Kind {
	case earshot.TextCard:
		return data, nil
	case earshot.TopicsCard:
		limit := cardTopics
		topics, err := a.showTopics(ctx, c, topicsParams{postsQuery: query, Limit: &limit})
		return cardData{Topics: &topics}, err
	case earshot.PostsCard:
		limit, order := cardPosts, postOrder{given: true}
		order.order = postOrders[card.Sort]
		posts, err := a.listPosts(ctx, c, postsParams{postsQuery: query, Limit: &limit, Sort: order, Group: true})
		return cardData{Posts: &posts}, err
	case earshot.ComparisonCard:
		body := compareBody{Earlier: earlierPeriod(card.Earlier), Parts: []insight.ComparePart{insight.CompareCounts}}
		for _, row := range card.Rows {
			d := cardDays(days, row.Range, row.Start, row.End)
			body.Rows = append(body.Rows, compareRow{row.Label, row.Monitor, row.Filter, d.Start, d.End, d.Range})
		}
		comparison, err := a.compare(ctx, c, compareParams{body})
		return cardData{Comparison: &comparison}, err
	}
	parts, ok := cardParts[card.Kind]
	if !ok {
		return data, fmt.Errorf("unknown kind of card %q", card.Kind)
	}
	shown, err := a.showOverview(ctx, c, overviewParams{query, parts})
	return cardData{Overview: &shown}, err
}

// cardDays returns the days of a card or row, or days if it has none of its own.
func cardDays(days dayParams, rolling string, start, end earshot.Date) dayParams {
	if own := (dayParams{start, end, rollingRange(rolling)}); own != (dayParams{}) {
		return own
	}
	return days
}
