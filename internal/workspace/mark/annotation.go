package mark

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// AnnotationChanges are changes to an annotation. Nil fields stay unchanged.
type AnnotationChanges struct {
	Start *earshot.Date
	End   *earshot.Date
	Text  *string
}

// maxAnnotationDays is the maximum length of an annotated period.
const maxAnnotationDays = 3660

func (s *Service) annotations() catalog.Owned[earshot.AnnotationID, earshot.Annotation] {
	return catalog.Owned[earshot.AnnotationID, earshot.Annotation]{
		Catalog: s.Catalog, Table: s.Catalog.Annotations, Name: "annotation", Plural: "annotations", Max: earshot.MaxAnnotations,
		Team: func(a *earshot.Annotation) earshot.TeamID { return a.Team },
		Missing: func(id earshot.AnnotationID) error {
			return earshot.Errorf(earshot.NotFound, "Annotation %d does not exist", id)
		},
		Exists: func(a *earshot.Annotation) bool { return s.exists(a.Team, a.Monitor) },
	}
}

// Annotations returns the annotations that c may see, ordered by ID. Unless team is 0, it returns
// only that team's. Unless monitor is 0, it returns only those on the charts of that monitor, which
// include those of its team.
func (s *Service) Annotations(c *earshot.Caller, team earshot.TeamID, monitor earshot.MonitorID) ([]*earshot.Annotation, error) {
	if monitor != 0 {
		m, ok := s.Catalog.FindMonitor(monitor)
		if !ok || !c.In(m.Team) {
			return nil, earshot.NoMonitor(monitor)
		}
		team, monitor = m.Team, m.ID
	}
	return slices.DeleteFunc(s.annotations().List(c, team), func(a *earshot.Annotation) bool {
		return monitor != 0 && a.Monitor != 0 && a.Monitor != monitor
	}), nil
}

// MonitorAnnotations returns the annotations on the charts of a monitor or filter for some days, in
// chronological order.
func (s *Service) MonitorAnnotations(m *earshot.Monitor, days earshot.Days) []*earshot.Annotation {
	id := cmp.Or(m.Parent, m.ID)
	var list []*earshot.Annotation
	for _, a := range s.Catalog.Annotations.List() {
		if a.Team == m.Team && (a.Monitor == 0 || a.Monitor == id) && a.Start.Before(days.End) && days.Start.Before(a.End) {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b *earshot.Annotation) int { return b.Start.DaysUntil(a.Start) })
	return list
}

// FindAnnotation returns an annotation, or an [earshot.NotFound] error if it does not exist or c may
// not see it.
func (s *Service) FindAnnotation(c *earshot.Caller, id earshot.AnnotationID) (*earshot.Annotation, error) {
	return s.annotations().Find(c, id)
}

// AddAnnotation adds an annotation of a monitor, or of a team if it names no monitor. Without an
// end, it annotates one day.
func (s *Service) AddAnnotation(ctx context.Context, c *earshot.Caller, a earshot.Annotation) (*earshot.Annotation, error) {
	err := checkAnnotation(&a)
	if err != nil {
		return nil, err
	}
	if a.Team, a.Monitor, err = s.ownerOf(c, a.Team, a.Monitor); err != nil {
		return nil, err
	}
	return s.annotations().Add(ctx, c, a.Team, func(id earshot.AnnotationID) (*earshot.Annotation, error) {
		a.ID, a.CreatedBy, a.Created = id, c.Name, s.now()
		return &a, nil
	})
}

// EditAnnotation changes an annotation. Moving its start without its end moves both.
func (s *Service) EditAnnotation(ctx context.Context, c *earshot.Caller, id earshot.AnnotationID, ch AnnotationChanges) (*earshot.Annotation, error) {
	return s.annotations().Edit(ctx, c, id, nil, func(a *earshot.Annotation) error {
		length := a.Start.DaysUntil(a.End)
		patch.Set(&a.Text, ch.Text)
		if ch.Start != nil {
			a.Start = *ch.Start
			a.End = a.Start.AddDays(length)
		}
		patch.Set(&a.End, ch.End)
		a.Edited = s.now()
		return checkAnnotation(a)
	})
}

// RemoveAnnotation deletes an annotation.
func (s *Service) RemoveAnnotation(ctx context.Context, c *earshot.Caller, id earshot.AnnotationID) error {
	return s.annotations().Remove(ctx, c, id)
}

func checkAnnotation(a *earshot.Annotation) error {
	a.Text = strings.TrimSpace(a.Text)
	if err := earshot.CheckText("text", a.Text, 1, maxAnnotation); err != nil {
		return err
	}
	if a.Start.IsZero() {
		return earshot.InvalidBody("start is missing")
	}
	if a.End.IsZero() {
		a.End = a.Start.AddDays(1)
	}
	if n := a.Start.DaysUntil(a.End); n < 1 || n > maxAnnotationDays {
		return earshot.InvalidBody("end must be 1 to %d days after start", maxAnnotationDays)
	}
	return nil
}
