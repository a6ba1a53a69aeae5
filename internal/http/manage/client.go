package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/notify/digest"
)

// A client is whom a team makes reports for, as JSON.
type client struct {
	ID        earshot.ClientID `json:"id"`
	Team      earshot.TeamID   `json:"team"`
	Name      string           `json:"name"`
	HasLogo   bool             `json:"hasLogo"`
	Default   bool             `json:"default"`
	CreatedBy string           `json:"createdBy"`
	Created   time.Time        `json:"created"`
	EditedBy  string           `json:"editedBy"`
	Edited    time.Time        `json:"edited"`
	Revision  int64            `json:"revision"`
}

func newClient(c *earshot.Client) client {
	return client{c.ID, c.Team, c.Name, len(c.Logo) > 0, c.Default, c.CreatedBy, c.Created, c.EditedBy, c.Edited, c.Edits}
}

type clientPath = idPath[earshot.ClientID]

// addClient serves POST /manage/v1/clients.
func (a *API) addClient(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team earshot.TeamID `json:"team"`
		digest.ClientChanges
	} `body:"json"`
}) (response rest.Created[client], err error) {
	if p.Body.Team == 0 {
		return response, earshot.InvalidBody("team is missing")
	}
	return toCreated(newClient)(a.Digest.AddClient(ctx, c, p.Body.Team, p.Body.ClientChanges))
}

// editClient serves PATCH /manage/v1/clients/{id}.
func (a *API) editClient(ctx context.Context, c *earshot.Caller, p struct {
	clientPath
	Body struct {
		digest.ClientChanges
		Revision *int64 `json:"revision"`
	} `body:"json"`
}) (client, error) {
	ch := p.Body.ClientChanges
	ch.Edits = p.Body.Revision
	return toResponse(newClient)(a.Digest.EditClient(ctx, c, p.ID, ch))
}

// showLogo serves GET /manage/v1/clients/{id}/logo.
func (a *API) showLogo(_ context.Context, c *earshot.Caller, p clientPath) (rest.Download, error) {
	cl, err := a.Digest.FindClient(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	if len(cl.Logo) == 0 {
		return rest.Download{}, earshot.Errorf(earshot.NotFound, "Client %d has no logo", p.ID)
	}
	return rest.Download{Type: "image/png", Policy: "default-src 'none'; sandbox", Write: downloadText(cl.Logo)}, nil
}
