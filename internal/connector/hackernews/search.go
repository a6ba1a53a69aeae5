package hackernews

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/htmltext"
	"earshot/internal/fetch"
)

// The search API returns at most the first 1,000 hits of a request, so a backfill searches one slice
// of time after the other, from the newest to the oldest. A slice with more hits is halved; after a
// slice with few hits, the next one is twice as long.
const (
	maxHits     = 1000
	fewHits     = 250
	pageHits    = 250     // hits of a page, to bound memory
	maxPageSize = 8 << 20 // a page has 300 KB on average

	firstSlice = 24 * time.Hour
	longest    = 365 * 24 * time.Hour

	// searchPause keeps the backfill at 3,600 requests an hour. The network allows 10,000 from an
	// address, which other sources and people may share.
	searchPause = time.Second
	maxPause    = 10 * time.Minute // after errors
)

// progress says which part of a backfill is done. It is part of the cursor.
type progress struct {
	Query  string `json:"query"`
	Since  int64  `json:"since"`          // Unix seconds, like all times here
	Before int64  `json:"before"`         // everything from here on is done
	Slice  int64  `json:"slice"`          // seconds of the next slice
	Page   int    `json:"page,omitempty"` // next page of the slice
}

// backfill is when a reader searches next.
type backfill struct {
	done  bool
	next  time.Time
	pause time.Duration // after an error
}

func (b *backfill) due(now time.Time) bool { return !b.done && !now.Before(b.next) }

// openBackfill continues the backfill in the cursor, or starts another if the settings changed.
func (r *reader) openBackfill() {
	if r.since.IsZero() {
		r.cursor.Search, r.backfill.done = nil, true
		return
	}
	p := r.cursor.Search
	if p == nil || p.Query != r.query || p.Since != r.since.Unix() {
		p = &progress{Query: r.query, Since: r.since.Unix(), Before: r.Now().Unix(), Slice: int64(firstSlice / time.Second)}
		r.cursor.Search = p
	}
	r.backfill.done = p.Before <= p.Since
}

// search reads one page of the backfill. Errors of the search API delay the backfill, not the source.
func (r *reader) search(ctx context.Context) error {
	p := r.cursor.Search
	from := max(p.Before-p.Slice, p.Since)
	page, err := r.searchPage(ctx, from, p)
	now := r.Now()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fetch.ErrTooLarge) && p.Before-from > 1:
		p.split(from)
		r.backfill.next = now.Add(searchPause)
		return nil
	case err != nil:
		r.backfill.pause = min(max(2*r.backfill.pause, 5*time.Second), maxPause)
		var retry *connector.RetryError
		if errors.As(err, &retry) {
			r.backfill.pause = retry.After
		}
		r.backfill.next = now.Add(r.backfill.pause)
		r.Log.Warn("search for older items failed", "retry", r.backfill.pause, "error", err)
		return nil
	case page.Total > maxHits && p.Before-from > 1:
		p.split(from)
		r.backfill.next = now.Add(searchPause)
		return nil
	case page.Total > maxHits && p.Page == 0:
		gap := connector.Gap{From: time.Unix(from, 0), To: time.Unix(p.Before, 0), Reason: "The search for older items returned more than 1,000 hits within one second"}
		if err := r.sink.Gap(ctx, gap); err != nil {
			return err
		}
	}
	r.backfill.pause, r.backfill.next = 0, now.Add(searchPause)

	posts, skipped := page.posts(now)
	posts = slices.DeleteFunc(posts, func(p earshot.Post) bool { // the index may be older than what is stored
		id, _ := strconv.ParseInt(p.GUID, 10, 64)
		_, stored := r.known.find(id)
		return stored
	})
	r.sink.Count(connector.Counters{Events: int64(len(page.Hits)), Skipped: skipped})
	if p.Page++; len(page.Hits) < pageHits || p.Page*pageHits >= min(page.Total, maxHits) {
		*p = progress{Query: p.Query, Since: p.Since, Before: from, Slice: p.Slice}
		if page.Total < fewHits {
			p.Slice = min(2*p.Slice, int64(longest/time.Second))
		}
	}
	r.backfill.done = p.Before <= p.Since
	return r.deliver(ctx, connector.Batch{Posts: posts})
}

// split halves the next slice, which starts at from.
func (p *progress) split(from int64) { p.Slice, p.Page = max((p.Before-from)/2, 1), 0 }

// A searchPage is a response of the search API.
type searchPage struct {
	Hits  []hit `json:"hits"`
	Total int   `json:"nbHits"`
}

// A hit is an item as the search API returns it:
//
//	{"objectID":"121016","author":"ann","created_at_i":1203648003,"comment_text":"HTML","parent_id":121003,"story_id":121003,"story_title":"Ask HN: …","_tags":["comment","author_ann","story_121003"]}
type hit struct {
	ObjectID    string   `json:"objectID"`
	Author      string   `json:"author"`
	Created     int64    `json:"created_at_i"` // Unix seconds
	Title       string   `json:"title"`
	URL         string   `json:"url"`
	StoryText   string   `json:"story_text"`   // HTML
	CommentText string   `json:"comment_text"` // HTML
	Parent      int64    `json:"parent_id"`
	Points      *int64   `json:"points"`
	Comments    *int64   `json:"num_comments"`
	Tags        []string `json:"_tags"`
}

func (r *reader) searchPage(ctx context.Context, from int64, p *progress) (*searchPage, error) {
	query := url.Values{
		"query":                 {p.Query},
		"tags":                  {"(story,comment,poll,job)"},
		"numericFilters":        {fmt.Sprintf("created_at_i>=%d,created_at_i<%d", from, p.Before)},
		"hitsPerPage":           {strconv.Itoa(pageHits)},
		"page":                  {strconv.Itoa(p.Page)},
		"attributesToHighlight": {""}, // they would double the size
	}
	body, err := r.try(ctx, r.searchURL+"/search_by_date?"+query.Encode(), maxPageSize)
	if err != nil {
		return nil, err
	}
	return decodeSearch(body)
}

func decodeSearch(body []byte) (*searchPage, error) {
	page := &searchPage{}
	if err := json.Unmarshal(body, page); err != nil {
		return nil, fmt.Errorf("decode search results: %w", err)
	}
	return page, nil
}

// posts converts hits to posts, and counts skipped hits.
func (page *searchPage) posts(now time.Time) (posts []earshot.Post, skipped map[string]int64) {
	skipped = map[string]int64{}
	for _, h := range page.Hits {
		p, skip := h.post(now)
		if skip != "" {
			skipped[skip]++
			continue
		}
		posts = append(posts, p)
	}
	return posts, skipped
}

func (h *hit) post(now time.Time) (earshot.Post, string) {
	id, err := strconv.ParseInt(strings.TrimSpace(h.ObjectID), 10, 64)
	if err != nil || id < 1 {
		return earshot.Post{}, "no usable id"
	}
	p := newPost(id, h.Author, time.Unix(h.Created, 0).UTC(), now)
	p.Title = htmltext.Text(h.Title)
	if slices.Contains(h.Tags, "comment") {
		addText(&p, h.CommentText)
		p.Engagement = earshot.Comment
		if h.Parent > 0 {
			p.ParentGUID = guid(h.Parent)
		}
	} else {
		addText(&p, h.StoryText)
		p.Likes, p.Comments = count(h.Points), count(h.Comments)
	}
	if h.URL != "" {
		p.Links = append([]string{h.URL}, p.Links...)
	}
	return p, connector.Clean(&p)
}
