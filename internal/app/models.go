package app

import (
	"earshot"
	"earshot/internal/ingest/secondlook"
	"earshot/internal/model/enrich"
	"earshot/internal/model/onnx"
	network "earshot/internal/model/secondlook"
	"earshot/internal/model/sentiment"
	"earshot/internal/state/journal"
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

// newSecondLook returns the service that gives posts a second look, or nil if it is off. The built-in
// network does not overwrite the results of an operator's own sentiment model.
func (a *App) newSecondLook(enricher *enrich.Enricher) (*secondlook.Service, error) {
	switch {
	case a.config.SecondLookCPU == 0:
		return nil, nil
	case a.config.SentimentModel != "" && a.config.SecondLookModel == "":
		a.log.Warn("second_look.cpu is not used because models.sentiment is set and models.second_look is not")
		return nil, nil
	}
	o := secondlook.Options{
		Posts: a.posts, Journal: a.Journal, Monitors: a.catalog.Monitors.List, Enrich: enricher,
		Languages: network.Languages, Network: func() (enrich.Network, error) { return network.New() },
		Ready: func() bool { return a.catalog.Formats().Journal >= journal.LooksFormat }, Stored: a.pipeline.WaitPosition, CPU: float64(a.config.SecondLookCPU) / 100, Busy: a.isIngestBehind, Log: a.log,
	}
	if path := a.config.SecondLookModel; path != "" {
		m, err := onnx.OpenSentiment(path, onnx.TextOptions{})
		if err != nil {
			return nil, err
		}
		o.Languages, o.Network = nil, func() (enrich.Network, error) { return ownNetwork{m}, nil }
	}
	return secondlook.New(o), nil
}

// An ownNetwork is an operator's model for second looks.
type ownNetwork struct{ *onnx.Sentiment }

// Infer implements [enrich.Network].
func (n ownNetwork) Infer(text string, _ sentiment.Domain) (earshot.Sentiment, earshot.Emotion, error) {
	scores, err := n.Sentiment.Infer(text)
	return earshot.NewSentiment(scores), earshot.Emotion{}, err
}
