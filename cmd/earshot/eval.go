package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/model/eval"
)

func (p *program) evalCommand() *cobra.Command {
	var o eval.Options
	cmd := &cobra.Command{
		Use:   "eval TASK FILE",
		Short: "Evaluate a model on labeled texts",
		Long: `Evaluate one of Earshot's built-in models on a file of labeled texts, and print one
JSON object.

TASK is one of ` + strings.Join(eval.Tasks(), ", ") + `. FILE has tab-separated columns,
named in its first line, and may be gzipped; "-" reads standard input. The text is in the
column "text", the correct label in "label" (sentiment, place), "ekman" (emotion),
"language" or "gender". Predictions are limited to the labels in the file, except for
language and place: for other languages and for places with an empty label, the correct
prediction is none. Gender also reads the columns "name", "username" and "description".
The label "brand" counts only in its own metrics.`,
		Args: cobra.ExactArgs(2),
		RunE: p.action(func(_ *cobra.Command, args []string) error { return p.eval(args[0], args[1], o) }),
	}
	cmd.Flags().StringVar(&o.By, "by", "", "also evaluate each group of rows with the same value in `COLUMN`")
	return cmd
}

func (p *program) eval(task, file string, o eval.Options) error {
	from := p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		from = f
	}
	models, err := eval.Load()
	if err != nil {
		return err
	}
	result, err := eval.Run(task, models, from, o)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, string(text))
	return err
}
