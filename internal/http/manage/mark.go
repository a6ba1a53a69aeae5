package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/workspace/mark"
	"earshot/internal/workspace/postview"
)

// showMark serves GET /manage/v1/monitors/{id}/posts/{key}/mark.
func (a *API) showMark(ctx context.Context, c *earshot.Caller, p postPath) (postview.Mark, error) {
	m, key, err := a.markedPost(ctx, c, p)
	if err != nil {
		return postview.Mark{}, err
	}
	return a.Posts.NewMark(a.Marks.Of(m.Team, key)), nil
}

// A markChange changes the mark of a post. Fields that are left out stay as they are.
type markChange struct {
	Starred    *bool           `json:"starred"`
	Tags       *[]string       `json:"tags"`
	AddTags    []string        `json:"addTags"`
	RemoveTags []string        `json:"removeTags"`
	Assignee   *earshot.UserID `json:"assignee"` // 0: none
}

// editMark serves PATCH /manage/v1/monitors/{id}/posts/{key}/mark.
func (a *API) editMark(ctx context.Context, c *earshot.Caller, p struct {
	postPath
	Body markChange `body:"json"`
}) (postview.Mark, error) {
	m, key, err := a.markedPost(ctx, c, p.postPath)
	if err != nil {
		return postview.Mark{}, err
	}
	return toResponse(a.Posts.NewMark)(a.Marks.Edit(ctx, c, m.Team, key, mark.Changes(p.Body)))
}

type noteBody struct {
	Text string `json:"text"`
}

// addNote serves POST /manage/v1/monitors/{id}/posts/{key}/notes.
func (a *API) addNote(ctx context.Context, c *earshot.Caller, p struct {
	postPath
	Body noteBody `body:"json"`
}) (rest.Created[postview.Mark], error) {
	m, key, err := a.markedPost(ctx, c, p.postPath)
	if err != nil {
		return rest.Created[postview.Mark]{}, err
	}
	return toCreated(a.Posts.NewMark)(a.Marks.AddNote(ctx, c, m.Team, key, p.Body.Text))
}

type notePath struct {
	postPath
	Note int64 `path:"note"`
}

// editNote serves PATCH /manage/v1/monitors/{id}/posts/{key}/notes/{note}.
func (a *API) editNote(ctx context.Context, c *earshot.Caller, p struct {
	notePath
	Body noteBody `body:"json"`
}) (postview.Mark, error) {
	m, key, err := a.markedPost(ctx, c, p.postPath)
	if err != nil {
		return postview.Mark{}, err
	}
	return toResponse(a.Posts.NewMark)(a.Marks.EditNote(ctx, c, m.Team, key, p.Note, p.Body.Text))
}

// removeNote serves DELETE /manage/v1/monitors/{id}/posts/{key}/notes/{note}.
func (a *API) removeNote(ctx context.Context, c *earshot.Caller, p notePath) (postview.Mark, error) {
	m, key, err := a.markedPost(ctx, c, p.postPath)
	if err != nil {
		return postview.Mark{}, err
	}
	return toResponse(a.Posts.NewMark)(a.Marks.RemoveNote(ctx, c, m.Team, key, p.Note))
}

// markedPost returns the monitor or filter that shows a post, and the key of the post.
func (a *API) markedPost(ctx context.Context, c *earshot.Caller, p postPath) (*earshot.Monitor, earshot.PostKey, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, earshot.PostKey{}, err
	}
	post, err := a.findPost(ctx, m, p.Key)
	if err != nil {
		return nil, earshot.PostKey{}, err
	}
	return m, post.Key(), nil
}

// listMembers serves GET /manage/v1/teams/{id}/members: the people to whom members of the team can
// assign posts.
func (a *API) listMembers(_ context.Context, c *earshot.Caller, p struct {
	teamID
	pageParams
}) (page[postview.Member], error) {
	list, err := a.Marks.Members(c, p.ID)
	if err != nil {
		return page[postview.Member]{}, err
	}
	return paginate(p.pageParams, list, func(u *earshot.User) int64 { return int64(u.ID) }, postview.NewMember)
}

// listTags serves GET /manage/v1/teams/{id}/tags. All tags fit on a page.
func (a *API) listTags(_ context.Context, c *earshot.Caller, p teamID) (page[mark.TagCount], error) {
	list, err := a.Marks.Tags(c, p.ID)
	return page[mark.TagCount]{Items: list}, err
}

type tagPath struct {
	teamID
	Name string `path:"tag"`
}

// renameTag serves PATCH /manage/v1/teams/{id}/tags/{tag}.
func (a *API) renameTag(ctx context.Context, c *earshot.Caller, p struct {
	tagPath
	Body struct {
		Name string `json:"name"`
	} `body:"json"`
}) (mark.TagCount, error) {
	return a.Marks.RenameTag(ctx, c, p.ID, p.Name, p.Body.Name)
}

// removeTag serves DELETE /manage/v1/teams/{id}/tags/{tag}.
func (a *API) removeTag(ctx context.Context, c *earshot.Caller, p tagPath) (rest.NoContent, error) {
	return rest.NoContent{}, a.Marks.RemoveTag(ctx, c, p.ID, p.Name)
}
