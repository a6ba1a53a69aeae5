package manage

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/http/postview"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/share"
)

// A visitor is someone with a share link. The token decides everything about the response: no other
// parameter selects monitors, days or posts, and who is signed in does not matter.
type visitor struct {
	Token   string      `path:"token"`
	Address string      `request:"address"`
	Base    string      `request:"base"`
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
		Cards: rest.Map(found.Cards, func(c earshot.Card) shownCard { return a.newSharedCard(found.Caller, c) }),
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
	return noContentCookie{WithCookie: rest.SetCookie(cookie, p.Base)}, nil
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
	card := found.Cards[0]
	data, err := a.cardData(ctx, found.Caller, card, dayParams{Range: rollingRange(found.Range)})
	switch {
	case earshot.IsKind(err, earshot.NotFound):
		return cardData{Removed: true}, nil
	case earshot.IsKind(err, earshot.Invalid): // the reason names the filter
		return cardData{}, earshot.Errorf(earshot.Unprocessable, "This card cannot be shown")
	case err != nil:
		return cardData{}, err
	}
	return data.forVisitors(card.Kind), nil
}

// forVisitors returns what a card of a kind shows, without what visitors must not learn: IDs of
// monitors, filters, the team's sources, how to read more, and what the team notes about posts.
func (d cardData) forVisitors(kind earshot.CardKind) cardData {
	if o := d.Overview; o != nil {
		o.Monitor.ID, o.Results, o.Gaps = 0, dateRange{}, []overviewGap{}
		if kind != earshot.AuthorsCard {
			o.Authors.Top, o.Authors.Reach = []authorCount{}, []authorCount{}
		}
		o.Annotations = rest.Map(o.Annotations, func(a annotation) annotation {
			return annotation{Start: a.Start, End: a.End, Text: a.Text}
		})
	}
	if t := d.Topics; t != nil {
		for i := range t.Topics {
			t.Topics[i].Filter = ""
			hidePosts(t.Topics[i].Examples)
		}
	}
	if p := d.Posts; p != nil {
		p.Next, p.Cursor = 0, ""
		hidePosts(p.Items)
	}
	if c := d.Comparison; c != nil {
		c.Rows = rest.Map(c.Rows, newSharedRow)
	}
	return d
}

// newSharedRow returns what a comparison card shows of a row.
func newSharedRow(r comparedRow) comparedRow {
	r.Monitor.ID, r.Filter = 0, ""
	r.Categories, r.Emotions = []overviewCategory{}, []overviewEmotion{}
	r.Sources, r.Hashtags = []nameCount{}, []nameCount{}
	r.Languages, r.Countries = []idCount{}, []idCount{}
	r.Genders, r.Ages = []groupCount{}, []groupCount{}
	r.Topics, r.Separating = []comparedTopic{}, newDrivers(&earshot.Monitor{}, &insight.Drivers{})
	return r
}

func hidePosts(list []*postview.HighlightedPost) {
	for i, p := range list {
		p.Key, p.Mark = strconv.Itoa(i+1), nil // lists need keys
	}
}
