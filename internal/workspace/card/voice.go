package card

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/postview"
)

// Voices are the authors who drove the posts of a period. Story is null if First is about all posts.
type Voices struct {
	From       time.Time   `json:"from"`
	To         time.Time   `json:"to"`
	Story      *VoiceStory `json:"story"`
	First      []Voice     `json:"first"`
	Engagement []Voice     `json:"engagement"`
	Reach      []Voice     `json:"reach"`
	Copied     []Voice     `json:"copied"`
	Estimated  bool        `json:"estimated"`
}

// A VoiceStory is the story that the first posts are about. Filter selects its posts.
type VoiceStory struct {
	Name   string `json:"name"`
	Filter string `json:"filter"`
}

// A Voice is an author of posts. Username is empty if the posts state no author but their site.
// Followers is null if no post states it, First and Top if the source of the post is restricted. Filter
// selects the posts; it is empty if no filter does.
type Voice struct {
	Name       string                    `json:"name"`
	Username   string                    `json:"username"`
	Source     earshot.Source            `json:"source"`
	Role       insight.VoiceRole         `json:"role"`
	Posts      int64                     `json:"posts"`
	Engagement int64                     `json:"engagement"`
	Copies     int64                     `json:"copies"`
	Followers  *int64                    `json:"followers"`
	First      *time.Time                `json:"first"`
	Top        *postview.HighlightedPost `json:"top"`
	Filter     string                    `json:"filter"`
}

// Voices returns the authors who drove the posts of a monitor or filter in a period to a caller.
func (s *Service) Voices(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, from, to time.Time, filter string) (response Voices, err error) {
	refinement := s.Filters.Refinement(c, m, filter)
	found, err := s.Insight.Voices(ctx, m, insight.VoicesRequest{From: from, To: to, Filter: refinement.Key(), Refine: refinement.Selection})
	if err != nil {
		return response, err
	}
	err = s.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		r := s.Views.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: true, Marks: SeesMarks(c)})
		list := func(voices []insight.Voice) []Voice {
			return jsonvalue.Map(voices, func(v insight.Voice) Voice { return s.newVoice(m, &v, r) })
		}
		response = Voices{
			From: found.From, To: found.To, Estimated: found.Estimated,
			First: list(found.First), Engagement: list(found.Engagement), Reach: list(found.Reach), Copied: list(found.Copied),
		}
		if found.Story != nil {
			response.Story = newVoiceStory(found.Story)
		}
		return nil
	})
	return response, err
}

func newVoiceStory(of *insight.Story) *VoiceStory {
	return &VoiceStory{Name: of.Name(), Filter: filter.Keywords.Is(of.Query)}
}

func (s *Service) newVoice(m *earshot.Monitor, v *insight.Voice, r *postview.Renderer) Voice {
	shown := Voice{
		Name: v.Name, Username: v.Username, Source: v.Source, Role: v.Role,
		Posts: v.Posts, Engagement: v.Engagement, Copies: v.Copies, Followers: stated(v.Followers),
	}
	by := filter.Author.Only(v.Username)
	if v.Username == "" {
		by = filter.Site.Only(v.Name)
	}
	if by != "" {
		shown.Filter = filter.And(by, filter.Source.Only(string(v.Source)))
	}
	if s.Views.IsRestricted(v.Source) {
		if v.Username != "" {
			shown.Name = v.Username
		}
		return shown
	}
	shown.First = new(v.First.In(m.Location()))
	if v.Top != nil {
		post := *v.Top // rendering may replace its contents, and the Voices are cached
		shown.Top = r.Highlight(&post)
	}
	return shown
}
