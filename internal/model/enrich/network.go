package enrich

import (
	"earshot"
	"earshot/internal/model/sentiment"
)

// A Network infers sentiment and emotion for second looks.
type Network interface {
	// Infer returns the scores of a text. Without an emotion, that of the other models remains.
	Infer(text string, d sentiment.Domain) (earshot.Sentiment, earshot.Emotion, error)
}

// Look returns the sentiment and emotion of a post according to a network.
func (e *Enricher) Look(n Network, p *earshot.Post) (earshot.Sentiment, earshot.Emotion, error) {
	s, emotion, err := n.Infer(postText(p), e.domain(p))
	if err != nil {
		return s, emotion, err
	}
	if emotion == (earshot.Emotion{}) || e.custom.Emotion != nil {
		return s.Inferred(), p.Emotion, nil
	}
	return s.Inferred(), reconcile(s, emotion).Inferred(), nil
}
