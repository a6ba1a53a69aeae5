package blueskytest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The limits of the AppView.
const (
	perRequest  = 25
	maxRequests = 3000
	perPeriod   = 5 * time.Minute
)

// request counts a request to the AppView. It reports whether the request must be rejected.
func (n *Network) request(w http.ResponseWriter, r *http.Request, method string, values []string) (rejected bool) {
	if n.refuse(w, "appview") {
		return true
	}
	n.mu.Lock()
	n.asked[method]++
	now := n.opts.Now()
	for len(n.requests) > 0 && now.Sub(n.requests[0]) > perPeriod {
		n.requests = n.requests[1:]
	}
	if n.requests = append(n.requests, now); len(n.requests) > maxRequests {
		n.violation = fmt.Sprintf("more than %d requests to the AppView in %v", maxRequests, perPeriod)
	}
	if len(values) == 0 || len(values) > perRequest {
		n.violation = fmt.Sprintf("%s asks for %d things", method, len(values))
	}
	status, delay := n.fault.status, n.fault.delay
	if poison := n.fault.poison; poison != "" && strings.Contains(strings.Join(values, " "), poison) {
		status = http.StatusBadRequest
	}
	n.mu.Unlock()
	if delay > 0 {
		wait(r.Context(), delay)
	}
	if status != 0 {
		w.WriteHeader(status)
		return true
	}
	return false
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (n *Network) getProfiles(w http.ResponseWriter, r *http.Request) {
	dids := r.URL.Query()["actors"]
	if n.request(w, r, "getProfiles", dids) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	profiles := []any{}
	for _, did := range dids {
		for i, a := range n.accounts {
			if a.did == did && !a.gone {
				profiles = append(profiles, map[string]any{
					"did": did, "handle": a.handle, "displayName": fmt.Sprintf("User %d", i), "description": fmt.Sprintf("I am number %d.", i),
					"followersCount": 100 + i, "followsCount": 10 + i, "postsCount": 1000 + i,
					"verification": map[string]any{"verifiedStatus": "valid", "trustedVerifierStatus": "none"},
				})
			}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"profiles": profiles})
}

func (n *Network) getPosts(w http.ResponseWriter, r *http.Request) {
	uris := r.URL.Query()["uris"]
	if n.request(w, r, "getPosts", uris) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	posts := []any{}
	for _, uri := range uris {
		p := n.posts[uri]
		if p == nil || p.deleted || n.fault.amnesia {
			continue
		}
		posts = append(posts, map[string]any{
			"uri": uri, "cid": cid(uri), "record": p.record, "indexedAt": p.record["createdAt"],
			"author":    map[string]any{"did": p.author.did, "handle": p.author.handle},
			"likeCount": p.likes, "repostCount": p.reposts, "replyCount": p.answers, "quoteCount": 0,
		})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"posts": posts})
}

// Requests returns how often a method of the AppView was called, such as getProfiles.
func (n *Network) Requests(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[method]
}
