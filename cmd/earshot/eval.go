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
		Short: "Measure a model on labelled texts",
		Long: `Measures one of the models that are part of Earshot on a file of labelled texts,
and prints one JSON object.

TASK is ` + strings.Join(eval.Tasks(), ", ") + `. FILE has tab-separated columns,
named in its first line, and may be packed with gzip; "-" is standard input. The text is in
the column "text" and what is right in "label" (sentiment, place), "ekman" (emotion),
"language" or "gender". Answers are restricted to the labels that the file has, except for
languages and places, which may have none: other languages, and an empty label of a place,
are right when nothing is assigned. Gender also reads the columns "name", "username" and
"description", and leaves the label "brand" out of all figures but its own.`,
		Args: cobra.ExactArgs(2),
		RunE: p.action(func(_ *cobra.Command, args []string) error { return p.eval(args[0], args[1], o) }),
	}
	cmd.Flags().StringVar(&o.By, "by", "", "also measure each group of rows with the same value in `COLUMN`")
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
