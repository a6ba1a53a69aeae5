package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) labelCommand() *cobra.Command {
	cmd := p.command("label MONITOR", "Label random posts of a monitor, which calibrates its shares", func(cmd *cobra.Command, args []string) error {
		return p.showLabels(cmd, client.Request{Method: http.MethodGet, Path: monitors.one(args[0], "labels")})
	})
	cmd.Long = `Show how many posts of a monitor's random samples are labeled, and the shares with
their 95% intervals. Labels calibrate the shares of sentiments, emotions and categories.`
	cmd.Example = `  earshot label draw 2147483652 --posts 50
  earshot label next 2147483652 --limit 1
  earshot label set 2147483652 MC9OZXdzL24x negative --emotion anger
  earshot label 2147483652`
	cmd.AddCommand(p.labelDrawCommand(), p.labelNextCommand(), p.labelSetCommand(), p.labelRemoveCommand())
	return cmd
}

func (p *program) labelDrawCommand() *cobra.Command {
	fields := []field{
		number("posts", "posts", "`number` of posts, at most 200 (default 50)"),
		text("start", "start", "first `day`, YYYY-MM-DD (default: the last 30 days with results)"),
		text("end", "end", "`day` after the last one"),
	}
	cmd := p.command("draw MONITOR", "Draw a random sample of the posts of a monitor", func(cmd *cobra.Command, args []string) error {
		b, err := fillAll(cmd.Flags(), fields)
		if err != nil {
			return err
		}
		return p.showLabels(cmd, client.Request{Method: http.MethodPost, Path: monitors.one(args[0], "samples"), Body: b})
	})
	defineAll(cmd.Flags(), fields)
	return cmd
}

func (p *program) labelNextCommand() *cobra.Command {
	cmd := p.command("next MONITOR", "List posts of the samples that you have not labeled", func(cmd *cobra.Command, args []string) error {
		query := url.Values{}
		if err := p.setQuery(cmd, query, "limit"); err != nil {
			return err
		}
		answer, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: monitors.one(args[0], "labels", "next"), Query: query})
		if err != nil {
			return err
		}
		return printAs(p, answer, "posts", func(next struct {
			Remaining int
			Items     []json.RawMessage
		}) error {
			if err := p.printList([]string{"key", "date", "title", "contents"}, next.Items); err != nil {
				return err
			}
			return p.note("%d of %d posts that you have not labeled", len(next.Items), next.Remaining)
		})
	})
	cmd.Flags().Int("limit", 0, "maximum `number` of posts")
	return cmd
}

func (p *program) labelSetCommand() *cobra.Command {
	emotion := ""
	cmd := p.command("set MONITOR POST SENTIMENT|CATEGORY", "Label a post of a sample", func(cmd *cobra.Command, args []string) error {
		b := body{}
		switch said := strings.ToLower(args[2]); {
		case slices.Contains([]string{"positive", "neutral", "negative"}, said):
			b.set("sentiment", said)
		case said != "-":
			b.set("category", args[2])
		}
		if emotion != "" {
			b.set("emotion", emotion)
		}
		return p.showLabels(cmd, client.Request{Method: http.MethodPut, Path: monitors.one(args[0], "posts", args[1], "label"), Body: b})
	})
	cmd.Long = `Label a post of a sample, and replace your earlier label of the post.

POST is a key, as listed by the command next. SENTIMENT is positive, neutral or
negative. Posts of an OPINION monitor have a CATEGORY instead, by name or ID.
Give - if you cannot tell.`
	cmd.Flags().StringVar(&emotion, "emotion", "", "joy, sadness, neutral, disgust, anger, surprise or fear")
	return cmd
}

func (p *program) labelRemoveCommand() *cobra.Command {
	return p.command("remove MONITOR POST", "Take your label of a post back", func(cmd *cobra.Command, args []string) error {
		return p.showLabels(cmd, client.Request{Method: http.MethodDelete, Path: monitors.one(args[0], "posts", args[1], "label")})
	})
}

// showLabels sends a request and prints the state of the samples in the response.
func (p *program) showLabels(cmd *cobra.Command, request client.Request) error {
	answer, err := p.client().Call(cmd.Context(), request)
	if err != nil {
		return err
	}
	return printAs(p, answer, "response", p.printLabels)
}

type labeledShare struct {
	Name             string
	Share, Low, High float64
}

func (p *program) printLabels(a struct {
	Samples                   []struct{}
	Posts, Labeled, Remaining int
	People                    []struct {
		Name            string
		Labels, Skipped int
	}
	Compared, Agreed, Labels int
	Start, End               string
	Categories, Emotions     []labeledShare
	Advice                   []string
}) error {
	err := table(p.out, func(w io.Writer) error {
		fmt.Fprintf(w, "samples\t%d\nposts\t%d\nlabeled\t%d\nremaining\t%d\n", len(a.Samples), a.Posts, a.Labeled, a.Remaining)
		for _, person := range a.People {
			fmt.Fprintf(w, "by %s\t%d, could not tell %d\n", clean(person.Name), person.Labels, person.Skipped)
		}
		if a.Compared > 0 {
			fmt.Fprintf(w, "agreement\t%d of %d\n", a.Agreed, a.Compared)
		}
		fmt.Fprintf(w, "days\t%s to %s\ncalibrated\t%d labels\n", a.Start, a.End, a.Labels)
		for _, s := range slices.Concat(a.Categories, a.Emotions) {
			fmt.Fprintf(w, "%s\t%.2f (%.2f to %.2f)\n", clean(s.Name), s.Share, s.Low, s.High)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, sentence := range a.Advice {
		if err := p.note("%s", sentence); err != nil {
			return err
		}
	}
	return nil
}
