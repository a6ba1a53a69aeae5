package app

import (
	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/model/onnx"
)

// enricher returns the enricher, with the custom models in the settings.
func (a *App) enricher() (*enrich.Enricher, error) {
	if a.options.Enrich != nil {
		return a.options.Enrich, nil
	}
	own, err := a.customModels()
	if err != nil {
		return nil, err
	}
	e := enrich.NewWith(own)
	e.ContentDomain = func(id earshot.ContentSourceID) earshot.TextDomain {
		if src, ok := a.catalog.Sources.Find(id); ok {
			return src.Domain
		}
		return ""
	}
	return e, nil
}

// customModels opens the models in the settings. An unusable model is an error, because the
// operator should know.
func (a *App) customModels() (enrich.CustomModels, error) {
	models := enrich.CustomModels{Log: a.log}
	if path := a.config.SentimentModel; path != "" {
		m, err := onnx.OpenSentiment(path, onnx.TextOptions{})
		if err != nil {
			return models, err
		}
		models.Sentiment = m
	}
	if path := a.config.EmotionModel; path != "" {
		m, err := onnx.OpenEmotion(path, onnx.TextOptions{})
		if err != nil {
			return models, err
		}
		models.Emotion = m
	}
	return models, nil
}
