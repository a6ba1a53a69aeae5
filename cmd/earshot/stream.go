package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

var streams = resource{
	noun:    "stream",
	path:    "streams",
	by:      "team",
	creates: true,
	columns: []string{"id", "name", "team", "monitors"},
	fields: []field{
		text("name", "name", "name"),
		reference("team", "team", teams, "`name or ID` of the team; cannot be changed later"),
	},
}

func (p *program) streamCommand() *cobra.Command {
	return p.resourceCommand(streams, p.streamAddCommand(), p.streamRemoveCommand(), p.streamFollowCommand())
}

func (p *program) streamAddCommand() *cobra.Command {
	return p.command("add STREAM MONITOR", "Add a monitor to a stream, for posts ingested from now on", func(cmd *cobra.Command, args []string) error {
		return p.callAndPrint(cmd, client.Request{Method: http.MethodPut, Path: streams.one(args[0], "monitors", args[1])})
	})
}

func (p *program) streamRemoveCommand() *cobra.Command {
	return p.command("remove STREAM MONITOR", "Remove a monitor from a stream", func(cmd *cobra.Command, args []string) error {
		if _, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodDelete, Path: streams.one(args[0], "monitors", args[1])}); err != nil {
			return err
		}
		return p.note("Removed monitor %s from stream %s", args[1], args[0])
	})
}

func (p *program) streamFollowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "follow STREAM",
		Short: "Print posts of a stream as they arrive, one JSON object per line",
		Long: `Print posts of a stream as they arrive, one JSON object per line, until the command is
interrupted. It starts with the pending posts of the stream, and does not take them from
the queue. If the connection is lost, it reconnects and resumes.`,
		Args: cobra.ExactArgs(1),
	}
	cursor := cmd.Flags().String("cursor", "", "start at this `cursor`: an earlier X-Stream-Cursor, or end for new posts only")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		return p.follow(cmd.Context(), args[0], *cursor)
	})
	return cmd
}

// reconnectDelay is the wait before reconnecting after a lost connection.
const reconnectDelay = time.Second

// follow prints posts until ctx ends or the server rejects the request.
func (p *program) follow(ctx context.Context, id, cursor string) error {
	heard := false
	for {
		err := p.listen(ctx, id, &cursor, &heard)
		var refused *client.Error
		switch {
		case ctx.Err() != nil:
			return nil // interrupted by the user
		case !heard, errors.As(err, &refused) && !refused.Temporary():
			return err
		}
		fmt.Fprintln(p.err, "earshot: connection lost, reconnecting")
		if p.client().Pause(ctx, reconnectDelay) != nil {
			return nil
		}
	}
}

// listen prints posts until the connection ends. It moves cursor past each post, and sets received
// once it is connected.
func (p *program) listen(ctx context.Context, id string, cursor *string, received *bool) error {
	query := url.Values{}
	if *cursor != "" {
		query.Set("cursor", *cursor)
	}
	body, err := p.client().Download(ctx, client.Request{Method: http.MethodGet, Path: streams.one(id, "events"), Query: query})
	if err != nil {
		return err
	}
	defer body.Close()
	*received = true
	return readEvents(body, func(id, data string) error {
		*cursor = id
		if data == "" {
			return nil // only contains the start cursor
		}
		_, err := fmt.Fprintln(p.out, data)
		return err
	})
}

// readEvents calls post with the ID and data of each server-sent event. An event without data only
// sets the cursor.
func readEvents(r io.Reader, post func(id, data string) error) error {
	var id, data string
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "id":
			id = value
		case name == "data":
			data = value
		case strings.TrimSpace(line) == "" && id != "":
			if err := post(id, data); err != nil {
				return err
			}
			data = ""
		}
	}
}
