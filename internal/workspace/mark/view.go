package mark

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// ViewChanges are changes to a saved view. Nil fields stay unchanged.
type ViewChanges struct {
	Name *string
	Path *string
}

func (s *Service) views() catalog.Owned[earshot.ViewID, earshot.SavedView] {
	return catalog.Owned[earshot.ViewID, earshot.SavedView]{
		Catalog: s.Catalog, Table: s.Catalog.Views, Name: "saved view", Plural: "saved views", Max: earshot.MaxViews,
		Team: func(v *earshot.SavedView) earshot.TeamID { return v.Team },
		Missing: func(id earshot.ViewID) error {
			return earshot.Errorf(earshot.NotFound, "Saved view %d does not exist", id)
		},
		Exists: func(v *earshot.SavedView) bool { return s.exists(v.Team, v.Monitor) },
	}
}

// Views returns the saved views that c may see, ordered by ID. Unless team or monitor is 0, it returns
// only those of that team or monitor.
func (s *Service) Views(c *earshot.Caller, team earshot.TeamID, monitor earshot.MonitorID) []*earshot.SavedView {
	return slices.DeleteFunc(s.views().List(c, team), func(v *earshot.SavedView) bool { return monitor != 0 && v.Monitor != monitor })
}

// FindView returns a saved view, or an [earshot.NotFound] error if it does not exist or c may not see
// it.
func (s *Service) FindView(c *earshot.Caller, id earshot.ViewID) (*earshot.SavedView, error) {
	return s.views().Find(c, id)
}

// AddView saves a view. A page of a monitor belongs to the monitor and its team. Other pages belong
// to the team that the caller names.
func (s *Service) AddView(ctx context.Context, c *earshot.Caller, v earshot.SavedView) (*earshot.SavedView, error) {
	v.Monitor = monitorOf(v.Path)
	if err := checkView(&v); err != nil {
		return nil, err
	}
	var err error
	if v.Team, v.Monitor, err = s.ownerOf(c, v.Team, v.Monitor); err != nil {
		return nil, err
	}
	return s.views().Add(ctx, c, v.Team, func(id earshot.ViewID) (*earshot.SavedView, error) {
		v.ID, v.CreatedBy, v.Created = id, c.Name, s.now()
		return &v, nil
	})
}

// EditView renames a saved view, or replaces what it shows. It stays a view of the same monitor.
func (s *Service) EditView(ctx context.Context, c *earshot.Caller, id earshot.ViewID, ch ViewChanges) (*earshot.SavedView, error) {
	return s.views().Edit(ctx, c, id, nil, func(v *earshot.SavedView) error {
		patch.Set(&v.Name, ch.Name)
		patch.Set(&v.Path, ch.Path)
		if err := checkView(v); err != nil {
			return err
		}
		if of := monitorOf(v.Path); of != v.Monitor {
			return earshot.InvalidBody("path must be a page of the same monitor; save another view instead")
		}
		return nil
	})
}

// RemoveView deletes a saved view.
func (s *Service) RemoveView(ctx context.Context, c *earshot.Caller, id earshot.ViewID) error {
	return s.views().Remove(ctx, c, id)
}

func checkView(v *earshot.SavedView) error {
	v.Name = strings.TrimSpace(v.Name)
	if err := earshot.CheckText("name", v.Name, 1, maxViewName); err != nil {
		return err
	}
	if err := earshot.CheckText("path", v.Path, 1, maxViewPath); err != nil {
		return err
	}
	if !isLocalPath(v.Path) {
		return earshot.InvalidBody("path must be a page of the web app, like /monitors/7?range=lastweek")
	}
	return nil
}

// isLocalPath reports whether a text is the path and query of a page, and nothing that a browser
// could take for another site: "//host" and "/\host" are, to a browser.
func isLocalPath(text string) bool {
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\#") {
		return false
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil {
		return false
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(u.Path, "/"), "/") {
		if u.Path != "/" && (segment == "" || segment == "." || segment == "..") {
			return false
		}
	}
	return true
}

// monitorOf returns the monitor that a page is about, or 0.
func monitorOf(path string) earshot.MonitorID {
	rest, ok := strings.CutPrefix(path, "/monitors/")
	if !ok {
		return 0
	}
	end := strings.IndexAny(rest+"/", "/?")
	id, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return earshot.MonitorID(id)
}
