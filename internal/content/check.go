package content

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/ingest/item"
)

// uniqueDocuments maps the keys of a request's valid documents so far to their indexes in the
// request.
type uniqueDocuments map[earshot.PostKey]int

// check converts item i of a request to a post of a content source, or says what is wrong with it.
func (d uniqueDocuments) check(i int, it *item.Item, src *earshot.ContentSource) (p earshot.Post, problem string) {
	if p, problem = item.Check(it, item.Upload); problem != "" {
		return p, problem
	}
	p.Source, p.ContentSource, p.Team = earshot.Source(src.Name), src.ID, src.Team
	if first, twice := d[p.Key()]; twice {
		return p, item.Field("guid", fmt.Sprintf("'%s' is there twice, also in items[%d]", item.Clip(p.GUID), first))
	}
	d[p.Key()] = i
	return p, ""
}

// Check validates items as [Service.Upload] does, without storing them. If it finds no problems,
// Upload accepts the items unless a limit of the contract or the content source prevents it. Check
// skips nil items.
func (s *Service) Check(c *earshot.Caller, source earshot.ContentSourceID, items []*item.Item) ([]Problem, error) {
	if err := checkItemCount(len(items)); err != nil {
		return nil, err
	}
	src, err := s.FindSource(c, source)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	seen, names := make(uniqueDocuments, len(items)), s.customNames(src)
	for i, it := range items {
		if it == nil {
			continue
		}
		p, problem := seen.check(i, it, src)
		if problem == "" {
			problem = names.add(p.Custom)
		}
		if problem != "" {
			problems = append(problems, Problem{Item: i, Message: problem})
		}
	}
	return problems, nil
}

// Usage is the number of documents uploaded in the last 24 hours and the contracted maximum.
type Usage struct {
	Used       int64
	Contracted int64 // 0: no limit
}

// Usage returns the current usage of the contract.
func (s *Service) Usage(ctx context.Context) (Usage, error) {
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return Usage{}, err
	}
	used, err := s.Catalog.DocumentsUsed(ctx, s.Now())
	return Usage{Used: used, Contracted: contract.DocumentsPerDay}, err
}
