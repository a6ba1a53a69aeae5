package enrich

import (
	"log/slog"
	"sync/atomic"
	"time"

	"earshot"
)

// CustomModels are an operator's own models. Where one is nil, only the built-in model runs.
type CustomModels struct {
	Sentiment SentimentModel
	Emotion   EmotionModel
	Log       *slog.Logger

	lastWarning *atomic.Int64 // Unix time of the last warning
}

// A SentimentModel infers the probabilities of earshot.BasicCategories.
type SentimentModel interface {
	Infer(text string) ([3]float32, error)
}

// An EmotionModel infers the probabilities of earshot.BasicEmotions.
type EmotionModel interface {
	Infer(text string) ([7]float32, error)
}

// fillSentiment runs the custom models. If one fails, the result of the built-in model remains.
func (o *CustomModels) fillSentiment(p *earshot.Post) {
	if o.Sentiment != nil {
		if scores, err := o.Sentiment.Infer(postText(p)); err == nil {
			p.Sentiment = earshot.NewSentiment(scores).Inferred()
		} else {
			o.warn("custom sentiment model", err)
		}
	}
	if o.Emotion != nil {
		if scores, err := o.Emotion.Infer(postText(p)); err == nil {
			p.Emotion = earshot.NewEmotion(scores).Inferred()
		} else {
			o.warn("custom emotion model", err)
		}
	}
}

// warn logs a failure at most once per minute, because a model may fail for every post.
func (o *CustomModels) warn(what string, err error) {
	now := time.Now().Unix()
	last := o.lastWarning.Load()
	if o.Log != nil && now-last >= 60 && o.lastWarning.CompareAndSwap(last, now) {
		o.Log.Warn(what+" failed; using the built-in model for this post and possibly others", "error", err)
	}
}
