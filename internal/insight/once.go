package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/insight/detect"
	"earshot/internal/poststore"
)

// A Once is a number of posts in which duplicates count once.
type Once struct {
	Posts   float64
	Authors float64
	// Several is the number of posts if the two most active authors had only as many as the third: what
	// fewer than three authors do is not unusual activity.
	Several float64
}

// onceSample is the number of posts that [CountOnce] reads.
const onceSample = 2000

// CountOnce counts posts with the same text or the same link by one author once. If there are many
// posts, it extrapolates from a sample.
func CountOnce(ctx context.Context, posts poststore.Reader, of poststore.Selection, total float64) (Once, error) {
	type post struct{ author, what string }
	seen, unique := map[post]bool{}, map[string]float64{} // posts by author
	visited := 0.0
	_, err := posts.Sample(ctx, of, onceSample, func(p *earshot.Post) {
		author := AuthorOf(p)
		visited++
		repeated := false
		for _, what := range append(p.Links[:len(p.Links):len(p.Links)], p.Title+"\n"+p.Contents) {
			key := post{author, what}
			repeated = repeated || seen[key]
			seen[key] = true
		}
		if !repeated {
			unique[author]++
		}
	})
	if err != nil || visited == 0 {
		return Once{}, err
	}
	var c Once
	most := make([]float64, detect.MinAuthors) // the numbers of the most active authors, descending
	for _, n := range unique {
		c.Posts += n
		if i := slices.IndexFunc(most, func(m float64) bool { return n > m }); i >= 0 {
			most = slices.Insert(most, i, n)[:detect.MinAuthors]
		}
	}
	c.Several = c.Posts
	for _, n := range most {
		c.Several -= n - most[detect.MinAuthors-1]
	}
	scale := max(total, visited) / visited
	return Once{Posts: c.Posts * scale, Authors: float64(len(unique)) * scale, Several: c.Several * scale}, nil
}

// AuthorOf returns what identifies the author of a post.
func AuthorOf(p *earshot.Post) string {
	if p.AuthorUsername != "" {
		return p.AuthorUsername
	}
	return p.Author
}
