package demo

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"earshot"
)

// A writer turns drafts into posts, in order of time.
type writer struct {
	r       *rand.Rand
	people  *population
	recent  map[earshot.Source]*recentPosts
	numbers sequence

	pictures bool // images are pictures that exist

	story     []draft                        // posts about the paywall that are not written yet
	published map[*plantedPost]*earshot.Post // planted posts
}

// A sequence assigns ascending numbers to posts.
type sequence struct{ last int64 }

func (s *sequence) next(at time.Time) int64 {
	s.last++
	return at.UnixMilli()<<22 | s.last&(1<<22-1)
}

// write returns the post for a draft: a repost or a reply, if the network has them and there is a
// suitable earlier post, or else an original post.
func (w *writer) write(d draft) earshot.Post {
	n := networkOf(d.source)
	p, code := w.envelope(d, n)
	x := w.r.Float64()
	switch {
	case d.topic == ownVoice:
		w.writeOwn(&p, d, code)
	case d.planted != nil:
		w.writePaywall(&p, d)
	case d.topic == paywall || d.topic == switching:
		w.writeOriginal(&p, d, n, code)
	case x < n.repostShare && w.repost(&p, d):
	case x < n.repostShare+n.replyShare && w.reply(&p, d, n):
	default:
		w.writeOriginal(&p, d, n, code)
	}
	return p
}

// envelope sets the fields that do not depend on the text.
func (w *writer) envelope(d draft, n *network) (p earshot.Post, code string) {
	number := w.numbers.next(d.at)
	id := strconv.FormatInt(number, 10)
	code = strconv.FormatInt(number, 36)
	a := d.by
	p = earshot.Post{
		Source:          d.source,
		GUID:            n.expand(n.guid, a.username, id, code, a.site),
		URL:             n.expand(n.url, a.username, id, code, a.site),
		Time:            d.at,
		Language:        a.home.language,
		Author:          a.byline(n.byline),
		AuthorUsername:  a.username,
		AuthorProfileID: a.profileID,
		Gender:          a.gender,
		Age:             a.age,
		Engagement:      earshot.OriginalPost,
	}
	p.Site = host(p.URL)
	if n.profile {
		a.profile(&p)
	}
	w.locate(&p, n, a)
	audience := reach(w.r, a.followers)
	if a.maker != nil {
		audience /= 6 // few followers of a brand react to what it posts every day
	}
	for _, f := range n.counters {
		f(&p, audience)
	}
	return p, code
}

func (a *author) byline(b byline) string {
	switch b {
	case nameOnly:
		return a.name
	case handleOnly:
		return a.username
	}
	return a.username + " (" + a.name + ")"
}

func (a *author) profile(p *earshot.Post) {
	p.Bio = a.bio
	p.Verified = a.verified
	p.Followers = earshot.Counted(a.followers)
	p.Following = earshot.Counted(a.following)
	p.AuthorPosts = earshot.Counted(a.posts)
}

// locate sets the location of the post or its author, as far as the author discloses it.
func (w *writer) locate(p *earshot.Post, n *network, a *author) {
	if a.located {
		p.Location, p.Place = a.home.location, a.home.place
	}
	if n.geotags && w.r.Float64() < 0.26 {
		p.Geotagged, p.Place = true, a.home.place
		p.Point = &earshot.Point{
			Latitude:  a.home.point.Latitude + (w.r.Float64()-0.5)/10,
			Longitude: a.home.point.Longitude + (w.r.Float64()-0.5)/10,
		}
	}
}

// writeOriginal writes a post that does not refer to another one.
func (w *writer) writeOriginal(p *earshot.Post, d draft, n *network, code string) {
	g := w.people.grammars[d.by.home.language]
	m := newTheme(w.r, g, d.topic, d.by)
	p.Hashtags = hashtags(w.r, &m, n.style)
	b := compose(nil, w.r, g, &m, n.style)
	if handle := ownHandles[d.source]; handle != "" && m.brand == Brand && d.topic != chatter && w.r.Float64() < 0.12 {
		b = append(append(b, " @"...), handle...)
	}
	b = decorate(b, w.r, &m, p.Hashtags)
	if d.source == earshot.Twitter && w.r.Float64() < 0.08 {
		link := "https://www." + pick(w.r, networkOf(earshot.News).sites) + "/business/" + code
		p.Links = []string{link}
		b = append(append(b, ' '), link...)
	}
	p.Contents = string(b)
	if n.style == article {
		p.Title = string(pick(w.r, g.find(m.title)).say(nil, w.r, &m.subject))
	}
	if d.source == earshot.Facebook && m.brand == Brand && d.topic != chatter && w.r.Float64() < 0.3 {
		p.PageID = FacebookPageID // posted on the brand's page
	}
	if d.source == earshot.Reviews {
		stars := m.mood.rating(w.r)
		p.Rating = &stars
	}
	if d.source == earshot.Instagram || d.source == earshot.Twitter && w.r.Float64() < 0.06 {
		w.addImage(p, &m, code)
	}
	w.remember(p, d, m)
}

func (w *writer) addImage(p *earshot.Post, m *theme, code string) {
	img := newImage(w.r, m, code)
	if w.pictures {
		show(&img, m, code)
	}
	p.Images = append(p.Images, img)
	p.MediaURLs = append(p.MediaURLs, img.URL)
}

// repost makes p a retweet of an earlier post, if there is a suitable one.
func (w *writer) repost(p *earshot.Post, d draft) bool {
	original, found := w.recall(d.source, d)
	if !found || original.username == p.AuthorUsername {
		return false
	}
	p.Engagement = earshot.Retweet
	p.ParentGUID = original.guid
	p.Language = original.language
	p.Hashtags = slices.Clone(original.hashtags)
	p.Contents = "RT @" + original.username + ": " + original.contents
	p.Likes, p.Retweets, p.Replies = earshot.Counted(0), earshot.Counted(0), earshot.Counted(0)
	return true
}

// reply makes p a reply to an earlier post or a comment on it, if there is a suitable one.
func (w *writer) reply(p *earshot.Post, d draft, n *network) bool {
	parent, found := w.recall(n.replySource(), d)
	if !found {
		return false
	}
	p.Engagement = n.replyKind
	p.ParentGUID = parent.guid
	p.PageID = parent.pageID
	var b []byte
	if d.source.IsMicroblog() || d.source == earshot.Instagram {
		b = append(append(append(b, '@'), parent.username...), ' ')
	}
	p.Contents = string(w.replyText(b, d, parent))
	return true
}

// replyText appends a short reply, or a sentence about the topic of the draft.
func (w *writer) replyText(b []byte, d draft, parent *recentPost) []byte {
	g := w.people.grammars[d.by.home.language]
	if parent.topic != chatter && w.r.Float64() < 0.6 {
		about := parent.subject
		about.city = d.by.home.city
		return pick(w.r, g.find("reply")).say(b, w.r, &about)
	}
	m := newTheme(w.r, g, d.topic, d.by)
	return compose(b, w.r, g, &m, short)
}
