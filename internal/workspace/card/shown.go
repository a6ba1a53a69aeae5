package card

import (
	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
)

// An Info is an [earshot.Card] as JSON.
type Info struct {
	ID      int64             `json:"id"`
	Kind    earshot.CardKind  `json:"kind"`
	Title   string            `json:"title"`
	Width   int               `json:"width"`
	Monitor earshot.MonitorID `json:"monitor"`
	Filter  string            `json:"filter"`
	Range   RollingRange      `json:"range"`
	Start   earshot.Date      `json:"start"`
	End     earshot.Date      `json:"end"`
	Sort    string            `json:"sort"`
	Rows    []Row             `json:"rows"`
	Earlier EarlierPeriod     `json:"earlier"`
	Text    string            `json:"text"`
}

// A Row is an [earshot.CardRow] as JSON.
type Row struct {
	Label   string            `json:"label"`
	Monitor earshot.MonitorID `json:"monitor"`
	Filter  string            `json:"filter"`
	Range   RollingRange      `json:"range"`
	Start   earshot.Date      `json:"start"`
	End     earshot.Date      `json:"end"`
}

func newInfo(c earshot.Card) Info {
	return Info{
		ID: c.ID, Kind: c.Kind, Title: c.Title, Width: c.Width, Monitor: c.Monitor, Filter: c.Filter,
		Range: RollingRange(c.Range), Start: c.Start, End: c.End, Sort: c.Sort,
		Rows: jsonvalue.Map(c.Rows, func(r earshot.CardRow) Row {
			return Row{r.Label, r.Monitor, r.Filter, RollingRange(r.Range), r.Start, r.End}
		}),
		Earlier: EarlierPeriod(c.Earlier), Text: c.Text,
	}
}

// Parse returns cards of a request body, which may be those of an earlier response. It is an error
// if a filter cannot be parsed.
func Parse(cards []Shown) ([]earshot.Card, error) {
	list := make([]earshot.Card, len(cards))
	for i, c := range cards {
		list[i] = earshot.Card{
			ID: c.ID, Kind: c.Kind, Title: c.Title, Width: c.Width, Monitor: c.Monitor, Filter: c.Filter,
			Range: string(c.Range), Start: c.Start, End: c.End, Sort: c.Sort, Earlier: string(c.Earlier), Text: c.Text,
		}
		if err := filter.Check(c.Filter); err != nil {
			return nil, earshot.InvalidBody("cards[%d].filter: %v", i, err)
		}
		for k, r := range c.Rows {
			if err := filter.Check(r.Filter); err != nil {
				return nil, earshot.InvalidBody("cards[%d].rows[%d].filter: %v", i, k, err)
			}
			list[i].Rows = append(list[i].Rows, earshot.CardRow{Label: r.Label, Monitor: r.Monitor, Filter: r.Filter, Range: string(r.Range), Start: r.Start, End: r.End})
		}
	}
	return list, nil
}

// Shown is a card with what readers need to understand it. A removed monitor has no name.
type Shown struct {
	Info
	MonitorName string            `json:"monitorName"`
	Parent      earshot.MonitorID `json:"parent"`     // the monitor of a saved filter; 0 for other cards
	FilterName  string            `json:"filterName"` // of a saved filter
	Removed     bool              `json:"removed"`    // the monitor or saved filter no longer exists
}

// Describe returns a card as members of its team see it.
func (s *Service) Describe(c earshot.Card) Shown { return Describe(s.Catalog, c) }

// Describe returns a card as members of its team see it.
func Describe(monitors *catalog.Catalog, c earshot.Card) Shown {
	shown := Shown{Info: newInfo(c)}
	if c.Monitor == 0 {
		return shown
	}
	m, ok := monitors.FindMonitor(c.Monitor)
	if !ok {
		shown.Removed = true
		return shown
	}
	shown.MonitorName = m.Name
	if f, ok := m.Filter(c.Monitor); ok {
		shown.Parent, shown.FilterName = m.ID, f.Name
	}
	return shown
}
