package bluesky

import "earshot"

// An original is a selected post that may be reposted. A repost has its text.
type original struct {
	post    *earshot.Post // nil if the text must be looked up
	reposts []string      // guids of reposts that were delivered, up to maxReposts
}

const (
	maxOriginals = 3000 // remembered, a few megabytes
	maxOriginal  = 4096 // bytes of a remembered text; longer ones are looked up again
	maxReposts   = 50   // remembered of each original
	maxGone      = 8192 // remembered deletions, about a megabyte
)

// recent remembers selected posts for their reposts, and what was deleted, so that a post that was
// read before its deletion is not stored after it.
type recent struct {
	originals *lru[*original]
	gone      *lru[struct{}] // guids and accounts
}

func newRecent() *recent {
	return &recent{newLRU[*original](maxOriginals), newLRU[struct{}](maxGone)}
}

// keep remembers a selected post.
func (r *recent) keep(p *earshot.Post) {
	r.gone.remove(p.GUID)
	r.gone.remove(p.PageID)
	if p.Engagement == earshot.Retweet {
		if o, ok := r.originals.get(p.ParentGUID); ok && len(o.reposts) < maxReposts {
			o.reposts = append(o.reposts, p.GUID)
		}
		return
	}
	// Only what a repost repeats, without the profile.
	text := &earshot.Post{
		Contents: p.Contents, Language: p.Language, Hashtags: p.Hashtags, Mentions: p.Mentions,
		Links: p.Links, MediaURLs: p.MediaURLs, Images: p.Images,
	}
	if weight(text) > maxOriginal {
		text = nil
	}
	if o, ok := r.originals.get(p.GUID); ok {
		o.post = text
	} else {
		r.originals.put(p.GUID, &original{post: text})
	}
}

// know remembers that a post is stored but its text is not known.
func (r *recent) know(guid string) { r.originals.put(guid, &original{}) }

// repost adds the text of the original to a repost. It reports whether the original was selected;
// if so and the text must be looked up, the repost has none.
func (r *recent) repost(p *earshot.Post) (known bool) {
	did, _, _ := splitURI(p.ParentGUID)
	if _, left := r.gone.get(did); left {
		return false
	}
	o, ok := r.originals.get(p.ParentGUID)
	if ok && o.post != nil {
		repeat(p, o.post)
	}
	return ok
}

// repeat copies what a repost repeats.
func repeat(p, of *earshot.Post) {
	p.Contents, p.Language = of.Contents, of.Language
	p.Hashtags, p.Mentions, p.Links, p.MediaURLs, p.Images = of.Hashtags, of.Mentions, of.Links, of.MediaURLs, of.Images
}

// remove forgets a deleted post. It returns the guids to delete: those of the post and its reposts.
func (r *recent) remove(guid string) []string {
	guids := []string{guid}
	if o, ok := r.originals.get(guid); ok {
		guids = append(guids, o.reposts...)
		r.originals.remove(guid)
	}
	for _, g := range guids {
		r.gone.put(g, struct{}{})
	}
	return guids
}

// removeAccount remembers that an account is gone.
func (r *recent) removeAccount(did string) { r.gone.put(did, struct{}{}) }

// isGone reports whether a post or its account was deleted recently.
func (r *recent) isGone(p *earshot.Post) bool {
	for _, key := range []string{p.GUID, p.ParentGUID, p.PageID} {
		if key == p.ParentGUID && p.Engagement != earshot.Retweet {
			continue
		}
		if _, ok := r.gone.get(key); ok {
			return true
		}
	}
	return false
}

// weight returns about how many bytes a post takes in memory.
func weight(p *earshot.Post) int {
	n := 1000 + len(p.Contents) + len(p.Bio)
	for _, list := range [][]string{p.Hashtags, p.Mentions, p.Links, p.MediaURLs} {
		for _, s := range list {
			n += 16 + len(s)
		}
	}
	for i := range p.Images {
		n += 100 + len(p.Images[i].URL) + len(p.Images[i].Alt)
	}
	return n
}
