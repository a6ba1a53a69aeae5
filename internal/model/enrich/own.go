package enrich

import (
	"log/slog"
	"sync/atomic"
	"time"

	"earshot"
)

// CustomModels are models that an operator brings. Where one is nil, the models that are part of
// the program are asked alone.
type CustomModels struct {
	Sentiment SentimentModel
	Emotion   EmotionModel
	Images    *ImageClassifier
	Log       *slog.Logger

	lastWarning *atomic.Int64 // when, in seconds since 1970
}

// A SentimentModel tells the shares of earshot.BasicCategories.
type SentimentModel interface {
	Infer(text string) ([3]float32, error)
}

// An EmotionModel tells the shares of earshot.BasicEmotions.
type EmotionModel interface {
	Infer(text string) ([7]float32, error)
}

// fillSentiment asks own models for what they tell. When one fails, the answer of the
// model that is part of the program stays.
func (o *CustomModels) fillSentiment(p *earshot.Post) {
	if o.Sentiment != nil {
		if scores, err := o.Sentiment.Infer(postText(p)); err == nil {
			p.Sentiment = earshot.NewSentiment(scores)
		} else {
			o.warn("own model of sentiment", err)
		}
	}
	if o.Emotion != nil {
		if scores, err := o.Emotion.Infer(postText(p)); err == nil {
			p.Emotion = earshot.NewEmotion(scores)
		} else {
			o.warn("own model of emotion", err)
		}
	}
}

// warn logs that a model failed, once a minute: it may fail for every post.
func (o *CustomModels) warn(what string, err error) {
	now := time.Now().Unix()
	last := o.lastWarning.Load()
	if o.Log != nil && now-last >= 60 && o.lastWarning.CompareAndSwap(last, now) {
		o.Log.Warn(what+" failed; the built-in answer stands, for this post and perhaps for others", "error", err)
	}
}
