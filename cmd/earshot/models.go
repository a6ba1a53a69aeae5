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
	return group("models", "The models that see posts",
		&cobra.Command{
			Use:   "show",
			Short: "Show their versions, and how far stored posts are with them",
			Args:  cobra.NoArgs,
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
		Short: "Have stored posts seen by the models of this version, in the background",
		Args:  cobra.NoArgs,
	}
	all := cmd.Flags().Bool("all", false, "also posts that they have seen: after changing own models")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		query := url.Values{"all": {strconv.FormatBool(*all)}}
		return p.callAndPrint(cmd, client.Request{Method: http.MethodPost, Path: modelsPath + "/refresh", Query: query})
	})
	return cmd
}
