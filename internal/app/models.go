package app

import (
	"errors"

	"earshot/internal/fetch"
	"earshot/internal/model/enrich"
	"earshot/internal/model/onnx"
)

// enricher returns what completes posts.
func (a *App) enricher() (*enrich.Enricher, error) {
	if a.options.Enrich != nil {
		return a.options.Enrich, nil
	}
	own, err := a.ownModels()
	if err != nil {
		return nil, err
	}
	return enrich.NewWith(own), nil
}

// ownModels opens the models that the settings name. One that cannot be used is an error:
// who brings a model wants to know.
func (a *App) ownModels() (enrich.CustomModels, error) {
	own := enrich.CustomModels{Log: a.log}
	if path := a.config.SentimentModel; path != "" {
		m, err := onnx.OpenSentiment(path, onnx.TextOptions{})
		if err != nil {
			return own, err
		}
		own.Sentiment = m
	}
	if path := a.config.EmotionModel; path != "" {
		m, err := onnx.OpenEmotion(path, onnx.TextOptions{})
		if err != nil {
			return own, err
		}
		own.Emotion = m
	}
	switch {
	case a.config.ImageModel == "" && a.config.FetchImages:
		return own, errors.New("models.fetch_images needs a model that looks at images: set models.images")
	case a.config.ImageModel != "" && !a.config.FetchImages:
		a.log.Warn("models.images is not used: models.fetch_images is false")
	case a.config.ImageModel != "":
		m, err := onnx.OpenImage(a.config.ImageModel, onnx.ImageOptions{})
		if err != nil {
			return own, err
		}
		own.Images = &enrich.ImageClassifier{Fetch: fetch.New(fetch.Options{}).Image, Classify: m.Classify}
	}
	return own, nil
}
