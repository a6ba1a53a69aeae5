package pipeline

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/state/journal"
)

// storeLooks replaces the sentiment and emotion of stored posts by what second looks found. The posts
// are inferred and matched again and stored in place of the old versions.
//
// Nothing new has arrived, so signals are not told, and streams are not offered the posts: they keep the
// versions that they have. A post that still waits for its pictures has the look when those are found.
func (p *Pipeline) storeLooks(ctx context.Context, batch *journal.Batch) error {
	p.storing.RLock()
	defer p.storing.RUnlock()
	looks := make(map[earshot.PostKey]journal.Look, len(batch.Looks))
	keys := make([]earshot.PostKey, 0, len(batch.Looks))
	for _, look := range batch.Looks {
		if _, ok := looks[look.Key]; !ok {
			keys = append(keys, look.Key)
		}
		looks[look.Key] = look
	}
	posts, err := p.Store.Find(ctx, keys)
	if err != nil {
		return err
	}
	posts = slices.DeleteFunc(posts, func(post earshot.Post) bool {
		look := looks[post.Key()]
		return !applies(&look, &post)
	})
	matched, err := p.revise(ctx, batch, posts, looks)
	if err != nil {
		return err
	}
	return p.Store.Append(ctx, batch.Position, matched)
}

// applies reports whether a look is about the current version of a post and newer than what the post has.
// Looks by other versions of the models do not apply.
//
// Nodes run the models on their stores at different times when an operator requests it, which increments
// the generation. A look of a newer generation applies on a node that is not done, so that all nodes end
// up with the same: revise runs the models on the post, and the generation changes only what the look
// replaces. A look of an older generation is overwritten on such a node, and does not apply on the others.
func applies(look *journal.Look, p *earshot.Post) bool {
	return look.Models == enrich.Looked(enrich.ModelVersion(look.Models>>16)) && p.InferredBy < look.Models && look.Text == enrich.TextHash(p)
}

// looksOf returns what second looks at stored posts have found.
func looksOf(posts []earshot.Post) map[earshot.PostKey]journal.Look {
	looks := map[earshot.PostKey]journal.Look{}
	for i := range posts {
		if p := &posts[i]; enrich.IsLooked(p.InferredBy) {
			looks[p.Key()] = journal.Look{Models: p.InferredBy, Sentiment: p.Sentiment, Emotion: p.Emotion}
		}
	}
	return looks
}
