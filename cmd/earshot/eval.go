package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/model/eval"
	"earshot/internal/model/secondlook"
)

// An evaluation is a command line of earshot eval.
type evaluation struct {
	task   string
	files  []string
	domain string
	fit    string // file to fit thresholds on, or ""
	rows   string // file to write the rows to, "-" for standard output, or ""
	look   bool   // whether the second look infers sentiment and emotion
	eval.Options
}

func (p *program) evalCommand() *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "eval TASK FILE...",
		Short: "Evaluate a model on labeled texts",
		Long: `Evaluate one of Earshot's built-in models on files of labeled texts, with 95% confidence
intervals. For one file, the command prints a JSON object; for several, a table with a line
for each, or a JSON array with --json.

TASK is one of ` + strings.Join(eval.Tasks(), ", ") + `. FILE has tab-separated columns,
named in its first line, and may be gzipped; "-" reads standard input. The text is in the
column "text", the correct label in "label" (sentiment, place), "ekman" (emotion; several
are separated by commas), "language" or "gender". Predictions are limited to the labels in
the file, except for language and place: for other languages and for places with an empty
label, the correct prediction is none. Places may have the columns "country" and "state"
instead of "label"; then only these are compared, and a state may have its name or its code.
Gender also reads the columns "name", "username" and "description". The label "brand" counts only in its own metrics. A column "language" states
the language of a text, and a column "domain" whether it is ` + strings.Join(eval.Domains(), ", ") + `.

--by groups rows by columns, such as --by language,source. Without a column "source", the
source is the value of "origin" or the start of "id", such as "moz" in "moz-123".

--fit chooses the thresholds of multi-label predictions on another file of labeled texts.

--rows writes each row with its prediction as tab-separated values: file, row, id, gold,
prediction, confidence, correct, and the score of each class. With --rows -, the rows go to
standard output and the results to standard error.`,
		Args: cobra.MinimumNArgs(2),
		RunE: p.action(func(_ *cobra.Command, args []string) error {
			e.task, e.files = args[0], args[1:]
			return p.eval(e)
		}),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&e.By, "by", nil, "also evaluate each group of rows with the same values in `COLUMN[,COLUMN]`")
	flags.StringVar(&e.domain, "domain", "social", "`domain` of texts that state none: "+strings.Join(eval.Domains(), ", "))
	flags.StringVar(&e.fit, "fit", "", "fit multi-label thresholds on `FILE` of training data")
	flags.BoolVar(&e.look, "second-look", false, "evaluate the network of second looks, for sentiment and emotion of English texts; takes thousands of times as long")
	flags.StringVar(&e.rows, "rows", "", "write each row with its prediction to `FILE`, or - for standard output")
	return cmd
}

// A fileResult is the result for one of several files.
type fileResult struct {
	File string `json:"file"`
	eval.Result
}

func (p *program) eval(e evaluation) (err error) {
	if e.Domain, err = eval.ParseDomain(e.domain); err != nil {
		return wrongUsage("%v", err)
	}
	models, err := eval.Load()
	if err != nil {
		return err
	}
	if e.look {
		if models.SecondLook, err = secondlook.New(); err != nil {
			return err
		}
	}
	if e.fit != "" {
		err = p.withInput(e.fit, func(from io.Reader) (err error) {
			e.Thresholds, err = eval.FitThresholds(e.task, models, from, e.Options)
			return err
		})
		if err != nil {
			return err
		}
	}
	printer := *p
	switch e.rows {
	case "":
	case "-":
		e.Rows, printer.out = eval.NewRowWriter(p.out), p.err
	default:
		f, err := os.Create(e.rows)
		if err != nil {
			return err
		}
		defer f.Close()
		e.Rows = eval.NewRowWriter(f)
	}
	results := make([]fileResult, len(e.files))
	for i, file := range e.files {
		results[i].File = file
		if e.Rows != nil {
			e.Rows.File = file
		}
		err = p.withInput(file, func(from io.Reader) (err error) {
			results[i].Result, err = eval.Run(e.task, models, from, e.Options)
			return err
		})
		if err != nil {
			return err
		}
	}
	switch {
	case len(results) == 1:
		return printer.printJSON(results[0].Result)
	case p.json:
		return printer.printJSON(results)
	}
	return printer.printEvaluations(results)
}

// withInput calls do with a file, or with standard input for "-". Errors name the file.
func (p *program) withInput(file string, do func(io.Reader) error) error {
	from := p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		from = f
	}
	if err := do(from); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// printEvaluations prints a table with a line for each file and group, and the means over files.
func (p *program) printEvaluations(results []fileResult) error {
	return table(p.out, func(w io.Writer) error {
		fmt.Fprintln(w, "FILE\tGROUP\tROWS\tACCURACY\tMACRO RECALL\tMACRO F1\tCALIBRATION ERROR")
		line := func(file, group string, r eval.Result) {
			calibration := "-"
			if r.CalibrationError != nil {
				calibration = withInterval(*r.CalibrationError, *r.CalibrationErrorInterval)
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", clean(file), cmp.Or(clean(group), "-"), r.Rows,
				withInterval(r.Accuracy, r.AccuracyInterval), withInterval(r.MacroRecall, r.MacroRecallInterval),
				withInterval(r.MacroF1, r.MacroF1Interval), calibration)
		}
		var mean eval.Result
		n := float64(len(results))
		for _, r := range results {
			line(r.File, "all", r.Result)
			for _, group := range slices.Sorted(maps.Keys(r.Groups)) {
				line(r.File, group, r.Groups[group])
			}
			mean.Rows += r.Rows
			mean.Accuracy += r.Accuracy / n
			mean.MacroRecall += r.MacroRecall / n
			mean.MacroF1 += r.MacroF1 / n
		}
		_, err := fmt.Fprintf(w, "mean\tall\t%d\t%.3f\t%.3f\t%.3f\t\n", mean.Rows, mean.Accuracy, mean.MacroRecall, mean.MacroF1)
		return err
	})
}

// withInterval formats a metric such as "0.703 (0.684–0.722)".
func withInterval(x float64, i eval.Interval) string {
	return fmt.Sprintf("%.3f (%.3f–%.3f)", x, i[0], i[1])
}
