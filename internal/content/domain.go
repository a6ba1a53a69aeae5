package content

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/model/sentiment"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// maxGuessTexts is the number of texts that a domain is guessed from at most.
const maxGuessTexts = 500

// A SourceChange changes a content source. Fields that are nil stay the same. An empty domain has it
// guessed again.
type SourceChange struct {
	Description *string
	Domain      *earshot.TextDomain
}

// EditSource changes a content source. Its name cannot be changed, because its documents have it. Stored
// documents keep their scores until the models run on them again.
func (s *Service) EditSource(ctx context.Context, c *earshot.Caller, id earshot.ContentSourceID, change SourceChange) (*earshot.ContentSource, error) {
	if _, err := s.FindSource(c, id); err != nil {
		return nil, err
	}
	src, err := s.Catalog.Sources.Update(ctx, id, func(src *earshot.ContentSource) error {
		if d := change.Description; d != nil {
			src.Description = *d
		}
		if d := change.Domain; d != nil {
			src.Domain, src.DomainChosen = *d, *d != ""
		}
		if err := earshot.CheckText("description", src.Description, 0, 2000); err != nil {
			return err
		}
		return earshot.CheckTextDomain(src.Domain)
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, earshot.NoContentSource(id)
	}
	if err != nil || src.Domain != "" {
		return src, err
	}
	if texts, err := s.storedTexts(ctx, id); err == nil { // otherwise, the next upload tries again
		if err := s.setGuess(ctx, id, texts); err != nil {
			return nil, err
		}
	}
	return s.FindSource(c, id)
}

// Domain returns the domain of the content source of a team with a name. It is empty if there is no such
// source, or if its domain is not known.
func (s *Service) Domain(team earshot.TeamID, name earshot.Source) earshot.TextDomain {
	for _, src := range s.Catalog.Sources.List() {
		if src.Team == team && src.Name == string(name) && !src.Removed {
			return src.Domain
		}
	}
	return ""
}

// guessDomains guesses the domains of the content sources of new posts that have none yet. If a source has
// too few texts, the next upload tries again.
func (s *Service) guessDomains(ctx context.Context, posts []earshot.Post) error {
	texts := map[earshot.ContentSourceID][]string{}
	for i := range posts {
		id := posts[i].ContentSource
		if src, ok := s.Catalog.Sources.Find(id); ok && src.Domain == "" && len(texts[id]) < maxGuessTexts {
			texts[id] = appendText(texts[id], &posts[i])
		}
	}
	for id, list := range texts {
		if len(list) < sentiment.MinGuessTexts {
			var err error
			if list, err = s.storedTexts(ctx, id); err != nil {
				continue // documents are accepted while the store is unavailable
			}
		}
		if err := s.setGuess(ctx, id, list); err != nil {
			return err
		}
	}
	return nil
}

// GuessDomains guesses the domains of content sources that have none yet from their stored documents. They
// may have been uploaded before sources had domains.
func (s *Service) GuessDomains(ctx context.Context) error {
	for _, src := range s.Catalog.Sources.List() {
		if src.Domain != "" || src.Removed {
			continue
		}
		texts, err := s.storedTexts(ctx, src.ID)
		if err != nil {
			return err
		}
		if err := s.setGuess(ctx, src.ID, texts); err != nil {
			return err
		}
	}
	return nil
}

// storedTexts returns texts of stored documents.
func (s *Service) storedTexts(ctx context.Context, id earshot.ContentSourceID) (texts []string, err error) {
	stored, _, err := s.Store.Posts(ctx, poststore.Selection{ContentSource: id}, maxGuessTexts)
	for i := range stored {
		texts = appendText(texts, &stored[i])
	}
	return texts, err
}

// setGuess sets the domain of a content source unless it has one, or there are too few texts.
func (s *Service) setGuess(ctx context.Context, id earshot.ContentSourceID, texts []string) error {
	if len(texts) < sentiment.MinGuessTexts {
		return nil
	}
	_, err := s.Catalog.Sources.Update(ctx, id, func(src *earshot.ContentSource) error {
		if src.Domain == "" { // unless someone has chosen one in the meantime
			src.Domain = guess(texts)
		}
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	return err
}

func appendText(texts []string, p *earshot.Post) []string {
	switch {
	case p.Contents != "":
		return append(texts, p.Contents)
	case p.Title != "":
		return append(texts, p.Title)
	}
	return texts
}

// guess returns the domain of texts, which is social unless another one is clear.
func guess(texts []string) earshot.TextDomain {
	d, _ := sentiment.GuessDomain(texts)
	switch d {
	case sentiment.Review:
		return earshot.ReviewTexts
	case sentiment.News:
		return earshot.NewsTexts
	case sentiment.Forum:
		return earshot.ForumTexts
	}
	return earshot.SocialTexts
}
