package enrich

import (
	"log/slog"
	"sync/atomic"
	"time"

	"earshot"
)

// Own are models that an operator brings. Where one is nil, the models that are part of
// the program are asked alone.
type Own struct {
	Sentiment SentimentModel
	Emotion   EmotionModel
	Images    *Looker
	Log       *slog.Logger

	complained *atomic.Int64 // when, in seconds since 1970
}

// A SentimentModel tells the shares of earshot.BasicCategories.
type SentimentModel interface {
	Shares(text string) ([3]float32, error)
}

// An EmotionModel tells the shares of earshot.BasicEmotions.
type EmotionModel interface {
	Shares(text string) ([7]float32, error)
}

// fillFeelings asks own models for what they tell. When one fails, the answer of the
// model that is part of the program stays.
func (o *Own) fillFeelings(p *earshot.Post) {
	if o.Sentiment != nil {
		if shares, err := o.Sentiment.Shares(textOf(p)); err == nil {
			p.Sentiment = earshot.NewSentiment(shares)
		} else {
			o.complain("own model of sentiment", err)
		}
	}
	if o.Emotion != nil {
		if shares, err := o.Emotion.Shares(textOf(p)); err == nil {
			p.Emotion = earshot.NewEmotion(shares)
		} else {
			o.complain("own model of emotion", err)
		}
	}
}

// complain logs that a model failed, once a minute: it may fail for every post.
func (o *Own) complain(what string, err error) {
	now := time.Now().Unix()
	last := o.complained.Load()
	if o.Log != nil && now-last >= 60 && o.complained.CompareAndSwap(last, now) {
		o.Log.Warn(what+" failed; the built-in answer stands, for this post and perhaps for others", "error", err)
	}
}
