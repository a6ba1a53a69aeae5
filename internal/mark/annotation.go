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
	var list []*earshot.Annotation
	for _, a := range s.Catalog.Annotations.List() {
		if c.In(a.Team) && (team == 0 || a.Team == team) && (monitor == 0 || a.Monitor == 0 || a.Monitor == monitor) && s.exists(a.Team, a.Monitor) {
			list = append(list, a)
		}
	}
	return list, nil
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
	a, ok := s.Catalog.Annotations.Find(id)
	if !ok || !c.In(a.Team) || !s.exists(a.Team, a.Monitor) {
		return nil, noAnnotation(id)
	}
	return a, nil
}

// AddAnnotation adds an annotation of a monitor, or of a team if it names no monitor. Without an
// end, it annotates one day.
func (s *Service) AddAnnotation(ctx context.Context, c *earshot.Caller, a earshot.Annotation) (*earshot.Annotation, error) {
	if err := checkAnnotation(&a); err != nil {
		return nil, err
	}
	// Prevents removal of the team in the meantime.
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (*earshot.Annotation, error) {
		var err error
		if a.Team, a.Monitor, err = s.ownerOf(c, a.Team, a.Monitor); err != nil {
			return nil, err
		}
		if n := count(s.Catalog.Annotations.List(), func(a2 *earshot.Annotation) bool { return a2.Team == a.Team }); n >= earshot.MaxAnnotations {
			return nil, earshot.Errorf(earshot.Invalid, "The team has %d annotations, which is the maximum. Delete some first", n)
		}
		id, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return nil, err
		}
		a.ID, a.CreatedBy, a.Created = earshot.AnnotationID(id), c.Name, s.now()
		return &a, s.Catalog.Annotations.Add(ctx, a.ID, &a)
	})
}

// EditAnnotation changes an annotation. Moving its start without its end moves both.
func (s *Service) EditAnnotation(ctx context.Context, c *earshot.Caller, id earshot.AnnotationID, ch AnnotationChanges) (*earshot.Annotation, error) {
	if _, err := s.FindAnnotation(c, id); err != nil {
		return nil, err
	}
	a, err := s.Catalog.Annotations.Update(ctx, id, func(a *earshot.Annotation) error {
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
	return a, notFoundAs(noAnnotation(id), err)
}

// RemoveAnnotation deletes an annotation.
func (s *Service) RemoveAnnotation(ctx context.Context, c *earshot.Caller, id earshot.AnnotationID) error {
	if _, err := s.FindAnnotation(c, id); err != nil {
		return err
	}
	return notFoundAs(noAnnotation(id), s.Catalog.Annotations.Remove(ctx, id))
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

func noAnnotation(id earshot.AnnotationID) *earshot.Error {
	return earshot.Errorf(earshot.NotFound, "Annotation %d does not exist", id)
}

// count returns the number of records that satisfy a condition.
func count[T any](list []*T, is func(*T) bool) int {
	n := 0
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}
