package manage

import (
	"context"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/monitor"
	"earshot/internal/query"
)

type monitorFilter struct {
	ID           earshot.MonitorID `json:"id"`
	Monitor      earshot.MonitorID `json:"monitor"`
	Name         string            `json:"name"`
	Keywords     string            `json:"keywords"`
	Languages    choice            `json:"languages"`
	Geolocations choice            `json:"geolocations"`
	Gender       earshot.Gender    `json:"gender" values:"M,F,"`
	Sources      []string          `json:"sources"`
}

func newFilter(id earshot.MonitorID, f *earshot.Filter) monitorFilter {
	return monitorFilter{
		ID: f.ID, Monitor: id, Name: f.Name, Keywords: f.Criteria.Keywords,
		Languages: newChoice(f.Criteria.Languages), Geolocations: newChoice(geo.PlainChoice(f.Criteria.Places)),
		Gender: f.Criteria.Gender, Sources: f.Criteria.Sources,
	}
}

// A changedFilter is the response to creating or editing a filter.
type changedFilter struct {
	monitorFilter
	Warnings []query.Remark `json:"warnings"`
}

func newChangedFilter(id earshot.MonitorID, f *earshot.Filter) changedFilter {
	return changedFilter{newFilter(id, f), query.Check(f.Criteria.Keywords, query.Lenient).Warnings}
}

func newFilters(m *earshot.Monitor) []monitorFilter {
	shown := make([]monitorFilter, len(m.Filters))
	for i := range m.Filters {
		shown[i] = newFilter(m.ID, &m.Filters[i])
	}
	return shown
}

type filterBody struct {
	criteriaBody
	Name *string `json:"name"`
}

func (b filterBody) changes() (monitor.FilterChanges, error) {
	criteria, err := b.criteriaBody.changes()
	return monitor.FilterChanges{Name: b.Name, Criteria: criteria}, err
}

func (a *API) listFilters(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	monitorPath
}) (page[monitorFilter], error) {
	m, err := a.monitor(c, p.ID)
	if err != nil {
		return page[monitorFilter]{}, err
	}
	return paginate(p.pageParams, newFilters(m), func(f monitorFilter) int64 { return int64(f.ID) }, func(f monitorFilter) monitorFilter { return f })
}

func (a *API) addFilter(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body filterBody `body:"json,large"`
}) (response rest.Created[changedFilter], err error) {
	ch, err := p.Body.changes()
	if err != nil {
		return response, err
	}
	f, err := a.Monitors.AddFilter(ctx, c, p.ID, ch)
	if err != nil {
		return response, err
	}
	return rest.Created[changedFilter]{Value: newChangedFilter(p.ID, f)}, nil
}

func (a *API) showFilter(_ context.Context, c *earshot.Caller, p monitorPath) (monitorFilter, error) {
	m, f, err := a.Monitors.FindFilter(c, p.ID)
	if err != nil {
		return monitorFilter{}, err
	}
	return newFilter(m.ID, f), nil
}

func (a *API) editFilter(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body filterBody `body:"json,large"`
}) (changedFilter, error) {
	ch, err := p.Body.changes()
	if err != nil {
		return changedFilter{}, err
	}
	m, f, err := a.Monitors.EditFilter(ctx, c, p.ID, ch)
	if err != nil {
		return changedFilter{}, err
	}
	return newChangedFilter(m.ID, f), nil
}
