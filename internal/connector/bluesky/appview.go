package bluesky

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
)

// An appView requests what events do not contain from the AppView, the service behind the Bluesky
// app: authors' profiles and like counts. It is safe for concurrent use.
//
// The AppView allows 3,000 requests per five minutes from one address. An appView sends at most half
// of that, evenly spread, so that two sources can run side by side. If the service is down or says to
// wait, requests fail immediately for a while, so that nothing waits for it.
type appView struct {
	http *http.Client
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	mu       sync.Mutex
	bases    []string  // addresses, the one in use first; guarded by mu
	next     time.Time // of the next request; guarded by mu
	closed   time.Time // no requests before; guarded by mu
	failures int       // in a row; guarded by mu
}

const (
	perRequest     = 25 // accounts or posts per request
	requestSpacing = 200 * time.Millisecond
	requestBurst   = 20                      // requests that may be sent at once after a pause
	requestTimeout = 10 * time.Second        // for one request
	slowRequest    = profilePatience * 3 / 4 // a request that takes longer may be abandoned, and counts as failed
	failurePause   = 10 * time.Second        // after a failed request; doubles with each further failure
	maxFailure     = 5 * time.Minute         // longest pause after a failed request
	maxAnswer      = 4 << 20                 // bytes
)

var (
	errClosed   = errors.New("the AppView does not respond") // the request was not sent, because an earlier one failed
	errRejected = errors.New("the AppView rejected the request")
)

// publicAppView is the service behind the Bluesky app.
const publicAppView = "https://public.api.bsky.app"

func newAppView(e *connector.Env) *appView {
	return &appView{bases: appViews(e.Settings), http: e.HTTP, now: e.Now, wait: e.Wait}
}

// appViews returns the addresses to try. A self-hosted Jetstream server may also serve profiles.
func appViews(s connector.Settings) []string {
	if address := s["api_url"]; address != "" {
		return []string{strings.TrimRight(address, "/")}
	}
	bases := []string{publicAppView}
	if s["url"] != "" {
		if hosts, err := hostsOf(s); err == nil {
			bases = append([]string{hosts[0].Scheme + "://" + hosts[0].Host}, bases...)
		}
	}
	return bases
}

// get sends a request with a list of values and decodes the response.
func (a *appView) get(ctx context.Context, method, param string, values []string, answer any) error {
	if err := a.reserve(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()

	base := a.base()
	address := base + "/xrpc/" + method + "?" + url.Values{param: values}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	sent := a.now()
	resp, err := a.http.Do(req)
	if err != nil {
		if ctx.Err() == nil || a.now().Sub(sent) > slowRequest {
			a.fail()
		}
		return err
	}
	body, err := fetch.ReadAll(resp, maxAnswer)
	if isMissing(resp.StatusCode) && a.abandon(base) {
		return a.get(ctx, method, param, values, answer)
	}
	if resp.StatusCode == http.StatusBadRequest {
		return fmt.Errorf("%s: %w", method, errRejected)
	}
	if err == nil {
		err = connector.ResponseError(resp, a.now())
	}
	if err == nil && !decode(body, answer) {
		err = errors.New("the response is not JSON")
	}
	if err != nil {
		var retry *connector.RetryError
		if errors.As(err, &retry) {
			a.close(retry.After)
		} else {
			a.fail()
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	a.mu.Lock()
	a.failures = 0
	a.mu.Unlock()
	return nil
}

// isMissing reports whether a status means that a server does not support a method.
func isMissing(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

func (a *appView) base() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bases[0]
}

// abandon stops using an address that is not an AppView, and reports whether there is another one.
func (a *appView) abandon(base string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bases[0] == base && len(a.bases) > 1 {
		a.bases = a.bases[1:]
	}
	return a.bases[0] != base
}

// fail stops requests for a while after a failure, each time for longer.
func (a *appView) fail() {
	a.mu.Lock()
	pause := min(failurePause<<min(a.failures, 8), maxFailure)
	a.failures++
	a.mu.Unlock()
	a.close(pause)
}

// reserve waits for the turn of a request.
func (a *appView) reserve(ctx context.Context) error {
	a.mu.Lock()
	now := a.now()
	if now.Before(a.closed) {
		a.mu.Unlock()
		return errClosed
	}
	if earliest := now.Add(-requestBurst * requestSpacing); a.next.Before(earliest) {
		a.next = earliest
	}
	turn := a.next
	a.next = turn.Add(requestSpacing)
	a.mu.Unlock()
	if !turn.After(now) {
		return ctx.Err()
	}
	return a.wait(ctx, turn.Sub(now))
}

// close stops requests for a while.
func (a *appView) close(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if until := a.now().Add(d); until.After(a.closed) {
		a.closed = until
	}
}

// A profile describes an account. Without a handle, the account is unknown.
type profile struct {
	handle, name, bio           string
	followers, following, posts earshot.Count
	verified                    bool
	read                        time.Time
}

type profileView struct {
	DID            string `json:"did"`
	Handle         string `json:"handle"`
	DisplayName    string `json:"displayName"`
	Description    string `json:"description"`
	FollowersCount *int64 `json:"followersCount"`
	FollowsCount   *int64 `json:"followsCount"`
	PostsCount     *int64 `json:"postsCount"`
	Verification   struct {
		VerifiedStatus        string `json:"verifiedStatus"`
		TrustedVerifierStatus string `json:"trustedVerifierStatus"`
	} `json:"verification"`
}

type profilesAnswer struct {
	Profiles []profileView `json:"profiles"`
}

// profiles returns the profiles of at most 25 accounts. Accounts that do not exist are missing.
func (a *appView) profiles(ctx context.Context, dids []string) (map[string]profile, error) {
	return bisect(dids, func(dids []string) (map[string]profile, error) {
		var answer profilesAnswer
		if err := a.get(ctx, "app.bsky.actor.getProfiles", "actors", dids, &answer); err != nil {
			return nil, err
		}
		return answer.profiles(), nil
	})
}

// bisect requests values. A single invalid value makes the service reject the whole request, so
// bisect then requests each half. A single value that is rejected gets the zero value of T.
func bisect[T any](values []string, ask func([]string) (map[string]T, error)) (map[string]T, error) {
	found, err := ask(values)
	if !errors.Is(err, errRejected) {
		return found, err
	}
	if len(values) == 1 {
		return map[string]T{values[0]: *new(T)}, nil
	}
	found = map[string]T{}
	for _, half := range [][]string{values[:len(values)/2], values[len(values)/2:]} {
		part, err := bisect(half, ask)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, part)
	}
	return found, nil
}

// profiles returns the profiles in a response, by account.
func (p *profilesAnswer) profiles() map[string]profile {
	found := make(map[string]profile, len(p.Profiles))
	for _, v := range p.Profiles {
		about := profile{
			handle: earshot.Clip(v.Handle, 256), name: earshot.Clip(v.DisplayName, 640), bio: earshot.Clip(v.Description, 2000),
			followers: countOf(v.FollowersCount), following: countOf(v.FollowsCount), posts: countOf(v.PostsCount),
			verified: v.Verification.VerifiedStatus == "valid" || v.Verification.TrustedVerifierStatus == "valid",
		}
		if about.handle == "handle.invalid" || !validChars([]byte(about.handle), ".-") { // the name does not belong to the account
			about.handle = ""
		}
		found[v.DID] = about
	}
	return found
}

func countOf(n *int64) earshot.Count {
	if n == nil {
		return earshot.Count{}
	}
	return connector.CountOf(*n)
}

// A postView is a post as the AppView returns it.
type postView struct {
	URI         string          `json:"uri"`
	Record      json.RawMessage `json:"record"`
	LikeCount   *int64          `json:"likeCount"`
	RepostCount *int64          `json:"repostCount"`
	ReplyCount  *int64          `json:"replyCount"`
}

type postsAnswer struct {
	Posts []postView `json:"posts"`
}

// posts returns at most 25 posts by URI, with counts. Posts that do not exist are missing. A post that
// exists but cannot be stored has no guid. seen has the times when the posts were first seen.
func (a *appView) posts(ctx context.Context, uris []string, seen map[string]time.Time) (map[string]earshot.Post, error) {
	return bisect(uris, func(uris []string) (map[string]earshot.Post, error) {
		var answer postsAnswer
		if err := a.get(ctx, "app.bsky.feed.getPosts", "uris", uris, &answer); err != nil {
			return nil, err
		}
		return answer.posts(seen), nil
	})
}

// posts returns the posts in a response, by URI.
func (a *postsAnswer) posts(seen map[string]time.Time) map[string]earshot.Post {
	found := make(map[string]earshot.Post, len(a.Posts))
	for _, v := range a.Posts {
		did, rkey, ok := splitURI(v.URI)
		if !ok {
			continue
		}
		p, skip := newPost(did, rkey, v.Record, seen[v.URI])
		if skip != "" {
			p = earshot.Post{}
		}
		p.Likes, p.Retweets, p.Replies = countOf(v.LikeCount), countOf(v.RepostCount), countOf(v.ReplyCount)
		found[v.URI] = p
	}
	return found
}
