package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) authorCommand() *cobra.Command {
	return group("author", "Erase authors", p.authorEraseCommand())
}

func (p *program) authorEraseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "erase AUTHOR",
		Short: "Erase everything by an author and never store it again",
		Long: `Erase all posts by an author from all networks and content sources, from streams and
from the training posts of opinion monitors. Later posts by the author are not stored.
An erasure cannot be undone.

AUTHOR is a handle with or without @, a profile ID such as did:plc:…, or a name as it
appears in posts. Case does not matter.`,
		Args: cobra.ExactArgs(1),
	}
	network := cmd.Flags().String("network", "", "erase only posts on this `network`, such as Bluesky")
	dryRun := cmd.Flags().Bool("dry-run", false, "only show how many posts would be erased")
	yes := cmd.Flags().Bool("yes", false, "do not ask for confirmation")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		b := body{"author": args[0], "dryRun": true}
		if *network != "" {
			b["network"] = *network
		}
		if *dryRun || !*yes {
			found, raw, err := p.erase(cmd, b)
			switch {
			case err != nil:
				return err
			case *dryRun && p.json:
				return p.printJSON(raw)
			case *dryRun:
				return p.note("%s by %s would be erased", found, args[0])
			}
			sure, err := p.confirm(cmd.Context(), fmt.Sprintf("%s by %s will be erased, and the author's posts will never be stored again. Continue?", found, args[0]))
			if errors.Is(err, errNoTerminal) {
				return wrongUsage("%s by %s would be erased; add --yes to erase them", found, args[0])
			}
			if err != nil {
				return err
			}
			if !sure {
				return errors.New("nothing was erased")
			}
		}
		b["dryRun"] = false
		erased, raw, err := p.erase(cmd, b)
		switch {
		case err != nil:
			return err
		case p.json:
			return p.printJSON(raw)
		}
		return p.note("Erased %s by %s", erased, args[0])
	})
	return cmd
}

// erasedCounts counts what was erased.
type erasedCounts struct{ Posts, Training int64 }

func (c erasedCounts) String() string {
	text := count(c.Posts, "post")
	if c.Training > 0 {
		text += " and " + count(c.Training, "training post")
	}
	return text
}

// count returns a number with a noun, which is plural unless the number is 1.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (p *program) erase(cmd *cobra.Command, b body) (erased erasedCounts, raw json.RawMessage, err error) {
	raw, err = p.client().Call(cmd.Context(), client.Request{Method: http.MethodPost, Path: "/manage/v1/authors/erase", Body: b})
	if err != nil {
		return erased, nil, err
	}
	if err := json.Unmarshal(raw, &erased); err != nil {
		return erased, nil, fmt.Errorf("read response: %w", err)
	}
	return erased, raw, nil
}
