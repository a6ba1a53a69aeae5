package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) modelCommand() *cobra.Command {
	return p.command("model ID", "Show the model of an OPINION monitor, its accuracy and advice", func(cmd *cobra.Command, args []string) error {
		answer, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: monitors.one(args[0], "model")})
		if err != nil {
			return err
		}
		return printAs(p, answer, "response", func(m modelResponse) error { return m.print(p.out) })
	})
}

// A modelResponse contains the printed part of the server's response about a model.
type modelResponse struct {
	State         string
	Missing       string
	TrainingPosts int
	Changed       bool
	TrainedAt     string
	Report        *struct {
		TrainingPosts     int
		Accuracy, MacroF1 float64
		Categories        []struct {
			Category              string
			TrainingPosts         int
			Precision, Recall, F1 float64
			Terms                 []struct{ Text string }
		}
		Confusion []struct {
			Category  string
			Predicted []int
		}
		Disagreements []struct {
			ID, URL, Category, Predicted string
			Share                        float64
		}
	}
	Advice []string
}

// Limits that make the output fit on a screen; --json prints everything.
const (
	maxTerms         = 8
	maxDisagreements = 10
)

func (m *modelResponse) print(out io.Writer) error {
	parts := []func(io.Writer) error{m.head}
	if m.Report != nil && len(m.Report.Categories) > 0 {
		parts = append(parts, m.categories, m.confusion)
	}
	if m.Report != nil && len(m.Report.Disagreements) > 0 {
		parts = append(parts, m.disagreements)
	}
	for i, part := range parts {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := table(out, part); err != nil {
			return err
		}
	}
	if len(m.Advice) > 0 {
		fmt.Fprintln(out)
	}
	for _, sentence := range m.Advice {
		fmt.Fprintf(out, "- %s\n", clean(sentence))
	}
	return nil
}

func (m *modelResponse) head(w io.Writer) error {
	fmt.Fprintf(w, "state\t%s\n", m.State)
	if m.Missing != "" {
		fmt.Fprintf(w, "missing\t%s\n", clean(m.Missing))
	}
	posts := fmt.Sprint(m.TrainingPosts)
	if m.Changed && m.Report != nil {
		posts += ", changed since the model was trained"
	}
	fmt.Fprintf(w, "training posts\t%s\n", posts)
	if r := m.Report; r != nil {
		fmt.Fprintf(w, "trained\t%s, from %d training posts\n", m.TrainedAt, r.TrainingPosts)
		fmt.Fprintf(w, "accuracy\t%.2f, mean F1 %.2f\n", r.Accuracy, r.MacroF1)
	}
	return nil
}

func (m *modelResponse) categories(w io.Writer) error {
	fmt.Fprintln(w, "CATEGORY\tTRAINING\tPRECISION\tRECALL\tF1\tTOP TERMS")
	for _, c := range m.Report.Categories {
		var terms []string
		for _, t := range c.Terms[:min(len(c.Terms), maxTerms)] {
			terms = append(terms, clean(t.Text))
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%.2f\t%.2f\t%s\n", clean(c.Category), c.TrainingPosts, c.Precision, c.Recall, c.F1, strings.Join(terms, ", "))
	}
	return nil
}

func (m *modelResponse) confusion(w io.Writer) error {
	header := []string{"LABEL \\ PREDICTED"}
	for _, c := range m.Report.Confusion {
		header = append(header, clean(c.Category))
	}
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, c := range m.Report.Confusion {
		row := []string{clean(c.Category)}
		for _, n := range c.Predicted {
			row = append(row, fmt.Sprint(n))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return nil
}

func (m *modelResponse) disagreements(w io.Writer) error {
	fmt.Fprintln(w, "TRAINING POST\tLABEL\tPREDICTED\tSHARE\tURL")
	for _, d := range m.Report.Disagreements[:min(len(m.Report.Disagreements), maxDisagreements)] {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s\n", clean(d.ID), clean(d.Category), clean(d.Predicted), d.Share, clean(d.URL))
	}
	return nil
}
