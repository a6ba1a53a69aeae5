package main

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) trainingCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "training ID",
		Short: "List the training posts of an OPINION monitor",
		Args:  cobra.ExactArgs(1),
	}
	category := cmd.Flags().String("category", "", "list only training posts of this category (`name` or ID)")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		query := url.Values{}
		if *category != "" {
			query.Set("category", *category)
		}
		return p.printAll(cmd.Context(), p.client(), monitors.one(args[0], "training"), query, "id", "categoryName", "url", "title")
	})
	return cmd
}

func (p *program) untrainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "untrain ID POST...",
		Short: "Remove training posts by ID, as listed by the command training",
		Args:  cobra.MinimumNArgs(2),
		RunE: p.action(func(cmd *cobra.Command, args []string) error {
			for _, post := range args[1:] {
				r := client.Request{Method: http.MethodDelete, Path: monitors.one(args[0], "training", post)}
				if _, err := p.client().Call(cmd.Context(), r); err != nil {
					return err
				}
				if err := p.note("Removed training post %s", post); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}
