package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// liveState is the part of a live source that describes what it is doing.
type liveState struct {
	Paused bool
	State  struct {
		Phase      string
		LagSeconds float64
		Until      time.Time
		Reason     string
		Since      time.Time
	}
}

// String returns the state in a few words.
func (s liveState) String() string {
	switch {
	case s.Paused:
		return "paused"
	case s.State.Phase == "catchingUp":
		return fmt.Sprintf("catching up, %s behind", (time.Duration(s.State.LagSeconds) * time.Second).Round(time.Second))
	case s.State.Phase == "backingOff":
		return "retrying at " + s.State.Until.Local().Format(time.TimeOnly)
	case s.State.Phase == "attention":
		return "needs attention"
	}
	return clean(s.State.Phase)
}

// shownSource is a live source as show prints it.
type shownSource struct {
	liveState
	ID            int64
	Name          string
	KindTitle     string
	TeamName      string
	Settings      map[string]string
	HasSecret     bool
	Keep          string
	RetentionDays int
	Created       time.Time
	Networks      []string
	Endpoint      string
	Counters      struct {
		Events, Posts, Deletions, Bytes, Reconnects int64
		Skipped                                     map[string]int64
		GapSeconds                                  float64
	}
	LastPost time.Time
	Gaps     []struct {
		From, To time.Time
		Reason   string
		Open     bool
	}
}

// maxShownGaps is the number of gaps that show prints; --json prints all.
const maxShownGaps = 5

// printSource prints a live source.
func (p *program) printSource(raw json.RawMessage) error {
	if p.json {
		return p.printJSON(raw)
	}
	var s shownSource
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("read the source: %w", err)
	}
	return table(p.out, func(w io.Writer) error {
		line := func(name, format string, args ...any) {
			fmt.Fprintf(w, "%s\t%s\n", name, clean(fmt.Sprintf(format, args...)))
		}
		line("id", "%d", s.ID)
		line("name", "%s", s.Name)
		line("kind", "%s", s.KindTitle)
		line("team", "%s", s.TeamName)
		s.printState(line)
		line("keep", "%s", map[string]string{"matched": "posts that match a monitor", "all": "all posts"}[s.Keep])
		if s.RetentionDays > 0 {
			line("retention", "%d days", s.RetentionDays)
		}
		if len(s.Networks) > 0 {
			line("networks", "%s", strings.Join(s.Networks, ", "))
		}
		if s.Endpoint != "" {
			line("endpoint", "%s", strings.TrimSuffix(p.server, "/")+s.Endpoint)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Settings)) {
			line("setting "+name, "%s", s.Settings[name])
		}
		if s.HasSecret {
			line("secret", "set")
		}
		s.printCounters(line)
		for i, g := range s.Gaps {
			if i == maxShownGaps {
				line("gap", "and %d more", len(s.Gaps)-i)
				break
			}
			to := g.To.UTC().Format(time.DateTime)
			if g.Open {
				to = "now"
			}
			line("gap", "%s to %s: %s", g.From.UTC().Format(time.DateTime), to, g.Reason)
		}
		line("created", "%s", s.Created.UTC().Format(time.DateTime))
		return nil
	})
}

func (s *shownSource) printState(line func(name, format string, args ...any)) {
	state := s.String()
	if !s.State.Since.IsZero() && !s.Paused {
		state += ", since " + s.State.Since.UTC().Format(time.DateTime)
	}
	line("state", "%s", state)
	if s.State.Reason != "" {
		line("reason", "%s", s.State.Reason)
	}
}

func (s *shownSource) printCounters(line func(name, format string, args ...any)) {
	c := s.Counters
	line("events", "%d", c.Events)
	line("posts", "%d", c.Posts)
	line("deletions", "%d", c.Deletions)
	for _, reason := range slices.Sorted(maps.Keys(c.Skipped)) {
		line("skipped", "%d: %s", c.Skipped[reason], reason)
	}
	line("bytes", "%d", c.Bytes)
	line("reconnects", "%d", c.Reconnects)
	if c.GapSeconds > 0 {
		line("gaps", "%s", (time.Duration(c.GapSeconds) * time.Second).String())
	}
	if !s.LastPost.IsZero() {
		line("last post", "%s", s.LastPost.UTC().Format(time.DateTime))
	}
}

// printSample prints the posts that a source would deliver.
func (p *program) printSample(raw json.RawMessage) error {
	if p.json {
		return p.printJSON(raw)
	}
	var sample struct {
		Posts []struct {
			Date                                 time.Time
			Source, Author, Title, Contents, URL string
		}
	}
	if err := json.Unmarshal(raw, &sample); err != nil {
		return fmt.Errorf("read the posts: %w", err)
	}
	if len(sample.Posts) == 0 {
		return p.note("The source responded, but had no posts to show. Nothing was stored.")
	}
	for _, post := range sample.Posts {
		text := post.Contents
		if post.Title != "" {
			text = post.Title + ": " + text
		}
		fmt.Fprintf(p.out, "%s  %s  %s\n  %s\n", post.Date.UTC().Format(time.DateTime), clean(post.Source), clean(post.Author), clean(clip(text, 300)))
		if post.URL != "" {
			fmt.Fprintf(p.out, "  %s\n", clean(post.URL))
		}
	}
	return p.note("Nothing was stored.")
}

// clip returns the first n characters of a text.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
