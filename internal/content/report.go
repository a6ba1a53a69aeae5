package content

import (
	"context"
	"fmt"

	"earshot"
)

// uniqueDocuments are those of one request that are right so far: the index of each by its key.
type uniqueDocuments map[earshot.PostKey]int

// check turns the i-th item of a request into a post of a content source, or says what is
// wrong with it.
func (d uniqueDocuments) check(i int, it *Item, src *earshot.ContentSource) (p earshot.Post, problem string) {
	if p, problem = check(it, nil); problem != "" {
		return p, problem
	}
	p.Source, p.ContentSource, p.Team = earshot.Source(src.Name), src.ID, src.Team
	if first, twice := d[p.Key()]; twice {
		return p, field("guid", fmt.Sprintf("'%s' is there twice, also in items[%d]", clip(p.GUID), first))
	}
	d[p.Key()] = i
	return p, ""
}

// Check tells what Upload would say of each item, and takes none. Where it says nothing,
// Upload takes them as long as the contract and the content source have room. An item that
// is nil is passed over.
func (s *Service) Check(c *earshot.Caller, source earshot.ContentSourceID, items []*Item) ([]Problem, error) {
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

// A Usage is how many documents the contract allows in 24 hours, and how many of them are used.
type Usage struct {
	Used       int64
	Contracted int64 // 0: no limit
}

// Usage returns how much of the contract is used now.
func (s *Service) Usage(ctx context.Context) (Usage, error) {
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return Usage{}, err
	}
	used, err := s.Catalog.DocumentsUsed(ctx, s.Now())
	return Usage{Used: used, Contracted: contract.DocumentsPerDay}, err
}
