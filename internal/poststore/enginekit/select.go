package enginekit

import (
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query"
)

// A StoredPost is a post with what engines store next to it. It is the input of [Selects].
type StoredPost struct {
	Post    *earshot.Post
	In      func(poststore.SetID) bool // whether the post is in a set
	Arrived earshot.Position           // position of its journal entry
}

// Selects reports whether a selection picks a post to which the corrections of the selection were
// already applied. It examines the words of the post last because that is slow. doc is scratch
// space.
func Selects(of *poststore.Selection, e *StoredPost, doc *query.Document) bool {
	if of.Set != 0 && !e.In(of.Set) || of.After > 0 && e.Arrived <= of.After || !MatchesPost(of, e.Post) || !e.has(&of.Categories) {
		return false
	}
	if of.Where != nil {
		if doc.Reset(e.Post); !of.Where.Match(doc) {
			return false
		}
	}
	return !slices.ContainsFunc(of.Except, func(other poststore.Selection) bool { return Selects(&other, e, doc) })
}

// has reports whether the post has one of the filter's sentiments or emotions, or is in one of its
// sets.
func (e *StoredPost) has(f *poststore.CategoryFilter) bool {
	return f.IsZero() || slices.ContainsFunc(f.Sets, e.In) || f.Has(e.Post.Sentiment.Assigned(), e.Post.Emotion.Assigned())
}
