package quantify_test

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/model/dataset"
	"earshot/internal/model/enrich"
	"earshot/internal/model/opinion"
	"earshot/internal/model/quantify"
)

// A labeledText is a text that a person assigned to a category.
type labeledText struct {
	category, text, month string
	target                string       // what the text is about, if its category is a stance
	post                  earshot.Post // as it would be stored, after enrichment
}

// readLabeled reads labeled texts from a file: tab-separated values with a header, compressed with
// gzip.
func readLabeled(path string) ([]labeledText, error) {
	texts, err := readTable(path)
	if err != nil {
		return nil, fmt.Errorf("read labeled posts from %s: %w", path, err)
	}
	enrichTexts(texts)
	return texts, nil
}

// enrichTexts sets the posts of texts.
func enrichTexts(texts []labeledText) {
	complete := enrich.New()
	for i := range texts {
		one := []earshot.Post{{Contents: texts[i].text, Language: "en", Source: earshot.Twitter}}
		complete.All(one)
		texts[i].post = one[0]
	}
}

func readTable(path string) (out []labeledText, err error) {
	var header []string
	for cells, err := range dataset.Fields(path) {
		switch {
		case err != nil:
			return nil, err
		case header == nil:
			header = cells
		default:
			out = append(out, newLabeled(header, cells))
		}
	}
	return out, nil
}

func newLabeled(header, cells []string) labeledText {
	var l labeledText
	for i, name := range header[:min(len(header), len(cells))] {
		switch name {
		case "category", "label":
			l.category = cells[i]
		case "target":
			l.target = cells[i]
		case "text":
			l.text = cells[i]
		case "date":
			l.month = cells[i][:min(len("2006-01"), len(cells[i]))]
		}
	}
	return l
}

// A scorer scores texts with a model and estimates proportions from the scores.
type scorer struct {
	model     *opinion.Model
	estimator *quantify.Estimator
}

// trainScorer trains a scorer on texts. classes are the indexes of their categories.
func trainScorer(ctx context.Context, categories int, texts []labeledText, classes []int) (*scorer, error) {
	ids := make([]earshot.CategoryID, categories)
	for k := range ids {
		ids[k] = earshot.CategoryID(k + 1)
	}
	docs := make([]opinion.Document, len(texts))
	for i, l := range texts {
		docs[i] = opinion.Document{Post: l.post, Category: ids[classes[i]]}
		docs[i].Post.URL = fmt.Sprintf("https://example.com/%d", i)
	}
	m, err := opinion.Train(ctx, ids, docs)
	if err != nil {
		return nil, err
	}
	return &scorer{m, quantify.New(categories, m.Prior(), m.HeldOut())}, nil
}

func (s *scorer) score(l labeledText) []float32 {
	return s.model.Score(&l.post, nil)
}

// errors adds the error of each method for some posts to sums.
func (s *scorer) errors(posts []quantify.Group, truth, sums []float64) {
	for i, m := range quantify.Methods {
		sums[i] += absoluteError(s.estimator.ByMethod(m, posts), truth)
	}
}
