package demo

import (
	"context"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/monitor"
)

// A monitorSpec describes a monitor of the demo.
type monitorSpec struct {
	name, description string
	kind              earshot.MonitorType
	keywords          string
	languages         []string
	sources           []string
	account           earshot.Account
	categories        []string
	hashtags          []string
	filter            filterSpec
}

// StreamName is the name of the stream that contains the posts of the last day.
const StreamName = "Coffee machines live"

// LiveMonitor is the name of the monitor for the posts of the live sources.
const LiveMonitor = "Everyday life"

// Monitors of the stream, in addition to Reasons.
const (
	twitterMonitor = "Coffee machines on Twitter"
	pressMonitor   = "Press and forums"
)

// A filterSpec describes a filter of a monitor; the zero value means none.
type filterSpec struct{ name, keywords string }

var monitors = []monitorSpec{
	{name: Brand, description: "Everything said about the brand", keywords: "morvessa OR @" + TwitterHandle, filter: filterSpec{"The recall", "recall OR recalls OR solano OR overheated"}},
	{name: twitterMonitor, description: "The three makers, microblogs only", keywords: "morvessa OR kelvarro OR ostrinde",
		sources: []string{"Twitter", "Bluesky", "Mastodon"}, filter: filterSpec{Brand, "morvessa"}},
	{name: "Coffee pictures", description: "Instagram posts about coffee", keywords: "morvessa OR kelvarro OR ostrinde OR coffee",
		sources: []string{"Instagram"}, hashtags: []string{"morvessa"}},
	{name: pressMonitor, description: "No microblogs", keywords: "morvessa OR kelvarro OR ostrinde",
		sources: []string{"News", "Blogs", "Forums", "Reviews", "Comments", "Reddit"}},
	{name: Reasons, description: "What matters to people who post about the brands, in English", kind: earshot.Opinion,
		keywords: "morvessa OR kelvarro OR ostrinde", languages: []string{"EN"}, categories: []string{"Taste", "Price", "Reliability", "Service", "Off-topic"}},
	{name: Brand + " on Twitter", description: "The brand's account", kind: earshot.Social,
		account: earshot.Account{Network: earshot.Twitter, Handle: TwitterHandle}},
	{name: Brand + " on Instagram", description: "The brand's account", kind: earshot.Social,
		account: earshot.Account{Network: earshot.Instagram, Handle: InstagramHandle}},
	{name: Brand + " on Facebook", description: "The brand's page", kind: earshot.Social,
		account: earshot.Account{Network: earshot.Facebook, PageID: FacebookPageID}},
	{name: FirstRival, description: "Everything said about the main competitor", keywords: "kelvarro OR @" + FirstRivalHandle},
	{name: SecondRival, description: "Everything said about the smaller competitor", keywords: "ostrinde OR @" + SecondRivalHandle},
}

// timezone is the time zone of the monitors.
const timezone = "America/New_York"

// liveMonitor selects posts that the live sources of the demo make up. It begins a week ago: compared with
// months of the few generated posts about everyday life, they would look like an incident.
var liveMonitor = monitorSpec{name: LiveMonitor, description: "Small talk about food, pets and gadgets, from the live sources",
	keywords: "bread OR ramen OR cooking OR restaurant OR phone OR laptop OR programming OR internet OR cat OR dog",
	sources:  []string{"Bluesky", "Mastodon", "Hacker News", "News"}}

// addMonitors adds the missing monitors and their filters.
func (g Generator) addMonitors(ctx context.Context, w World, c *earshot.Caller, team *earshot.Team) error {
	existing := w.Monitors.List(c, team.ID)
	wanted := monitors
	if w.Sources != nil {
		wanted = append(slices.Clone(monitors), liveMonitor)
	}
	for _, p := range wanted {
		if slices.ContainsFunc(existing, func(m *earshot.Monitor) bool { return m.Name == p.name }) {
			continue
		}
		m, err := w.Monitors.Add(ctx, c, g.changes(p, team))
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if p.filter == (filterSpec{}) {
			continue
		}
		_, err = w.Monitors.AddFilter(ctx, c, m.ID, monitor.FilterChanges{
			Name:     &p.filter.name,
			Criteria: monitor.CriteriaChanges{Keywords: &p.filter.keywords},
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (g Generator) changes(p monitorSpec, team *earshot.Team) monitor.Changes {
	start := earshot.DateOf(g.End.UTC()).AddDays(-g.Days)
	if p.name == LiveMonitor {
		start = earshot.DateOf(g.End.UTC()).AddDays(-7)
	}
	zone := timezone
	ch := monitor.Changes{
		Name: &p.name, Description: &p.description, Team: &team.ID, Timezone: &zone, Start: &start,
		Criteria: monitor.CriteriaChanges{Keywords: &p.keywords, Sources: &p.sources, Languages: &earshot.Choice{Values: p.languages}},
	}
	if p.kind != "" {
		ch.Type = &p.kind
	}
	if p.kind == earshot.Social {
		ch.Account = &p.account
	}
	if p.hashtags != nil {
		ch.TargetHashtags = &p.hashtags
	}
	if p.categories != nil {
		list := make([]monitor.CategoryChange, len(p.categories))
		for i := range p.categories {
			list[i].Name = &p.categories[i]
		}
		ch.Categories = &list
	}
	return ch
}
