package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/report"
	"earshot/internal/workspace/postview"
)

// Corrections has the corrections of monitors.
type Corrections interface {
	// List returns the corrections of a monitor, ordered by ID.
	List(m *earshot.Monitor) []*earshot.Correction

	// Stored returns the posts of some corrections as the models see them, unless the monitor no longer
	// has them.
	Stored(ctx context.Context, m *earshot.Monitor, list []*earshot.Correction) (map[earshot.PostKey]*earshot.Post, error)
}

// An example is a corrected post for training a model: its text, what people say about it, and what
// the model said. Labels that are not corrected are left out.
type example struct {
	Text      string         `json:"text"`
	Language  string         `json:"language,omitempty"`
	Source    earshot.Source `json:"source"`
	URL       string         `json:"url,omitempty"`
	Date      *time.Time     `json:"date,omitempty"`
	Labels    exampleLabels  `json:"labels"`
	Model     exampleLabels  `json:"model"`
	Corrected time.Time      `json:"corrected"`
}

// exampleLabels are the labels of an [example].
type exampleLabels struct {
	Sentiment string `json:"sentiment,omitempty"`
	Emotion   string `json:"emotion,omitempty"`
	Category  string `json:"category,omitempty"`
}

// exampleColumns are the columns of examples as CSV.
var exampleColumns = []report.Column{
	{Name: "text"}, {Name: "language"}, {Name: "source"}, {Name: "url"}, {Name: "date"}, {Name: "sentiment"}, {Name: "modelSentiment"},
	{Name: "emotion"}, {Name: "modelEmotion"}, {Name: "category"}, {Name: "modelCategory"}, {Name: "corrected"},
}

// cells returns the example as a row of a table.
func (x *example) cells() []any {
	var date any
	if x.Date != nil {
		date = *x.Date
	}
	return []any{
		x.Text, x.Language, string(x.Source), x.URL, date, x.Labels.Sentiment, x.Model.Sentiment,
		x.Labels.Emotion, x.Model.Emotion, x.Labels.Category, x.Model.Category, x.Corrected,
	}
}

// exampleBatch is the number of posts that are read together.
const exampleBatch = 200

// Corrected returns a file with the corrected posts of a monitor. The format is csv or jsonl; empty means
// csv.
func (s *Service) Corrected(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, format string) (report.File, error) {
	e := &correctionExport{audit: audit{service: s, caller: c, monitor: m}}
	err := s.Insight.WithCategorization(ctx, m, func(c insight.Categorization) error {
		e.render = s.Views.NewRenderer(postview.Options{Monitor: m, Categorization: c, AsInferred: true})
		return nil
	})
	if err != nil {
		return report.File{}, err
	}
	extension := strings.ToLower(cmp.Or(format, "csv"))
	file := report.File{Name: fmt.Sprintf("monitor-%d-corrections.%s", m.ID, extension)}
	switch extension {
	case "csv":
		file.Type, file.Write = csvType, e.writeCSV
	case "jsonl":
		file.Type, file.Write = jsonType, e.writeJSON
	default:
		return report.File{}, earshot.InvalidParameter("format", format, "csv or jsonl")
	}
	return file, nil
}

// A correctionExport is a file with the corrected posts of a monitor.
type correctionExport struct {
	audit
	render *postview.Renderer
}

func (e *correctionExport) writeCSV(ctx context.Context, w io.Writer) error {
	t, err := newCSV(w, exampleColumns)
	if err != nil {
		return err
	}
	if err := e.each(ctx, func(x *example) error { return t.Row(x.cells()...) }); err != nil {
		return err
	}
	return t.Close()
}

func (e *correctionExport) writeJSON(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriter(w)
	out := json.NewEncoder(buffered)
	out.SetEscapeHTML(false) // texts contain ampersands
	if err := e.each(ctx, func(x *example) error { return out.Encode(x) }); err != nil {
		return err
	}
	return buffered.Flush()
}

// each calls visit with the corrected posts, in the order in which they were first corrected.
func (e *correctionExport) each(ctx context.Context, visit func(*example) error) error {
	for batch := range slices.Chunk(e.service.Corrections.List(e.monitor), exampleBatch) {
		stored, err := e.service.Corrections.Stored(ctx, e.monitor, batch)
		if err != nil {
			return err
		}
		for _, c := range batch {
			p := stored[c.Post]
			if p == nil {
				continue
			}
			if err := e.record(ctx, p); err != nil {
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
func (e *correctionExport) example(c *earshot.Correction, p *earshot.Post) *example {
	shown := postview.NewCorrection(e.monitor, c)
	x := &example{Labels: exampleLabels{shown.Sentiment, shown.Emotion, shown.CategoryName}, Corrected: c.Time}
	if c.Sentiment != 0 {
		x.Model.Sentiment = earshot.SentimentName(p.Sentiment.Assigned())
	}
	if c.Emotion != 0 {
		x.Model.Emotion = earshot.EmotionName(p.Emotion.Assigned())
	}
	if c.Category != 0 {
		x.Model.Category, _ = e.render.Assigned(p)
	}
	e.service.Views.Redact(p)
	x.Text, x.Language, x.Source, x.URL = strings.TrimSpace(p.Title+"\n"+p.Contents), p.Language, p.Source, p.URL
	if !p.Time.IsZero() {
		at := p.Time.UTC()
		x.Date = &at
	}
	return x
}
