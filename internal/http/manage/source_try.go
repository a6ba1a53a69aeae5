package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/jsonvalue"
)

// A source that is tested may take testTime to deliver up to testPosts posts.
const (
	testTime  = 20 * time.Second
	testPosts = 5
)

// triedSource is a source that may not exist yet. With ID, the settings and secret of that source
// complete those given.
type triedSource struct {
	ID       earshot.LiveSourceID `json:"id"`
	Team     earshot.TeamID       `json:"team"`
	Kind     string               `json:"kind"`
	Settings map[string]string    `json:"settings"`
	Secret   string               `json:"secret"`
}

func (b triedSource) source() (earshot.LiveSource, error) {
	switch {
	case b.ID == 0 && b.Team == 0:
		return earshot.LiveSource{}, earshot.InvalidBody("team is missing")
	case b.ID == 0 && b.Kind == "":
		return earshot.LiveSource{}, earshot.InvalidBody("kind is missing; GET /manage/v1/source-kinds lists the kinds")
	}
	return earshot.LiveSource{ID: b.ID, Team: b.Team, Kind: b.Kind, Settings: b.Settings}, nil
}

// samplePosts are posts that a source would deliver.
type samplePosts struct {
	Posts []samplePost `json:"posts"`
}

type samplePost struct {
	GUID     string         `json:"guid"`
	URL      string         `json:"url"`
	Date     time.Time      `json:"date"`
	Author   string         `json:"author"`
	Title    string         `json:"title"`
	Contents string         `json:"contents"`
	Language string         `json:"language"`
	Source   earshot.Source `json:"source"`
}

func newSamplePost(p earshot.Post) samplePost {
	return samplePost{p.GUID, p.URL, p.Time.UTC(), p.Author, p.Title, p.Contents, p.Language, p.Source}
}

// testSource serves POST /manage/v1/sources/test. It stores nothing.
func (a *API) testSource(ctx context.Context, c *earshot.Caller, p struct {
	Body triedSource `body:"json,large"`
}) (samplePosts, error) {
	src, err := p.Body.source()
	if err != nil {
		return samplePosts{}, err
	}
	trying, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	posts, err := a.Sources.Test(trying, c, src, p.Body.Secret, testPosts)
	if err != nil {
		return samplePosts{}, networkError(err)
	}
	return samplePosts{jsonvalue.Map(posts, newSamplePost)}, nil
}

type sourceRules struct {
	Required bool `json:"required"`
	connector.Rules
}

// showSourceRules serves POST /manage/v1/sources/rules.
func (a *API) showSourceRules(ctx context.Context, c *earshot.Caller, p struct {
	Body triedSource `body:"json,large"`
}) (sourceRules, error) {
	src, err := p.Body.source()
	if err != nil {
		return sourceRules{}, err
	}
	trying, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	rules, err := a.Sources.Rules(trying, c, src, p.Body.Secret)
	switch {
	case err != nil:
		return sourceRules{}, networkError(err)
	case rules == nil:
		return sourceRules{}, nil
	}
	return sourceRules{true, *rules}, nil
}
