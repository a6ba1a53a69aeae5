package content

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/ingest/item"
	"earshot/internal/state/journal"
)

// Import stores the valid items and reports problems with the others. If into is nil, each item's
// Type names its network; otherwise all items belong to that content source. Stored items are in
// the journal, on disk, when Import returns.
func (s *Service) Import(ctx context.Context, items []item.Item, into *earshot.ContentSource) (accepted int, problems []Problem, err error) {
	posts := make([]earshot.Post, 0, len(items))
	names := s.customNames(into)
	for i := range items {
		p, problem := item.Check(&items[i], item.Record)
		if problem == "" {
			problem = setSource(&p, items[i].Type, into)
		}
		if problem == "" && into != nil {
			problem = names.add(p.Custom)
		}
		if problem != "" {
			problems = append(problems, Problem{Item: i, Message: problem})
			continue
		}
		posts = append(posts, p)
	}
	switch {
	case len(posts) == 0:
	case into != nil:
		err = s.write(ctx, posts)
	default:
		_, err = s.Journal.Append(ctx, journal.Entry{Posts: posts})
	}
	if err != nil {
		return 0, problems, err
	}
	return len(posts), problems, nil
}

// customNames is the set of custom field names of a content source.
type customNames map[string]bool

func (s *Service) customNames(into *earshot.ContentSource) customNames {
	names := customNames{}
	if into == nil {
		return names
	}
	if current, ok := s.Catalog.Sources.Find(into.ID); ok {
		into = current
	}
	for _, name := range into.CustomFields {
		names[name] = true
	}
	return names
}

// add adds the names of one post's fields. If there would be too many, it adds none and returns the
// problem.
func (n customNames) add(fields map[string]string) (problem string) {
	fresh := 0
	for name := range fields {
		if !n[name] {
			fresh++
		}
	}
	if len(n)+fresh > item.MaxFields {
		return item.Field("custom", fmt.Sprintf("would give the content source %d different fields, at most %d are allowed", len(n)+fresh, item.MaxFields))
	}
	for name := range fields {
		n[name] = true
	}
	return ""
}

func setSource(p *earshot.Post, typ string, into *earshot.ContentSource) (problem string) {
	if into != nil {
		p.Source, p.ContentSource, p.Team = earshot.Source(into.Name), into.ID, into.Team
		return ""
	}
	p.Source, problem = item.Network(typ)
	return problem
}
