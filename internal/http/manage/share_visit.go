package manage

import (
	"context"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/digest"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/share"
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

// A sharedPage is the page of a link. Its cards do not reveal which monitors and filters they use.
type sharedPage struct {
	Name    string            `json:"name"`
	Range   card.RollingRange `json:"range"`
	Expires time.Time         `json:"expires,omitzero"`
	Cards   []card.Shown      `json:"cards"`
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
		Name: found.Name, Range: card.RollingRange(found.Range), Expires: found.Expires,
		Cards: jsonvalue.Map(found.Cards, func(c earshot.Card) card.Shown { return a.Cards.DescribeToVisitors(found.Caller, c) }),
	}, nil
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
func (a *API) showSharedCard(ctx context.Context, _ *earshot.Caller, p sharedCardParams) (card.Result, error) {
	if err := a.Ready(); err != nil {
		return card.Result{}, err
	}
	found, err := a.Shares.Card(p.visit(), p.Card)
	if err != nil {
		return card.Result{}, err
	}
	r := a.Cards.ShowVisitors(ctx, found.Caller, found.Cards, card.Period{Range: card.RollingRange(found.Range)}, card.OnPage)[0]
	return r.Result, r.Err
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
	if p.Format == digest.XLSX {
		return rest.Download{}, earshot.InvalidParameter("format", string(p.Format), "pdf")
	}
	contents, err := a.Composer.Page(ctx, found.Caller, found.Name, found.Cards, card.Period{Range: card.RollingRange(found.Range)})
	if err != nil {
		return rest.Download{}, err
	}
	return a.download(contents, p.reportFormat), nil
}
