package rest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"earshot"
)

// positionHeader tells a client how much data a response reflects, and a node how much data the client
// has seen. positionCookie does the same for browsers, whose pages do not set headers.
const (
	positionHeader = "X-Earshot-Position"
	positionCookie = "earshot_position"
)

// How long a request waits for the position that it names, and for how long a browser names the
// position of a write. Nodes are usually milliseconds apart; one that is further behind than this
// does not become useful by waiting.
const (
	positionWait     = 2 * time.Second
	positionLifetime = 10 * time.Second
)

// Positions lets clients read their own writes, whichever node serves them. See package position.
type Positions interface {
	// Begin returns a context that notes what a request writes. now returns the position that a
	// response reflects if it starts now, and whether the request has written anything.
	Begin(ctx context.Context) (_ context.Context, now func() (position string, wrote bool))

	// Wait waits until this node has everything up to a position. It returns the error of ctx, or
	// another one if the position is malformed.
	Wait(ctx context.Context, position string) error
}

// beginPosition makes the response carry its position, and sets the cookie if a browser's request has
// written something.
func (x *exchange) beginPosition() {
	if x.server.Positions == nil {
		return
	}
	ctx, now := x.server.Positions.Begin(x.r.Context())
	x.r = x.r.WithContext(ctx)
	x.w.before = func() {
		position, wrote := now()
		x.w.Header().Set(positionHeader, position)
		if wrote && x.session != "" && x.server.PositionCookie {
			cookie := SetCookie(http.Cookie{Name: positionCookie, Value: position, Path: "/", MaxAge: int(positionLifetime.Seconds())}, x.scheme()).cookie
			x.w.Header().Add("Set-Cookie", cookie.String())
		}
	}
}

// awaitPosition waits until this node has what the client has seen. Without it, a request that names
// its position in the header fails. One with the cookie does not, because people prefer an old page to
// none.
func (x *exchange) awaitPosition() (waited bool, err error) {
	if x.server.Positions == nil || x.route == nil || x.route.plain != nil || !x.hasCredentials() {
		return false, nil
	}
	position, required := x.r.Header.Get(positionHeader), true
	if position == "" {
		position, required = x.positionFromCookie(), false
	}
	if position == "" {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), positionWait)
	defer cancel()
	err = x.server.Positions.Wait(ctx, position)
	switch {
	case err == nil || !required:
		return true, nil
	case ctx.Err() == nil:
		return false, earshot.Errorf(earshot.Invalid, "The header %s must have the value of an earlier response, such as 812.93", positionHeader)
	case x.r.Context().Err() != nil:
		return false, x.r.Context().Err()
	}
	return true, errBehind
}

var errBehind = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "This node does not have the data of " + positionHeader + " yet. Please try again"}

// positionFromCookie returns the position in the cookie of a browser's session, or "".
func (x *exchange) positionFromCookie() string {
	if x.token() != "" || !x.server.PositionCookie {
		return ""
	}
	if c, err := x.r.Cookie(positionCookie); err == nil {
		return strings.TrimSpace(c.Value)
	}
	return ""
}
