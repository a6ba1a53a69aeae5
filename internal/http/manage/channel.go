package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/delivery"
)

// A newChannelInfo is a channel with its new signing key, which cannot be read again.
type newChannelInfo struct {
	delivery.Channel
	Secret string `json:"secret,omitempty"` // of a webhook
}

// A channelKind is a kind of channels.
type channelKind struct {
	Name        earshot.ChannelKind `json:"name"`
	Title       string              `json:"title"`
	Unavailable string              `json:"unavailable"` // why no channel can be added; empty: it can
}

var channelTitles = map[earshot.ChannelKind]string{
	earshot.EmailChannel: "Email", earshot.WebhookChannel: "Webhook", earshot.SlackChannel: "Slack",
	earshot.TeamsChannel: "Microsoft Teams", earshot.DiscordChannel: "Discord", earshot.NtfyChannel: "ntfy",
}

// listChannelKinds serves GET /manage/v1/channel-kinds.
func (a *API) listChannelKinds(context.Context, *earshot.Caller, struct{}) (page[channelKind], error) {
	return page[channelKind]{Items: jsonvalue.Map(earshot.ChannelKinds, func(k earshot.ChannelKind) channelKind {
		return channelKind{Name: k, Title: channelTitles[k], Unavailable: a.Deliveries.Unavailable(k)}
	})}, nil
}

// listChannels serves GET /manage/v1/channels.
func (a *API) listChannels(_ context.Context, c *earshot.Caller, p teamPage) (page[delivery.Channel], error) {
	id := func(ch *earshot.Channel) int64 { return int64(ch.ID) }
	return paginate(p.pageParams, a.Deliveries.List(c, p.Team), id, a.Deliveries.Describe)
}

type channelPath = idPath[earshot.ChannelID]

// showChannel serves GET /manage/v1/channels/{id}.
func (a *API) showChannel(_ context.Context, c *earshot.Caller, p channelPath) (delivery.Channel, error) {
	return a.Deliveries.Find(c, p.ID)
}

// addChannel serves POST /manage/v1/channels.
func (a *API) addChannel(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team earshot.TeamID      `json:"team"`
		Kind earshot.ChannelKind `json:"kind"`
		delivery.Settings
	} `body:"json"`
}) (response rest.Created[newChannelInfo], err error) {
	switch b := p.Body; {
	case b.Team == 0:
		return response, earshot.InvalidBody("team is missing")
	case b.Kind == "":
		return response, earshot.InvalidBody("kind is missing; GET /manage/v1/channel-kinds lists the kinds")
	}
	ch, key, err := a.Deliveries.Add(ctx, c, p.Body.Team, p.Body.Kind, p.Body.Settings)
	if err != nil {
		return response, err
	}
	return rest.Created[newChannelInfo]{Value: newChannelInfo{ch, key}}, nil
}

// editChannel serves PATCH /manage/v1/channels/{id}.
func (a *API) editChannel(ctx context.Context, c *earshot.Caller, p struct {
	channelPath
	Body struct {
		delivery.Settings
		Revision *int64 `json:"revision"`
	} `body:"json"`
}) (delivery.Channel, error) {
	p.Body.Edits = p.Body.Revision
	return a.Deliveries.Edit(ctx, c, p.ID, p.Body.Settings)
}

// rotateChannel serves POST /manage/v1/channels/{id}/secret.
func (a *API) rotateChannel(ctx context.Context, c *earshot.Caller, p channelPath) (newChannelInfo, error) {
	ch, key, err := a.Deliveries.Rotate(ctx, c, p.ID)
	if err != nil {
		return newChannelInfo{}, err
	}
	return newChannelInfo{ch, key}, nil
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
