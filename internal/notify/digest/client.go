package digest

import (
	"bytes"
	"context"
	"image/png"
	"strings"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

func (s *Service) clients() catalog.Owned[earshot.ClientID, earshot.Client] {
	return catalog.Owned[earshot.ClientID, earshot.Client]{
		Catalog: s.Catalog, Table: s.Catalog.Clients, Name: "client", Plural: "clients", Max: earshot.MaxClients, Now: s.Now,
		Team:    func(c *earshot.Client) earshot.TeamID { return c.Team },
		Missing: noClient,
		Stamp: func(c *earshot.Client) catalog.Stamp {
			return catalog.Stamp{Edits: &c.Edits, By: &c.EditedBy, Time: &c.Edited}
		},
	}
}

func noClient(id earshot.ClientID) error {
	return earshot.Errorf(earshot.NotFound, "Client %d does not exist", id)
}

// FindClient returns a client if c may see it.
func (s *Service) FindClient(c *earshot.Caller, id earshot.ClientID) (*earshot.Client, error) {
	return s.clients().Find(c, id)
}

// Clients returns the clients that c may see, ordered by ID. If team is not 0, it returns only those of
// that team.
func (s *Service) Clients(c *earshot.Caller, team earshot.TeamID) []*earshot.Client {
	return s.clients().List(c, team)
}

// ClientChanges are changes of a client. Fields that are nil stay as they are.
type ClientChanges struct {
	Name    *string `json:"name"`
	Logo    *[]byte `json:"logo"`    // a PNG or JPEG file, in Base64; empty: none
	Default *bool   `json:"default"` // for new reports of the team; the client that was it is not anymore

	Edits *int64 `json:"-"` // the Edits value that the caller last saw, for optimistic locking; nil: do not check
}

func (ch ClientChanges) apply(c *earshot.Client) (err error) {
	if patch.Set(&c.Default, ch.Default); ch.Name != nil {
		c.Name = strings.TrimSpace(*ch.Name)
	}
	if err := earshot.CheckText("name", c.Name, 1, maxName); err != nil || ch.Logo == nil {
		return err
	}
	if c.Logo = nil; len(*ch.Logo) > 0 {
		c.Logo, err = newLogo(*ch.Logo)
	}
	return err
}

// AddClient creates a client of a team.
func (s *Service) AddClient(ctx context.Context, c *earshot.Caller, team earshot.TeamID, ch ClientChanges) (*earshot.Client, error) {
	cl := earshot.Client{Team: team, CreatedBy: c.Name, Created: s.now(), EditedBy: c.Name, Edited: s.now()}
	if err := s.checkTeam(c, team); err != nil {
		return nil, err
	}
	if err := ch.apply(&cl); err != nil {
		return nil, err
	}
	added, err := s.clients().Add(ctx, c, team, func(id earshot.ClientID) (*earshot.Client, error) {
		cl.ID = id
		return &cl, nil
	})
	if err != nil {
		return nil, err
	}
	return added, s.keepOneDefault(ctx, added)
}

// EditClient changes a client. If ch.Edits is set and out of date, it returns an [earshot.Conflict] error
// that says who made the newer version.
func (s *Service) EditClient(ctx context.Context, c *earshot.Caller, id earshot.ClientID, ch ClientChanges) (*earshot.Client, error) {
	cl, err := s.clients().Edit(ctx, c, id, ch.Edits, ch.apply)
	if err != nil {
		return nil, err
	}
	return cl, s.keepOneDefault(ctx, cl)
}

// RemoveClient deletes a client. Its reports then have no client.
func (s *Service) RemoveClient(ctx context.Context, c *earshot.Caller, id earshot.ClientID) error {
	return s.clients().Remove(ctx, c, id)
}

// keepOneDefault makes other clients of the team no longer the default if one has become it.
func (s *Service) keepOneDefault(ctx context.Context, now *earshot.Client) error {
	if !now.Default {
		return nil
	}
	for _, cl := range s.Catalog.Clients.List() {
		if cl.Team != now.Team || cl.ID == now.ID || !cl.Default {
			continue
		}
		_, err := s.Catalog.Clients.Update(ctx, cl.ID, func(cl *earshot.Client) error {
			cl.Default = false
			return nil
		})
		if err != nil && !earshot.IsKind(err, earshot.NotFound) {
			return err
		}
	}
	return nil
}

// DefaultClient returns whom new reports of a team are for, or 0.
func (s *Service) DefaultClient(team earshot.TeamID) earshot.ClientID {
	return defaultClient(s.Catalog, team)
}

func defaultClient(c *catalog.Catalog, team earshot.TeamID) earshot.ClientID {
	for _, cl := range c.Clients.List() {
		if cl.Team == team && cl.Default {
			return cl.ID
		}
	}
	return 0
}

// SetClient sets the client of a report of a team. Nil selects the default client of the team, and 0 none.
func (s *Composer) SetClient(c *Contents, team earshot.TeamID, id *earshot.ClientID) error {
	if id == nil {
		chosen := defaultClient(s.Catalog, team)
		id = &chosen
	}
	if *id == 0 {
		return nil
	}
	cl, ok := s.Catalog.Clients.Find(*id)
	if !ok || cl.Team != team {
		return noClient(*id)
	}
	c.document.Client = cl.Name
	if t, ok := s.Catalog.Teams.Find(team); ok {
		c.document.PreparedBy = t.Name
	}
	if len(cl.Logo) == 0 {
		return nil
	}
	logo, err := png.Decode(bytes.NewReader(cl.Logo))
	c.document.Logo = logo
	return err
}
