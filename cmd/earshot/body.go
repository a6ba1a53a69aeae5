package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

// addBodyFlags defines the flags of a command that sends a body.
func addBodyFlags(cmd *cobra.Command, fields []field) {
	cmd.Flags().SortFlags = false
	defineAll(cmd.Flags(), fields)
	cmd.Flags().String("from", "", "send the JSON in this `file` instead of flags; - reads standard input")
}

// sendBody sends the body given by the flags or the file, and prints the object in the response.
func (p *program) sendBody(cmd *cobra.Command, r resource, request client.Request) (err error) {
	if request.Body, err = p.readBody(cmd, r.fields); err != nil {
		return err
	}
	return p.callAndShow(cmd, r, request)
}

// readBody returns a body built from the flags, or the file as a json.RawMessage.
func (p *program) readBody(cmd *cobra.Command, fields []field) (any, error) {
	b, err := fillAll(cmd.Flags(), fields)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if f.resolve != nil {
			if err := f.resolve(cmd.Context(), p.client(), b); err != nil {
				return nil, err
			}
		}
	}
	file := cmd.Flag("from").Value.String()
	switch {
	case file != "" && len(b) > 0:
		return nil, wrongUsage("--from sends the file unchanged: it cannot be combined with other fields")
	case file != "":
		return p.readJSON(file)
	case len(b) == 0:
		return nil, wrongUsage("nothing to send: set at least one field, or use --from FILE")
	}
	return b, nil
}

func (p *program) callAndPrint(cmd *cobra.Command, r client.Request) error {
	return p.callAndShow(cmd, resource{}, r)
}

// maxBodyBytes limits the size of the file given with --from.
const maxBodyBytes = 16 << 20

// readJSON reads a file that is sent unchanged. It validates the file, because an error that names
// the file is more helpful than one from the server.
func (p *program) readJSON(name string) (json.RawMessage, error) {
	in := p.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxBodyBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxBodyBytes:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxBodyBytes)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", name, err)
	}
	return data, nil
}
