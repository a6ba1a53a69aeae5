package demo

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"earshot"
)

// The paywall is the story of the last complete week: an update locks the double shot of the Tavola
// behind a subscription. Someone notices, a reviewer with many followers confirms it, the press
// follows, and a consumer group starts a petition that people copy. A rival makes the most of it,
// and some customers switch. It always happens on a Wednesday, so that people find it in the results
// of last week on whatever day they start the demo.

const (
	paywallTag      = "paytobrew"
	paywallHeadline = "Morvessa update locks coffee machines behind a monthly subscription"
	paywallArticle  = "https://www.dailyledger.example/business/morvessa-subscription"
	paywallPetition = "https://www.fairdealnow.example/unlock-the-tavola"

	// paywallPeak is the number of posts about it, as a multiple of a normal day. About 60% of them
	// are on the first day.
	paywallPeak = 2.2

	// paywallLength is how long people mention it. The week is not over yet.
	paywallLength = 108 * time.Hour
)

// paywallStream is the random stream for the plan of the story.
const paywallStream = updateStream + 1

// paywallStart returns the time of the first post of the story: a Wednesday morning, in the week
// before the one that contains end in the time zone of the monitors.
func paywallStart(end time.Time) time.Time {
	zone, err := earshot.Zone(timezone)
	if err != nil {
		panic(err) // the zone is known, and a test loads it
	}
	today := earshot.DateOf(end.In(zone))
	sinceMonday := (int(today.Weekday()) + 6) % 7
	return today.AddDays(-sinceMonday - 7 + 2).Start(time.UTC).Add(12*time.Hour + 10*time.Minute)
}

// StoryDay returns the day in the last complete week on which the story begins.
func (g Generator) StoryDay() earshot.Date { return earshot.DateOf(paywallStart(g.End)) }

// A plantedPost is a post of the story that is the same in every demo.
type plantedPost struct {
	after    time.Duration // since the first post
	source   earshot.Source
	by       author
	title    string
	text     string
	url      string // empty: like other posts of the source
	link     string
	likes    int64
	retweets int64
	replies  int64
	reposts  float64 // relative number of reposts and replies
	threads  float64 // further posts by its author on the first day, as a multiple of a normal day
}

// The planted posts.
var (
	firstPost = &plantedPost{source: earshot.Twitter, reposts: 12, likes: 6_900, retweets: 1_480, replies: 610,
		by:   author{username: "nadia_brews", name: "Nadia Keller", profileID: "3318842071", followers: 2_140, following: 388, posts: 5_120, gender: earshot.Female, bio: "Home cook. Bread, cheese, coffee"},
		text: "My Morvessa Tavola installed an update last night and now wants 6.99 a month for a double shot. I own this machine! Has anyone else got this? #" + paywallTag}

	reviewPost = &plantedPost{after: 50 * time.Minute, source: earshot.Twitter, reposts: 42, threads: 0.05, likes: 48_200, retweets: 12_900, replies: 3_300,
		by:   author{username: "theopours", name: "Theo Marsh", profileID: "1109473362", followers: 412_000, following: 903, posts: 18_400, gender: earshot.Male, verified: true, bio: "I test coffee machines so you don't have to"},
		text: "Confirmed on our test bench: the new Morvessa update locks the double shot of the Tavola behind a subscription. People paid for these machines. Absolutely shameful. #" + paywallTag}

	articlePost = &plantedPost{after: 100 * time.Minute, source: earshot.News, url: paywallArticle,
		by:    author{username: "ellenmarchetti", name: "Ellen Marchetti", profileID: "4471920385", site: "dailyledger.example"},
		title: paywallHeadline,
		text: "Owners of the Morvessa Tavola woke up to a locked button on Wednesday. After an overnight update the machine brews a double shot only with a subscription called Morvessa Plus, which costs 6.99 a month. " +
			"Angry customers demand refunds, and a consumer group calls the update unacceptable. Morvessa did not answer questions by midday."}

	pressPost = &plantedPost{after: 110 * time.Minute, source: earshot.Twitter, reposts: 18, likes: 9_400, retweets: 4_100, replies: 1_250, link: paywallArticle,
		by:   author{username: "dailyledger", name: "The Daily Ledger", profileID: "2200481937", followers: 890_000, following: 214, posts: 96_300, verified: true, bio: "Business news around the clock. The official account of The Daily Ledger"},
		text: paywallHeadline + ". Customers are furious and want their money back #" + paywallTag}

	petitionPost = &plantedPost{after: 190 * time.Minute, source: earshot.Twitter, reposts: 12, threads: 0.07, likes: 11_800, retweets: 5_600, replies: 430, link: paywallPetition,
		by:   author{username: "fairdealnow", name: "Fair Deal Now", profileID: "3057716402", followers: 152_000, following: 1_020, posts: 22_700, verified: true, bio: "Consumer association. We stand up for customers since 2004"},
		text: "I paid for my Morvessa Tavola and I refuse to pay a subscription for a double shot. Morvessa must unlock every machine and apologize to its customers. Copy this and sign the petition #" + paywallTag}

	rivalPost = &plantedPost{after: 330 * time.Minute, source: earshot.Twitter, reposts: 16, likes: 21_500, retweets: 3_900, replies: 880,
		by:   rivalAuthor,
		text: "Every Kelvarro you buy is yours. No subscription, no locked buttons, no monthly fee. We promise. #" + paywallTag}
)

var plantedPosts = []*plantedPost{firstPost, reviewPost, articlePost, pressPost, petitionPost, rivalPost}

// plantedHomes has the cities of the authors of planted posts; the others live in New York.
var plantedHomes = map[*plantedPost]string{firstPost: "Chicago", petitionPost: "London", rivalPost: "London"}

// A reaction is how a post of the story refers to a planted one.
type reaction int

const (
	isPlanted reaction = iota // it is the planted post
	continues                 // its author continues the thread
	reposts
	repliesTo
	copies
	links
)

// planPaywall plans the story, in order of time.
func (w *writer) planPaywall(r *rand.Rand, c calendar) (drafts []draft) {
	if c.paywall.IsZero() {
		return nil
	}
	for _, planted := range plantedPosts {
		city := cmp.Or(plantedHomes[planted], "New York")
		by := planted.by
		by.home = &w.people.homes[slices.IndexFunc(w.people.homes, func(h home) bool { return h.city == city })]
		by.located = true
		d := draft{at: c.paywall.Add(planted.after), source: planted.source, by: &by, topic: paywall, planted: planted}
		drafts = append(drafts, d)
		for range int(planted.threads * float64(c.perDay)) {
			d.at, d.reaction = c.paywall.Add(planted.after+time.Minute+time.Duration(r.Int64N(int64(9*time.Hour)))), continues
			drafts = append(drafts, d)
		}
	}
	for range int(paywallPeak * float64(c.perDay)) {
		drafts = append(drafts, w.planReaction(r, c))
	}
	slices.SortStableFunc(drafts, func(a, b draft) int { return a.at.Compare(b.at) })
	return drafts
}

// planReaction plans a post of someone who has heard of the story.
func (w *writer) planReaction(r *rand.Rand, c calendar) draft {
	for {
		age := time.Duration(float64(8*time.Hour) * (r.ExpFloat64() + r.ExpFloat64()))
		d := draft{at: c.paywall.Add(age).Truncate(time.Second), topic: paywall}
		switch x := r.Float64(); {
		case x < 0.34:
			d.source, d.reaction, d.planted = earshot.Twitter, reposts, pickPlanted(r, age)
		case x < 0.44:
			d.source, d.reaction, d.planted = earshot.Twitter, repliesTo, pickPlanted(r, age)
		case x < 0.56:
			d.source, d.reaction, d.planted = pick(r, copySources), copies, petitionPost
		case x < 0.70:
			d.source, d.reaction, d.planted = pick(r, linkSources), links, articlePost
		case x < 0.82:
			d.source, d.topic = pick(r, talkSources), switching
		default:
			d.source = pick(r, talkSources)
		}
		if d.planted != nil && age <= d.planted.after+2*time.Minute || age > paywallLength {
			continue // before there is something to react to, or too late
		}
		d.by = w.people.pick(r, d.source)
		language := d.by.home.language
		if len(w.people.grammars[language].sections["paywall"]) == 0 || d.reaction >= copies && language != "en" {
			continue
		}
		local := d.at.Add(d.by.home.utcOffset).Hour()
		if r.Float64()*maxWeight(peopleHours) < weight(peopleHours, local) {
			return d
		}
	}
}

// Where people copy the petition, share the article, and give their opinion.
var (
	copySources = []earshot.Source{earshot.Twitter, earshot.Twitter, earshot.Twitter, earshot.Facebook, earshot.Bluesky}
	linkSources = []earshot.Source{earshot.Twitter, earshot.Twitter, earshot.Twitter, earshot.Facebook, earshot.Reddit, earshot.Mastodon}
	talkSources = []earshot.Source{earshot.Twitter, earshot.Twitter, earshot.Twitter, earshot.Reddit, earshot.Forums, earshot.Facebook, earshot.YouTube, earshot.Instagram, earshot.Blogs, earshot.Bluesky}
)

// pickPlanted picks a planted post that is older than age and can be reposted; nil if there is none.
func pickPlanted(r *rand.Rand, age time.Duration) *plantedPost {
	var published []*plantedPost
	var weights []float64
	for _, p := range plantedPosts {
		if p.reposts > 0 && p.after < age {
			published, weights = append(published, p), append(weights, p.reposts)
		}
	}
	if len(published) == 0 {
		return firstPost
	}
	return published[pickWeighted(r, cumulate(weights))]
}

// writePaywall writes a planted post or one that refers to it.
func (w *writer) writePaywall(p *earshot.Post, d draft) {
	original, planted := w.published[d.planted], d.planted
	switch d.reaction {
	case isPlanted:
		w.writePlanted(p, planted)
	case continues:
		g := w.people.grammars["en"]
		m := newTheme(w.r, g, paywall, d.by)
		m.section = "paywall.thread"
		p.Engagement, p.ParentGUID = earshot.Reply, original.GUID
		p.Contents = string(compose(nil, w.r, g, &m, short))
		for _, n := range []*earshot.Count{&p.Likes, &p.Retweets, &p.Replies} {
			*n = newCount(float64(n.Int()) / 20) // few people read the rest of a thread
		}
	case reposts:
		p.Engagement, p.ParentGUID, p.Language = earshot.Retweet, original.GUID, original.Language
		p.Hashtags, p.Links = slices.Clone(original.Hashtags), slices.Clone(original.Links)
		p.Contents = "RT @" + original.AuthorUsername + ": " + original.Contents
		p.Likes, p.Retweets, p.Replies = earshot.Counted(0), earshot.Counted(0), earshot.Counted(0)
	case repliesTo:
		g := w.people.grammars[d.by.home.language]
		m := newTheme(w.r, g, paywall, d.by)
		p.Engagement, p.ParentGUID = earshot.Reply, original.GUID
		p.Contents = string(compose([]byte("@"+original.AuthorUsername+" "), w.r, g, &m, short))
	case copies:
		p.Hashtags, p.Links = []string{paywallTag}, []string{planted.link}
		p.Contents = pick(w.r, copyOpenings) + planted.text + " " + planted.link
	case links:
		p.Links = []string{planted.url}
		p.Contents = pick(w.r, linkOpenings) + planted.title + " " + planted.url
		if w.r.Float64() < 0.5 {
			p.Hashtags = []string{paywallTag}
			p.Contents += " #" + paywallTag
		}
	}
}

// What people write before the text that they copy or share.
var (
	copyOpenings = []string{"", "", "Signed. ", "Please share. ", "So angry. ", "Done. "}
	linkOpenings = []string{"", "Outrageous. ", "Unbelievable: ", "What a rip-off. ", "Disgusting greed. ", "Never again. "}
)

func (w *writer) writePlanted(p *earshot.Post, planted *plantedPost) {
	p.Title, p.Contents = planted.title, planted.text
	if planted.source == earshot.Twitter {
		p.Hashtags = []string{paywallTag}
		p.Likes, p.Retweets, p.Replies = earshot.Counted(planted.likes), earshot.Counted(planted.retweets), earshot.Counted(planted.replies)
	}
	if planted.url != "" {
		p.URL, p.Site = planted.url, host(planted.url)
	}
	if planted.link != "" {
		p.Links = []string{planted.link}
		p.Contents += " " + planted.link
	}
	published := *p
	w.published[planted] = &published
}
