package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/http/client"
)

// A cardGroup are cards that the web app requests together, because they are about the same posts.
type cardGroup struct {
	filter string
	kinds  []earshot.CardKind
}

// dashboardCards are 20 cards of different kinds and filters. Those that take long have a group of
// their own.
var dashboardCards = []cardGroup{
	{"", []earshot.CardKind{earshot.FiguresCard, earshot.VolumeCard, earshot.SentimentCard, earshot.SourcesCard, earshot.LanguagesCard, earshot.PlacesCard, earshot.AuthorsCard, earshot.HashtagsCard}},
	{"gender:F", []earshot.CardKind{earshot.FiguresCard, earshot.VolumeCard, earshot.EmotionsCard, earshot.AgesCard, earshot.InterestsCard}},
	{"language:en|keywords:today", []earshot.CardKind{earshot.VolumeCard, earshot.SentimentCard, earshot.ClockCard}},
	{"", []earshot.CardKind{earshot.PostsCard}},
	{"", []earshot.CardKind{earshot.WordsCard}},
	{"", []earshot.CardKind{earshot.ComparisonCard}},
	{"", []earshot.CardKind{earshot.TopicsCard}},
}

// Names of the results of a dashboard.
const (
	firstCards = "a year, dashboard of 20 cards, first cards"
	allCards   = "a year, dashboard of 20 cards, all cards"
)

// browserConnections is how many requests a browser sends to a server at the same time.
const browserConnections = 6

// addDashboard creates the dashboard and returns its path and the IDs of the cards of each group.
func (v *runningServer) addDashboard(ctx context.Context) (path string, groups []string, err error) {
	var m struct{ Team earshot.TeamID }
	text, err := v.client.Call(ctx, client.Request{Method: "GET", Path: fmt.Sprintf("/manage/v1/monitors/%d", v.monitor)})
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return "", nil, err
	}
	var cards []map[string]any
	for _, g := range dashboardCards {
		var ids []string
		for _, kind := range g.kinds {
			card := map[string]any{"kind": kind, "monitor": v.monitor, "filter": g.filter}
			switch kind {
			case earshot.PostsCard:
				card["sort"] = "engagement"
			case earshot.ComparisonCard:
				row := func(filter string) map[string]any { return map[string]any{"monitor": v.monitor, "filter": filter} }
				card = map[string]any{"kind": kind, "rows": []any{row("gender:F"), row("gender:M"), row("language:en")}, "earlier": "previous"}
			}
			cards = append(cards, card)
			ids = append(ids, fmt.Sprint(len(cards)))
		}
		groups = append(groups, strings.Join(ids, ","))
	}
	var d struct{ ID int64 }
	err = v.post(ctx, "/manage/v1/dashboards", map[string]any{"team": m.Team, "name": "Bench", "cards": cards}, &d)
	return fmt.Sprintf("/manage/v1/dashboards/%d", d.ID), groups, err
}

// openDashboard loads a dashboard as a browser does: the dashboard, then its cards. It returns how long
// the first cards and all of them took, and the size of the responses.
func (v *runningServer) openDashboard(ctx context.Context, path string, groups []string) (first, all time.Duration, bytes int64, err error) {
	start := time.Now()
	if bytes, err = v.get(ctx, client.Request{Method: "GET", Path: path}); err != nil {
		return 0, 0, 0, err
	}
	var mu sync.Mutex // guards first, bytes and err
	var wg sync.WaitGroup
	free := make(chan struct{}, browserConnections)
	for _, ids := range groups {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			query := url.Values{"ids": {ids}, "start": {v.days.Start.String()}, "end": {v.days.End.String()}}
			n, failure := v.get(ctx, client.Request{Method: "GET", Path: path + "/cards", Query: query})
			mu.Lock()
			defer mu.Unlock()
			bytes += n
			if first == 0 {
				first = time.Since(start)
			}
			if failure != nil {
				err = failure
			}
		})
	}
	wg.Wait()
	return first, time.Since(start), bytes, err
}

// measureDashboard opens a dashboard for the first time and then repeatedly.
func (v *runningServer) measureDashboard(ctx context.Context) ([]OverviewTimes, error) {
	path, groups, err := v.addDashboard(ctx)
	if err != nil {
		return nil, err
	}
	before := processorTime()
	first, all, bytes, err := v.openDashboard(ctx, path, groups)
	if err != nil {
		return nil, err
	}
	cpu := Milliseconds(processorTime() - before)
	var firsts, alls Times
	for range max(1, min(v.runs, 20)) {
		first, all, _, err := v.openDashboard(ctx, path, groups)
		if err != nil {
			return nil, err
		}
		firsts, alls = append(firsts, first), append(alls, all)
	}
	row := func(name string, cold time.Duration, warm Times) OverviewTimes {
		return OverviewTimes{name, bytes, Milliseconds(cold), Milliseconds(warm.Quantile(0.5)), Milliseconds(warm.Quantile(0.95)), cpu}
	}
	return []OverviewTimes{row(firstCards, first, firsts), row(allCards, all, alls)}, nil
}
