package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/delivery"
)

// A channelInfo is where messages are sent, and how it is doing. It shows no secrets.
type channelInfo struct {
	ID             earshot.ChannelID   `json:"id"`
	Team           earshot.TeamID      `json:"team"`
	Name           string              `json:"name"`
	Kind           earshot.ChannelKind `json:"kind"`
	Target         string              `json:"target"`     // recipients, or the host of the URL
	Recipients     []string            `json:"recipients"` // of e-mail
	Username       string              `json:"username"`
	HasToken       bool                `json:"hasToken"` // a token or a password is stored
	Template       string              `json:"template"`
	PerHour        int                 `json:"perHour"`
	Enabled        bool                `json:"enabled"`
	Disabled       time.Time           `json:"disabled,omitzero"` // since when
	DisabledReason string              `json:"disabledReason"`    // why Earshot disabled it; empty: a person did

	Waiting       int       `json:"waiting"` // deliveries
	Failed        int       `json:"failed"`  // deliveries that failed or were interrupted since the last success
	LastSent      time.Time `json:"lastSent,omitzero"`
	LastError     string    `json:"lastError"` // since the last success
	LastErrorTime time.Time `json:"lastErrorTime,omitzero"`

	CreatedBy string    `json:"createdBy"`
	Created   time.Time `json:"created"`
	EditedBy  string    `json:"editedBy"`
	Edited    time.Time `json:"edited"`
	Revision  int64     `json:"revision"`
}

// A newChannelInfo is a channel with its new signing key, which cannot be read again.
type newChannelInfo struct {
	channelInfo
	Secret string `json:"secret,omitempty"` // of a webhook
}

func newChannel(ch delivery.Channel) channelInfo {
	return channelInfo{
		ID: ch.ID, Team: ch.Team, Name: ch.Name, Kind: ch.Kind, Target: ch.Target, Recipients: ch.Recipients,
		Username: ch.Username, HasToken: ch.HasToken, Template: ch.Template, PerHour: delivery.PerHour(ch.Channel),
		Enabled: ch.Disabled.IsZero(), Disabled: ch.Disabled, DisabledReason: ch.DisabledReason,
		Waiting: ch.Waiting, Failed: ch.Failed, LastSent: ch.LastSent, LastError: ch.LastError, LastErrorTime: ch.LastErrorTime,
		CreatedBy: ch.CreatedBy, Created: ch.Created, EditedBy: ch.EditedBy, Edited: ch.Edited, Revision: ch.Edits,
	}
}

// A channelKind is a kind of channels.
type channelKind struct {
	Name        earshot.ChannelKind `json:"name"`
	Title       string              `json:"title"`
	Unavailable string              `json:"unavailable"` // why no channel can be added; empty: it can
}

var channelTitles = map[earshot.ChannelKind]string{
	earshot.EmailChannel: "E-mail", earshot.WebhookChannel: "Webhook", earshot.SlackChannel: "Slack",
	earshot.TeamsChannel: "Microsoft Teams", earshot.DiscordChannel: "Discord", earshot.NtfyChannel: "ntfy",
}

// listChannelKinds serves GET /manage/v1/channel-kinds.
func (a *API) listChannelKinds(context.Context, *earshot.Caller, struct{}) (page[channelKind], error) {
	return page[channelKind]{Items: jsonvalue.Map(earshot.ChannelKinds, func(k earshot.ChannelKind) channelKind {
		return channelKind{Name: k, Title: channelTitles[k], Unavailable: a.Deliveries.Unavailable(k)}
	})}, nil
}

// listChannels serves GET /manage/v1/channels.
func (a *API) listChannels(_ context.Context, c *earshot.Caller, p teamPage) (page[channelInfo], error) {
	id := func(ch *earshot.Channel) int64 { return int64(ch.ID) }
	show := func(ch *earshot.Channel) channelInfo { return newChannel(a.Deliveries.Describe(ch)) }
	return paginate(p.pageParams, a.Deliveries.List(c, p.Team), id, show)
}

type channelPath = idPath[earshot.ChannelID]

// showChannel serves GET /manage/v1/channels/{id}.
func (a *API) showChannel(_ context.Context, c *earshot.Caller, p channelPath) (channelInfo, error) {
	return channelResponse(a.Deliveries.Find(c, p.ID))
}

func channelResponse(ch delivery.Channel, err error) (channelInfo, error) {
	if err != nil {
		return channelInfo{}, err
	}
	return newChannel(ch), nil
}

// channelSettings are the settings of a channel. Missing ones stay the same, or have their defaults.
type channelSettings struct {
	Name       *string   `json:"name"`
	URL        *string   `json:"url"`
	Token      *string   `json:"token"`
	Username   *string   `json:"username"`
	Password   *string   `json:"password"`
	Recipients *[]string `json:"recipients"`
	Template   *string   `json:"template"`
	PerHour    *int      `json:"perHour"`
	Enabled    *bool     `json:"enabled"`
}

func (s channelSettings) settings() delivery.Settings {
	return delivery.Settings{
		Name: s.Name, URL: s.URL, Token: s.Token, Username: s.Username, Password: s.Password,
		Recipients: s.Recipients, Template: s.Template, PerHour: s.PerHour, Enabled: s.Enabled,
	}
}

// addChannel serves POST /manage/v1/channels.
func (a *API) addChannel(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team earshot.TeamID      `json:"team"`
		Kind earshot.ChannelKind `json:"kind"`
		channelSettings
	} `body:"json"`
}) (response rest.Created[newChannelInfo], err error) {
	switch b := p.Body; {
	case b.Team == 0:
		return response, earshot.InvalidBody("team is missing")
	case b.Kind == "":
		return response, earshot.InvalidBody("kind is missing; GET /manage/v1/channel-kinds lists the kinds")
	}
	ch, key, err := a.Deliveries.Add(ctx, c, p.Body.Team, p.Body.Kind, p.Body.settings())
	if err != nil {
		return response, err
	}
	return rest.Created[newChannelInfo]{Value: newChannelInfo{newChannel(ch), key}}, nil
}

// editChannel serves PATCH /manage/v1/channels/{id}.
func (a *API) editChannel(ctx context.Context, c *earshot.Caller, p struct {
	channelPath
	Body struct {
		channelSettings
		Revision *int64 `json:"revision"`
	} `body:"json"`
}) (channelInfo, error) {
	with := p.Body.settings()
	with.Edits = p.Body.Revision
	return channelResponse(a.Deliveries.Edit(ctx, c, p.ID, with))
}

// rotateChannel serves POST /manage/v1/channels/{id}/secret.
func (a *API) rotateChannel(ctx context.Context, c *earshot.Caller, p channelPath) (newChannelInfo, error) {
	ch, key, err := a.Deliveries.Rotate(ctx, c, p.ID)
	if err != nil {
		return newChannelInfo{}, err
	}
	return newChannelInfo{newChannel(ch), key}, nil
}

// A templateExample is the text that a template makes of an example.
type templateExample struct {
	Text string `json:"text"`
}

// showTemplate serves POST /manage/v1/channels/template: what messages with a template look like. It
// changes nothing.
func (a *API) showTemplate(_ context.Context, _ *earshot.Caller, p struct {
	Body struct {
		Kind     earshot.ChannelKind `json:"kind"`
		Name     string              `json:"name"` // of the channel
		Template string              `json:"template"`
	} `body:"json"`
}) (templateExample, error) {
	text, err := delivery.Example(p.Body.Kind, p.Body.Name, p.Body.Template)
	return templateExample{text}, err
}
