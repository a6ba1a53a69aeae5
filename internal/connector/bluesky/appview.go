package bluesky

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
)

// An appView asks the AppView, the service behind the Bluesky app, for what events lack: profiles
// of authors and counts of likes. It is safe for concurrent use.
//
// The AppView allows 3,000 requests in five minutes from one address. An appView sends at most half
// of that, evenly, so that two sources can run side by side. If the service is down or asks to wait,
// requests fail at once for a while, so that nothing waits for it.
type appView struct {
	base string
	http *http.Client
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	mu     sync.Mutex
	next   time.Time // of the next request; guarded by mu
	closed time.Time // no requests before; guarded by mu
}

const (
	perRequest     = 25 // accounts or posts that one request may ask for
	requestSpacing = 200 * time.Millisecond
	requestBurst   = 20               // requests that may be sent at once after a pause
	requestTimeout = 10 * time.Second // for one request
	slowRequest    = 2 * time.Second  // a request that takes longer may be given up, and counts as failed
	failurePause   = 10 * time.Second // after a failed request
	maxAnswer      = 4 << 20          // bytes
)

// errClosed means that a request was not sent, because an earlier one failed.
var errClosed = errors.New("the AppView does not answer")

func newAppView(e *connector.Env) *appView {
	return &appView{base: e.Settings["api_url"], http: e.HTTP, now: e.Now, wait: e.Wait}
}

// get sends a request with a list of values and decodes the answer.
func (a *appView) get(ctx context.Context, method, param string, values []string, answer any) error {
	if err := a.reserve(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()

	address := a.base + "/xrpc/" + method + "?" + url.Values{param: values}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	sent := a.now()
	resp, err := a.http.Do(req)
	if err != nil {
		if ctx.Err() == nil || a.now().Sub(sent) > slowRequest {
			a.close(failurePause)
		}
		return err
	}
	body, err := fetch.ReadAll(resp, maxAnswer)
	if err == nil {
		err = connector.ResponseError(resp, a.now())
	}
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	if err != nil {
		pause := failurePause
		var retry *connector.RetryError
		if errors.As(err, &retry) {
			pause = retry.After
		}
		a.close(pause)
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
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

// profiles returns the profiles of at most 25 accounts. Accounts that do not exist are missing.
func (a *appView) profiles(ctx context.Context, dids []string) (map[string]profile, error) {
	var answer struct {
		Profiles []profileView `json:"profiles"`
	}
	if err := a.get(ctx, "app.bsky.actor.getProfiles", "actors", dids, &answer); err != nil {
		return nil, err
	}
	found := make(map[string]profile, len(answer.Profiles))
	for _, v := range answer.Profiles {
		p := profile{
			handle: earshot.Clip(v.Handle, 256), name: earshot.Clip(v.DisplayName, 640), bio: earshot.Clip(v.Description, 2000),
			followers: countOf(v.FollowersCount), following: countOf(v.FollowsCount), posts: countOf(v.PostsCount),
			verified: v.Verification.VerifiedStatus == "valid" || v.Verification.TrustedVerifierStatus == "valid",
			read:     a.now(),
		}
		if p.handle == "handle.invalid" { // the name does not belong to the account
			p.handle = ""
		}
		found[v.DID] = p
	}
	return found, nil
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
	IndexedAt   time.Time       `json:"indexedAt"`
}

// posts returns at most 25 posts by URI, with counts. Posts that do not exist are missing.
func (a *appView) posts(ctx context.Context, uris []string) (map[string]earshot.Post, error) {
	var answer struct {
		Posts []postView `json:"posts"`
	}
	if err := a.get(ctx, "app.bsky.feed.getPosts", "uris", uris, &answer); err != nil {
		return nil, err
	}
	found := make(map[string]earshot.Post, len(answer.Posts))
	for _, v := range answer.Posts {
		did, rkey, ok := splitURI(v.URI)
		if !ok {
			continue
		}
		p, skip := newPost(did, rkey, v.Record, v.IndexedAt.UTC())
		if skip != "" {
			p = earshot.Post{} // it exists, but cannot be stored
		}
		p.Likes, p.Retweets, p.Replies = countOf(v.LikeCount), countOf(v.RepostCount), countOf(v.ReplyCount)
		found[v.URI] = p
	}
	return found, nil
}
