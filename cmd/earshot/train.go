package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

// maxTrainDocuments is the maximum number of documents per request.
const maxTrainDocuments = 1000

func (p *program) trainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train ID --category NAME FILE...",
		Short: "Add training posts to a category of an OPINION monitor",
		Long: `Add the posts of files to a category of an OPINION monitor. Files contain JSON lines
or CSV with a header, and may be gzipped. - reads standard input. Posts have url,
contents, date, language and, optionally, title, author and type. A post replaces the
training post with the same url.

Each request of up to 1,000 posts is accepted or rejected as a whole. Sending a file
again is harmless.`,
		Args: cobra.MinimumNArgs(2),
	}
	var o trainOptions
	cmd.Flags().StringVar(&o.category, "category", "", "`name` or ID of the category")
	cmd.Flags().StringVar(&o.language, "language", "", "two-letter language `code` of posts without a language")
	cmd.Flags().StringVar(&o.date, "date", "", "`date` of posts without a date, YYYY-MM-DD")
	if err := cmd.MarkFlagRequired("category"); err != nil {
		panic(err) // the flag is defined above
	}
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		o.path = monitors.one(args[0], "training")
		return p.trainFiles(cmd.Context(), o, args[1:])
	})
	return cmd
}

// trainOptions apply to all files of a train command.
type trainOptions struct {
	path     string
	category string
	language string
	date     string
}

// A trainSummary counts the posts of a file.
type trainSummary struct {
	File         string `json:"file"`
	Added        int    `json:"added"`
	Replaced     int    `json:"replaced"`
	Category     string `json:"category"`
	TrainingDocs int    `json:"trainingDocs"` // of the category
}

func (p *program) trainFiles(ctx context.Context, o trainOptions, names []string) error {
	all := []*trainSummary{}
	var failed error
	for _, name := range names {
		t := &trainSummary{File: name}
		all = append(all, t)
		if err := p.trainFile(ctx, o, t); err != nil {
			failed = fmt.Errorf("train from %s: %w", name, err)
			break
		}
	}
	if p.json {
		return errors.Join(p.printJSON(all), failed)
	}
	for _, t := range all {
		fmt.Fprintf(p.out, "%s: %d added, %d replaced", clean(t.File), t.Added, t.Replaced)
		if t.Category != "" {
			fmt.Fprintf(p.out, "; %s has %d training posts", clean(t.Category), t.TrainingDocs)
		}
		fmt.Fprintln(p.out)
	}
	return failed
}

// trainFile sends one file in chunks within the server's limits.
func (p *program) trainFile(ctx context.Context, o trainOptions, t *trainSummary) error {
	return p.eachChunk(t.File, maxTrainDocuments, func(c *chunk) error {
		if len(c.invalid) > 0 {
			return fmt.Errorf("line %d: %s", c.invalid[0].Line, c.invalid[0].Message)
		}
		if len(c.lines) == 0 {
			return nil
		}
		return p.trainChunk(ctx, o, c, t)
	})
}

// trainChunk sends a chunk and adds the result to t.
func (p *program) trainChunk(ctx context.Context, o trainOptions, c *chunk, t *trainSummary) error {
	docs, err := c.elements()
	if err != nil {
		return err
	}
	for i := range docs {
		docs[i] = withField(docs[i], "language", o.language)
		docs[i] = withField(docs[i], "date", o.date)
	}
	response, err := p.client().Call(ctx, client.Request{
		Method: http.MethodPost, Path: o.path, Body: body{"category": o.category, "documents": docs},
	})
	if err != nil {
		return withLine(err, c.lines)
	}
	added := *t
	if err := json.Unmarshal(response, &added); err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	added.Added += t.Added
	added.Replaced += t.Replaced
	*t = added
	return nil
}

// document matches the server's name for a rejected document.
var document = regexp.MustCompile(`documents\[(\d+)\]`)

// withLine adds the line number of the document that an error names.
func withLine(err error, lines []int64) error {
	if found := document.FindStringSubmatch(err.Error()); found != nil {
		if i, wrong := strconv.Atoi(found[1]); wrong == nil && i < len(lines) {
			return fmt.Errorf("line %d: %w", lines[i], err)
		}
	}
	return err
}
