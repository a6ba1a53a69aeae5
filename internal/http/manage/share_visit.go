package manage

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/filter"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/postview"
	"earshot/internal/share"
)

// A visitor is someone with a share link. The token decides everything about the response: no other
// parameter selects monitors, days or posts, and who is signed in does not matter.
type visitor struct {
	Token   string      `path:"token"`
	Address string      `request:"address"`
	Scheme  string      `request:"scheme"`
	Header  http.Header `request:"header"`
}

// shareCookie is the cookie of a visitor who entered the password of a link. The browser sends it to
// that link only.
const shareCookie = "earshot_share"

// sharePath returns the path of the endpoints of a link.
func sharePath(token string) string { return "/share/v1/" + token }

// visit returns the visit. If the request has several cookies, none of them can be trusted.
func (p visitor) visit() share.Visit {
	v := share.Visit{Token: p.Token, Address: p.Address}
	if cookies := (&http.Request{Header: p.Header}).CookiesNamed(shareCookie); len(cookies) == 1 {
		v.Cookie = cookies[0].Value
	}
	return v
}

// A sharedPage is what a link shows. Its cards do not reveal which monitors and filters they use.
type sharedPage struct {
	Name    string       `json:"name"`
	Range   rollingRange `json:"range"`
	Expires time.Time    `json:"expires,omitzero"`
	Cards   []shownCard  `json:"cards"`
}

// openShare serves GET /share/v1/{token}.
func (a *API) openShare(_ context.Context, _ *earshot.Caller, p visitor) (sharedPage, error) {
	if err := a.Ready(); err != nil {
		return sharedPage{}, err
	}
	found, err := a.Shares.Open(p.visit())
	if err != nil {
		return sharedPage{}, err
	}
	return sharedPage{
		Name: found.Name, Range: rollingRange(found.Range), Expires: found.Expires,
		Cards: jsonvalue.Map(found.Cards, func(c earshot.Card) shownCard { return a.newSharedCard(found.Caller, c) }),
	}, nil
}

// newSharedCard returns a card without the monitors and filters that it uses. A monitor that the link
// may not show looks like one that was removed.
func (a *API) newSharedCard(c *earshot.Caller, of earshot.Card) shownCard {
	shown := a.newShownCard(of)
	if _, err := a.Monitors.Find(c, of.Monitor); err != nil && of.Monitor != 0 {
		shown = shownCard{card: shown.card, Removed: true}
	}
	shown.Monitor, shown.Parent, shown.Filter = 0, 0, ""
	for i := range shown.Rows {
		shown.Rows[i].Monitor, shown.Rows[i].Filter = 0, ""
	}
	return shown
}

// unlockShare serves POST /share/v1/{token}/unlock.
func (a *API) unlockShare(ctx context.Context, _ *earshot.Caller, p struct {
	visitor
	Body struct {
		Password string `json:"password"`
	} `body:"json"`
}) (noContentCookie, error) {
	unlocked, err := a.Shares.Unlock(ctx, p.visit(), p.Body.Password)
	if err != nil || unlocked.Cookie == "" {
		return noContentCookie{}, err
	}
	cookie := http.Cookie{Name: shareCookie, Value: unlocked.Cookie, Path: sharePath(p.Token), Expires: unlocked.Expires}
	return noContentCookie{WithCookie: rest.SetCookie(cookie, p.Scheme)}, nil
}

type sharedCardParams struct {
	visitor
	Card int64 `path:"card"`
}

// ResponseMemory implements [rest.Weighted]: visitors compute few cards at the same time.
func (p sharedCardParams) ResponseMemory() int64 { return rest.LongResponse }

// showSharedCard serves GET /share/v1/{token}/cards/{card}.
func (a *API) showSharedCard(ctx context.Context, _ *earshot.Caller, p sharedCardParams) (cardData, error) {
	if err := a.Ready(); err != nil {
		return cardData{}, err
	}
	found, err := a.Shares.Card(p.visit(), p.Card)
	if err != nil {
		return cardData{}, err
	}
	r := a.sharedData(ctx, found, insight.CompareTotals)[0]
	return r.cardData, r.err
}

type sharedReportParams struct {
	visitor
	reportFormat
}

// ResponseMemory implements [rest.Weighted].
func (p sharedReportParams) ResponseMemory() int64 { return reportMemory }

// reportShare serves GET /share/v1/{token}/report.
func (a *API) reportShare(ctx context.Context, _ *earshot.Caller, p sharedReportParams) (rest.Download, error) {
	if err := a.Ready(); err != nil {
		return rest.Download{}, err
	}
	found, err := a.Shares.Open(p.visit())
	if err != nil {
		return rest.Download{}, err
	}
	if p.Format == xlsxFile {
		return rest.Download{}, earshot.InvalidParameter("format", string(p.Format), "pdf")
	}
	results := a.sharedData(ctx, found, insight.CompareCounts)
	cards := jsonvalue.Map(found.Cards, func(c earshot.Card) earshot.Card {
		shown := a.newSharedCard(found.Caller, c)
		if c.Title == "" && c.Kind != earshot.TextCard {
			c.Title = cardTitle(shown)
		}
		c.Monitor, c.Filter, c.Rows = 0, "", nil
		return c
	})
	return a.cardsReport(ctx, found.Name, cards, results, p.reportFormat)
}

// sharedData returns what visitors see on the cards of a page. Errors do not name monitors or filters.
func (a *API) sharedData(ctx context.Context, page share.Page, compared insight.ComparePart) []cardResult {
	return a.visitorData(ctx, page.Caller, page.Cards, dayParams{Range: rollingRange(page.Range)}, compared)
}

// visitorData returns what people without an account see on cards. days applies to cards without days of
// their own.
func (a *API) visitorData(ctx context.Context, c *earshot.Caller, cards []earshot.Card, days dayParams, compared insight.ComparePart) []cardResult {
	results := a.cardsData(ctx, c, jsonvalue.Map(cards, a.withoutRestricted), days, compared)
	for i, r := range results {
		switch {
		case earshot.IsKind(r.err, earshot.NotFound):
			results[i] = cardResult{cardData: cardData{Removed: true}}
		case earshot.IsKind(r.err, earshot.Invalid):
			results[i] = cardResult{err: earshot.Errorf(earshot.Unprocessable, "This card cannot be shown")}
		case r.err == nil:
			results[i].cardData = r.forVisitors(cards[i].Kind)
		}
	}
	return results
}

// wordCards are the kinds of cards that show words of texts.
var wordCards = []earshot.CardKind{earshot.WordsCard, earshot.HashtagsCard, earshot.TopicsCard}

// withoutRestricted makes a card that shows words leave out posts whose texts visitors may not read. The
// words of a few posts would reveal their texts.
func (a *API) withoutRestricted(c earshot.Card) earshot.Card {
	if slices.Contains(wordCards, c.Kind) {
		c.Filter = filter.Without(c.Filter, a.Posts.Restricted)
	}
	return c
}

// forVisitors returns a copy of the data with what a card of a kind shows, and nothing else: no IDs of
// monitors, no filters, not the team's sources, nothing that leads to more posts, and not what the
// team notes about posts or corrects. Fields that are not listed here stay hidden.
func (d cardData) forVisitors(kind earshot.CardKind) cardData {
	shown := cardData{Removed: d.Removed}
	if o := d.Overview; o != nil {
		shown.Overview = newSharedOverview(kind, o)
	}
	if t := d.Topics; t != nil {
		shown.Topics = &topicsResponse{
			Start: t.Start, End: t.End, Previous: t.Previous, Posts: t.Posts, About: t.About, Step: t.Step, Steps: t.Steps,
			Topics: jsonvalue.Map(t.Topics, func(t topic) topic {
				return topic{
					Name: t.Name, Terms: t.Terms, Posts: t.Posts, Share: t.Share, Previous: t.Previous, Steps: t.Steps,
					Sentiment: t.Sentiment, Examples: newSharedPosts(t.Examples),
				}
			}),
		}
	}
	if p := d.Posts; p != nil {
		shown.Posts = &postsResponse{Start: p.Start, End: p.End, Total: p.Total, Groups: p.Groups, Items: newSharedPosts(p.Items)}
	}
	if c := d.Comparison; c != nil {
		shown.Comparison = &comparison{Rows: jsonvalue.Map(c.Rows, newSharedRow)}
	}
	return shown
}

func newSharedOverview(kind earshot.CardKind, o *overview) *overview {
	shown := o.only(cardParts[kind])
	shown.Monitor.ID, shown.Results, shown.Gaps = 0, dateRange{}, []overviewGap{}
	if kind != earshot.AuthorsCard { // figures only count them
		shown.Authors.Top, shown.Authors.Reach = []authorCount{}, []authorCount{}
	}
	shown.Annotations, shown.Signals = []annotation{}, []signalMark{}
	if slices.Contains(annotatedCards, kind) {
		for i, a := range o.Annotations {
			shown.Annotations = append(shown.Annotations, annotation{ID: earshot.AnnotationID(i + 1), Start: a.Start, End: a.End, Text: a.Text})
		}
	}
	categories := kind == earshot.FiguresCard || kind == earshot.SentimentCard
	emotions := kind == earshot.EmotionsCard
	if !categories {
		shown.Categories, shown.Estimated, shown.NeedsTraining = []overviewCategory{}, false, ""
	}
	if !emotions {
		shown.Emotions = []overviewEmotion{}
	}
	shown.Days, shown.Hours = slices.Clone(shown.Days), slices.Clone(shown.Hours)
	for i := range shown.Days {
		d := &shown.Days[i]
		d.Categories, d.Emotions = onlyIf(categories, d.Categories), onlyIf(emotions, d.Emotions)
	}
	shown.Intervals = slices.Clone(shown.Intervals)
	for i := range shown.Intervals {
		d := &shown.Intervals[i]
		d.Categories, d.Emotions = onlyIf(categories, d.Categories), onlyIf(emotions, d.Emotions)
	}
	if !categories && !emotions {
		shown.Intervals = []dayIntervals{}
	}
	for i := range shown.Hours {
		h := &shown.Hours[i]
		h.Categories, h.Emotions = onlyIf(categories, h.Categories), onlyIf(emotions, h.Emotions)
	}
	return &shown
}

// annotatedCards are the kinds of cards that show annotations.
var annotatedCards = []earshot.CardKind{earshot.VolumeCard, earshot.SentimentCard, earshot.EmotionsCard}

// onlyIf returns a list, or an empty one.
func onlyIf[T any](shown bool, list []T) []T {
	if shown {
		return list
	}
	return []T{}
}

// newSharedRow returns what a comparison card shows of a row.
func newSharedRow(r comparedRow) comparedRow {
	r.Monitor.ID = 0
	return comparedRow{
		Label: r.Label, Monitor: r.Monitor, Requested: r.Requested, Start: r.Start, End: r.End, Coverage: r.Coverage,
		Ongoing: r.Ongoing, Partial: r.Partial, Posts: r.Posts, Share: r.Share, Earlier: r.Earlier, Days: r.Days,
		Authors: r.Authors, Impressions: r.Impressions, Engagement: r.Engagement,
		Categories: []overviewCategory{}, Emotions: []overviewEmotion{}, Sources: []nameCount{}, Languages: []idCount{},
		Hashtags: []nameCount{}, Countries: []idCount{}, Genders: []groupCount{}, Ages: []groupCount{},
		Topics: []comparedTopic{}, Separating: newDrivers(&earshot.Monitor{}, &insight.Drivers{}),
	}
}

// newSharedPosts returns what visitors see of posts. Lists need keys, which are just numbers.
func newSharedPosts(list []*postview.HighlightedPost) []*postview.HighlightedPost {
	shown := make([]*postview.HighlightedPost, len(list))
	for i, p := range list {
		shown[i] = &postview.HighlightedPost{
			Key: strconv.Itoa(i + 1), Post: postview.Post{Facts: p.Facts, EngagementType: p.EngagementType},
			Excerpt: p.Excerpt, Highlights: p.Highlights, Likes: p.Likes, Shares: p.Shares, Comments: p.Comments,
			Replies: p.Replies, Retweets: p.Retweets, Hashtags: p.Hashtags, Inferred: p.Inferred, Copies: p.Copies,
		}
	}
	return shown
}
