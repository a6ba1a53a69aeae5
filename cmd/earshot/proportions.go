package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) proportionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "proportions ID",
		Short: "Show the daily proportions of a monitor or filter, with 95% intervals",
		Args:  cobra.ExactArgs(1),
	}
	start := cmd.Flags().String("start", "", "first `day`, YYYY-MM-DD (default: 30 days before the end)")
	end := cmd.Flags().String("end", "", "`day` after the last one (default: the end of results)")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		query := url.Values{}
		for name, day := range map[string]string{"start": *start, "end": *end} {
			if day != "" {
				query.Set(name, day)
			}
		}
		answer, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: monitors.one(args[0], "proportions"), Query: query})
		if err != nil {
			return err
		}
		return printAs(p, answer, "response", p.printProportions)
	})
	return cmd
}

// dayProportions contains the proportions of one day.
type dayProportions struct {
	Date       string
	Posts      int64
	Categories []struct {
		Category              string
		Hidden                bool
		Proportion, Low, High float64
	}
}

// printProportions prints a table with a row per day and a column per category. Days without posts
// have no proportions.
func (p *program) printProportions(a struct{ Days []dayProportions }) error {
	if len(a.Days) == 0 {
		return p.note("There are no results for these days")
	}
	return table(p.out, func(w io.Writer) error {
		header := []string{"DATE", "POSTS"}
		for _, c := range a.Days[0].Categories {
			name := clean(c.Category)
			if c.Hidden {
				name += " (hidden)"
			}
			header = append(header, name)
		}
		fmt.Fprintln(w, strings.Join(header, "\t"))
		for _, day := range a.Days {
			fmt.Fprintln(w, strings.Join(day.cells(), "\t"))
		}
		return nil
	})
}

func (d dayProportions) cells() []string {
	cells := []string{d.Date, fmt.Sprint(d.Posts)}
	for _, c := range d.Categories {
		cell := "-"
		if d.Posts > 0 {
			cell = fmt.Sprintf("%.2f (%.2f to %.2f)", c.Proportion, c.Low, c.High)
		}
		cells = append(cells, cell)
	}
	return cells
}
