package manage

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/workspace/postview"
)

// A trainingExample is a corrected post for training a model: its text, what people say about it, and
// what the model said. Labels that are not corrected are left out.
type trainingExample struct {
	Text      string         `json:"text"`
	Language  string         `json:"language,omitempty"`
	Source    earshot.Source `json:"source"`
	URL       string         `json:"url,omitempty"`
	Date      *time.Time     `json:"date,omitempty"`
	Labels    exampleLabels  `json:"labels"`
	Model     exampleLabels  `json:"model"`
	Corrected time.Time      `json:"corrected"`
}

// exampleLabels are the labels of a [trainingExample].
type exampleLabels struct {
	Sentiment string `json:"sentiment,omitempty"`
	Emotion   string `json:"emotion,omitempty"`
	Category  string `json:"category,omitempty"`
}

// exampleColumns are the columns of examples as CSV.
var exampleColumns = []string{
	"text", "language", "source", "url", "date", "sentiment", "modelSentiment", "emotion", "modelEmotion", "category", "modelCategory", "corrected",
}

// row returns the example as a row of a table.
func (x *trainingExample) row() []string {
	date := ""
	if x.Date != nil {
		date = x.Date.Format(time.RFC3339)
	}
	return []string{
		escapeFormula(x.Text), x.Language, escapeFormula(string(x.Source)), escapeFormula(x.URL), date,
		x.Labels.Sentiment, x.Model.Sentiment, x.Labels.Emotion, x.Model.Emotion, escapeFormula(x.Labels.Category), escapeFormula(x.Model.Category),
		x.Corrected.Format(time.RFC3339),
	}
}

// exampleBatch is the number of posts that are read together.
const exampleBatch = 200

// exportCorrections serves GET /manage/v1/monitors/{id}/corrections/export.
func (a *API) exportCorrections(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Format string `query:"format"` // csv (default) or jsonl
	Method string `request:"method"`
}) (rest.Download, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	e := &correctionExport{export: export{api: a, caller: c, monitor: m}}
	err = a.Insight.WithCategorization(ctx, m, func(c insight.Categorization) error {
		e.categorization = c
		return nil
	})
	if err != nil {
		return rest.Download{}, err
	}
	e.render = a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: e.categorization, AsInferred: true})
	file := rest.Download{Export: true, Name: fmt.Sprintf("monitor-%d-corrections.", m.ID)}
	write := e.writeCSV
	switch format := strings.ToLower(cmp.Or(p.Format, "csv")); format {
	case "csv":
		file.Type = "text/csv; charset=utf-8"
		file.Name += format
	case "jsonl":
		file.Type, write = "application/x-ndjson", e.writeJSON
		file.Name += format
	default:
		return rest.Download{}, earshot.InvalidParameter("format", p.Format, "csv or jsonl")
	}
	file.Write = func(ctx context.Context, w io.Writer) error {
		if p.Method == "HEAD" {
			return nil // no posts are exported
		}
		return write(ctx, w)
	}
	return file, nil
}

// A correctionExport is a file with the corrected posts of a monitor.
type correctionExport struct {
	export
	render *postview.Renderer
}

func (e *correctionExport) writeCSV(ctx context.Context, w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(exampleColumns); err != nil {
		return err
	}
	if err := e.each(ctx, func(x *trainingExample) error { return out.Write(x.row()) }); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func (e *correctionExport) writeJSON(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriter(w)
	out := json.NewEncoder(buffered)
	out.SetEscapeHTML(false) // texts contain ampersands
	if err := e.each(ctx, func(x *trainingExample) error { return out.Encode(x) }); err != nil {
		return err
	}
	return buffered.Flush()
}

// each calls visit with the corrected posts, in the order in which they were first corrected.
func (e *correctionExport) each(ctx context.Context, visit func(*trainingExample) error) error {
	for batch := range slices.Chunk(e.api.Corrections.List(e.monitor), exampleBatch) {
		stored, err := e.api.Corrections.Stored(ctx, e.monitor, batch)
		if err != nil {
			return err
		}
		for _, c := range batch {
			p := stored[c.Post]
			if p == nil {
				continue
			}
			if err := e.audit(ctx, p); err != nil {
				return err
			}
			if err := visit(e.example(c, p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// example returns the example of a post, which it redacts. Only labels that are corrected are shown
// with what the model said.
func (e *correctionExport) example(c *earshot.Correction, p *earshot.Post) *trainingExample {
	shown := postview.NewCorrection(e.monitor, c)
	x := &trainingExample{Labels: exampleLabels{shown.Sentiment, shown.Emotion, shown.CategoryName}, Corrected: c.Time}
	if c.Sentiment != 0 {
		x.Model.Sentiment = earshot.SentimentName(p.Sentiment.Assigned())
	}
	if c.Emotion != 0 {
		x.Model.Emotion = earshot.EmotionName(p.Emotion.Assigned())
	}
	if c.Category != 0 {
		x.Model.Category, _ = e.render.Assigned(p)
	}
	e.api.Posts.Redact(p)
	x.Text, x.Language, x.Source, x.URL = strings.TrimSpace(p.Title+"\n"+p.Contents), p.Language, p.Source, p.URL
	if !p.Time.IsZero() {
		at := p.Time.UTC()
		x.Date = &at
	}
	return x
}
