package main

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

const modelsPath = "/manage/v1/models"

func (p *program) modelsCommand() *cobra.Command {
	return group("models", "Show and apply the models that infer attributes of posts",
		&cobra.Command{
			Use:     "show",
			Aliases: []string{"status"},
			Short:   "Show the models, how many posts older ones labeled, and the progress of applying them to stored posts",
			Args:    cobra.NoArgs,
			RunE: p.action(func(cmd *cobra.Command, _ []string) error {
				return p.callAndPrint(cmd, client.Request{Method: http.MethodGet, Path: modelsPath})
			}),
		},
		p.refreshCommand(),
	)
}

func (p *program) refreshCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Apply the current models to stored posts, in the background",
		Args:  cobra.NoArgs,
	}
	all := cmd.Flags().Bool("all", false, "include posts that these models have already processed; use it after you change a custom model")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		query := url.Values{"all": {strconv.FormatBool(*all)}}
		return p.callAndPrint(cmd, client.Request{Method: http.MethodPost, Path: modelsPath + "/refresh", Query: query})
	})
	return cmd
}
