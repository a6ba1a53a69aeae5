package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

const contractPath = "/manage/v1/contract"

func (p *program) contractCommand() *cobra.Command {
	return group("contract", "Show and change the limits of the installation", p.contractShowCommand(), p.contractEditCommand())
}

func (p *program) contractShowCommand() *cobra.Command {
	return p.command("show", "Show the contract", func(cmd *cobra.Command, _ []string) error {
		return p.callAndPrint(cmd, client.Request{Method: http.MethodGet, Path: contractPath})
	})
}

func (p *program) contractEditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Change the contract",
		Args:  cobra.NoArgs,
	}
	fields := []field{
		number("documents-per-day", "documentsPerDay", "maximum `number` of uploaded documents in 24 hours; 0 means no limit"),
		number("queries-per-year", "queriesPerYear", "maximum `number` of analysis queries per year; 0 means no limit"),
		text("period-start", "periodStart", "first `day` of the contract year, YYYY-MM-DD"),
	}
	addBodyFlags(cmd, fields)
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		change, err := p.readBody(cmd, fields)
		if err != nil {
			return err
		}
		if b, ok := change.(body); ok {
			if change, err = p.completeContract(cmd, b); err != nil {
				return err
			}
		}
		return p.callAndPrint(cmd, client.Request{Method: http.MethodPut, Path: contractPath, Body: change})
	})
	return cmd
}

// completeContract adds the fields of the current contract to a change, because the server replaces
// the whole contract.
func (p *program) completeContract(cmd *cobra.Command, change body) (body, error) {
	answer, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: contractPath})
	if err != nil {
		return nil, err
	}
	var today map[string]json.RawMessage
	if err := json.Unmarshal(answer, &today); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	whole := body{}
	for name, value := range today {
		whole[name] = value
	}
	maps.Copy(whole, change)
	return whole, nil
}
