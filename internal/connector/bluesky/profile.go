package bluesky

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	maxProfiles     = 4000 // cached, a few megabytes
	profileAge      = 7 * 24 * time.Hour
	unknownAge      = time.Hour   // for accounts that the AppView does not know
	profilePatience = time.Second // with the age of a batch, deletions take effect within two seconds
)

// A directory looks up and caches the profiles of accounts. It is safe for concurrent use.
type directory struct {
	api *appView

	mu    sync.Mutex
	cache *lru[profile] // by account; guarded by mu
}

func newDirectory(api *appView) *directory {
	return &directory{api: api, cache: newLRU[profile](maxProfiles)}
}

// find returns a cached profile. It reports false if the profile should be looked up.
func (d *directory) find(did string) (profile, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.cache.get(did)
	age := profileAge
	if p.handle == "" {
		age = unknownAge
	}
	if !ok || d.api.now().Sub(p.read) > age {
		return profile{}, false
	}
	return p, true
}

// forget makes the directory look up an account again, because it has changed.
func (d *directory) forget(did string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cache.remove(did)
}

// complete adds the profiles of authors to posts, and the handles of accounts that they reply to,
// quote or repost. It looks up profiles that are not cached, but only for a few seconds: posts are
// more important than profiles.
func (d *directory) complete(ctx context.Context, posts []earshot.Post) {
	limited, cancel := context.WithTimeout(ctx, profilePatience)
	defer cancel()
	for group := range slices.Chunk(d.missing(posts), perRequest) {
		found, err := d.api.profiles(limited, group)
		if err != nil {
			break
		}
		d.mu.Lock()
		for _, did := range group {
			p := found[did]
			p.read = d.api.now() // also for accounts that the AppView does not know
			d.cache.put(did, p)
		}
		d.mu.Unlock()
	}
	for i := range posts {
		d.fill(&posts[i])
	}
}

// missing returns the accounts that posts refer to and that are not cached, authors first.
func (d *directory) missing(posts []earshot.Post) []string {
	var dids []string
	seen := map[string]bool{}
	add := func(did string) {
		if did == "" || seen[did] {
			return
		}
		seen[did] = true
		if _, ok := d.find(did); !ok {
			dids = append(dids, did)
		}
	}
	for i := range posts {
		add(posts[i].AuthorProfileID)
	}
	for i := range posts {
		if did, _, ok := splitURI(posts[i].ParentGUID); ok {
			add(did)
		}
	}
	return dids
}

// fillKnown completes the posts whose authors are cached.
func (d *directory) fillKnown(posts []earshot.Post) {
	for i := range posts {
		if _, ok := d.find(posts[i].AuthorProfileID); ok {
			d.fill(&posts[i])
		}
	}
}

// fill adds cached profiles to a post.
func (d *directory) fill(p *earshot.Post) {
	subject := p.GUID // the post that the URL shows
	if p.Engagement == earshot.Retweet {
		subject = p.ParentGUID
	}
	if did, rkey, ok := splitURI(subject); ok {
		account := did
		if about, ok := d.find(did); ok && about.handle != "" {
			account = about.handle
		}
		p.URL = postURL(account, rkey)
	}
	if did, _, ok := splitURI(p.ParentGUID); ok {
		if about, ok := d.find(did); ok {
			p.EngagingWith = about.handle
		}
	}
	about, _ := d.find(p.AuthorProfileID)
	about.fill(p)
	connector.Clean(p) // profiles may contain anything
}

// fill adds the profile to a post of its account.
func (a *profile) fill(p *earshot.Post) {
	if a.handle == "" {
		p.Author = p.AuthorProfileID
		return
	}
	p.AuthorUsername, p.Author = a.handle, a.handle
	if name := strings.TrimSpace(a.name); name != "" {
		p.Author += " (" + name + ")"
	}
	p.Bio = a.bio
	p.Followers, p.Following, p.AuthorPosts = a.followers, a.following, a.posts
	p.Verified = a.verified
}
