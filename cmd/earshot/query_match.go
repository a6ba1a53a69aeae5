package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"earshot/internal/ingest/item/record"
	"earshot/internal/query"
)

func (p *program) matchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "match",
		Short: "Test which posts queries match",
		Long: `Read JSON lines from standard input, each with a query and the fields of a post. The
names are those of an import or of the query language:

  {"query":"coffee AND country:DEU","contents":"Coffee!","country":"DEU"}

Prints a line for each: {"match":true,"error":null}. An invalid line or query is
reported as the error of its own line only.`,
		Args: cobra.NoArgs,
		RunE: p.action(func(cmd *cobra.Command, _ []string) error {
			return untilStopped(cmd.Context(), p.matchLines)
		}),
	}
}

// maxMatchBytes limits an input line: the longest query, escaped, and a long post.
const maxMatchBytes = 16 << 20

// matchLines matches the lines of standard input in order.
func (p *program) matchLines() error {
	out := bufio.NewWriter(p.out)
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	in := bufio.NewReaderSize(flushingReader{p.in, out}, 64<<10)
	var m lineMatcher
	for {
		line, err := record.ReadLine(in, maxMatchBytes)
		var bad *record.Bad
		switch {
		case errors.Is(err, io.EOF):
			return out.Flush()
		case err != nil && !errors.As(err, &bad):
			return errors.Join(err, out.Flush())
		}
		answer := matchResult{}
		if err == nil {
			answer.Match, err = m.match(line)
		}
		if err != nil {
			message := err.Error()
			answer.Error = &message
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

type matchResult struct {
	Match bool    `json:"match"`
	Error *string `json:"error"`
}

// A flushingReader flushes the output before it waits for more input, so a client that sends one
// line at a time receives each result.
type flushingReader struct {
	from io.Reader
	out  *bufio.Writer
}

func (r flushingReader) Read(b []byte) (int, error) {
	if err := r.out.Flush(); err != nil {
		return 0, err
	}
	return r.from.Read(b)
}

// A lineMatcher matches one line after another. It reuses the compiled query, because consecutive
// lines often have the same one.
type lineMatcher struct {
	text  string // of the compiled query
	query *query.Query
	err   error
	doc   query.Document
}

func (m *lineMatcher) match(line []byte) (bool, error) {
	text, post, err := readQueryLine(line)
	if err != nil {
		return false, err
	}
	if first := m.query == nil && m.err == nil; first || text != m.text {
		m.text = text
		m.query, m.err = query.Parse(text)
	}
	if m.err != nil {
		return false, m.err
	}
	m.doc.Reset(post)
	return m.query.Match(&m.doc), nil
}
