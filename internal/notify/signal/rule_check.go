package signal

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/poststore"
)

// Limits of rules.
const (
	maxRuleName   = 200       // characters
	maxFilter     = 4000      // bytes
	minWindow     = time.Hour // of a threshold
	maxWindow     = 7 * 24 * time.Hour
	maxCoolDown   = 7 * 24 * time.Hour
	maxMute       = 366 * 24 * time.Hour
	maxHours      = 14 // parts of the week in a schedule
	maxValue      = 1e12
	maxMinPosts   = 1_000_000
	minutesOfDay  = 24 * 60
	maxWindowText = "1 to 168 hours"
)

// CheckRule checks a rule that c wants to add, and fills in its team and defaults.
func (s *Service) CheckRule(ctx context.Context, c *earshot.Caller, r *earshot.Rule) error {
	m, ok := s.Catalog.FindMonitor(r.Monitor)
	if !ok || !c.In(m.Team) {
		return earshot.NoMonitor(r.Monitor)
	}
	r.Team = m.Team
	return s.checkRule(ctx, r)
}

// checkRule checks a rule and fills in defaults.
func (s *Service) checkRule(ctx context.Context, r *earshot.Rule) error {
	r.Name, r.Filter = strings.TrimSpace(r.Name), strings.TrimSpace(r.Filter)
	if r.Name == "" && r.Kind == earshot.UnusualRule {
		r.Name = unusualName
	}
	if err := earshot.CheckText("name", r.Name, 1, maxRuleName); err != nil {
		return err
	}
	m, ok := s.Catalog.FindMonitor(r.Monitor)
	if !ok || m.Team != r.Team {
		return earshot.NoMonitor(r.Monitor)
	}
	if err := s.checkKind(ctx, m, r); err != nil {
		return err
	}
	return s.checkNotifications(r)
}

func (s *Service) checkKind(ctx context.Context, m *earshot.Monitor, r *earshot.Rule) error {
	if !slices.Contains([]earshot.RuleKind{earshot.UnusualRule, earshot.ThresholdRule, earshot.PostRule}, r.Kind) {
		return earshot.InvalidBody("kind must be unusual, threshold or post")
	}
	if r.Kind != earshot.UnusualRule && !emptyUnusual(r.Unusual) {
		return earshot.InvalidBody("unusual is only for rules of kind unusual")
	}
	if r.Kind != earshot.ThresholdRule && r.Threshold != (earshot.Threshold{}) {
		return earshot.InvalidBody("threshold is only for rules of kind threshold")
	}
	if r.Kind == earshot.UnusualRule {
		if r.Filter != "" {
			return earshot.InvalidBody("a rule of kind unusual has no filter; use a saved filter of the monitor instead")
		}
		return checkUnusual(&r.Unusual)
	}
	if err := s.checkFilter(ctx, m, r); err != nil || r.Kind == earshot.PostRule {
		return err
	}
	return checkThreshold(m, r)
}

func emptyUnusual(u earshot.Unusual) bool {
	return u.FalseAlarms == 0 && len(u.Kinds) == 0 && u.MinPosts == 0
}

func (s *Service) checkFilter(ctx context.Context, m *earshot.Monitor, r *earshot.Rule) error {
	if r.Filter == "" {
		return nil
	}
	if len(r.Filter) > maxFilter {
		return earshot.InvalidBody("filter must have at most %d bytes", maxFilter)
	}
	of := *m
	of.ID = r.Monitor
	return s.selectPosts(ctx, &of, r.Filter, func(poststore.Selection) error { return nil })
}

func checkUnusual(u *earshot.Unusual) error {
	if u.FalseAlarms == 0 {
		u.FalseAlarms = earshot.DefaultFalseAlarms
	}
	if !slices.Contains(earshot.FalseAlarmRates, u.FalseAlarms) {
		return earshot.InvalidBody("unusual.falseAlarms must be %s per year", joinOr(earshot.FalseAlarmRates))
	}
	if u.MinPosts == 0 {
		u.MinPosts = earshot.DefaultMinPosts
	}
	if u.MinPosts < 1 || u.MinPosts > maxMinPosts {
		return earshot.InvalidBody("unusual.minPosts must be 1 to %d", maxMinPosts)
	}
	var kinds []earshot.SignalKind // in the order of UnusualKinds, each once
	for _, k := range earshot.UnusualKinds {
		if slices.Contains(u.Kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for _, k := range u.Kinds {
		if !slices.Contains(kinds, k) {
			return earshot.InvalidBody("unusual.kinds: '%s' is not one of %s", earshot.Clip(string(k), 100), join(earshot.UnusualKinds))
		}
	}
	u.Kinds = kinds
	return nil
}

func checkThreshold(m *earshot.Monitor, r *earshot.Rule) error {
	t := &r.Threshold
	if !slices.Contains(earshot.Metrics, t.Metric) {
		return earshot.InvalidBody("threshold.metric must be one of %s", join(earshot.Metrics))
	}
	switch {
	case math.IsNaN(t.Value):
		return earshot.InvalidBody("threshold.value must be a number")
	case t.Metric.IsShare() && (t.Value < 0 || t.Value > 1):
		return earshot.InvalidBody("threshold.value must be 0 to 1, because %s is a share", t.Metric)
	case t.Value < 0 || t.Value > maxValue:
		return earshot.InvalidBody("threshold.value must be 0 to %.0f", float64(maxValue))
	case t.Window < minWindow || t.Window > maxWindow || t.Window%time.Hour != 0:
		return earshot.InvalidBody("threshold.windowHours must be %s", maxWindowText)
	case t.MinPosts < 0 || t.MinPosts > maxMinPosts:
		return earshot.InvalidBody("threshold.minPosts must be 0 to %d", maxMinPosts)
	case t.MinPosts > 0 && !t.Metric.IsShare():
		return earshot.InvalidBody("threshold.minPosts is only for shares")
	}
	if t.Metric.IsShare() && t.MinPosts == 0 {
		t.MinPosts = earshot.DefaultMinPosts
	}
	return checkOf(m, t)
}

// checkOf checks the category, country or language that a share is about.
func checkOf(m *earshot.Monitor, t *earshot.Threshold) error {
	switch t.Metric {
	case earshot.CategoryMetric:
		if m.HasBasicCategories() {
			return earshot.InvalidBody("threshold.metric category is only for opinion monitors")
		}
		if !slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return strconv.FormatInt(int64(c.ID), 10) == t.Of }) {
			return earshot.InvalidBody("threshold.of must be the id of a category of the monitor")
		}
	case earshot.CountryMetric:
		place, ok := geo.Find(t.Of)
		if !ok || strings.Contains(place.ID(), ".") {
			return earshot.InvalidBody("threshold.of must be the id of a country, for example USA")
		}
		t.Of = place.ID()
	case earshot.LanguageMetric:
		code, ok := earshot.FindLanguage(t.Of)
		if !ok {
			return earshot.InvalidBody("threshold.of must be the code of a language, for example en")
		}
		t.Of = code
	default:
		if t.Of != "" {
			return earshot.InvalidBody("threshold.of is only for the metrics category, country and language")
		}
	}
	return nil
}

func (s *Service) checkNotifications(r *earshot.Rule) error {
	if r.Severity == "" {
		r.Severity = earshot.Warning
	}
	if !slices.Contains(earshot.Severities, r.Severity) {
		return earshot.InvalidBody("severity must be info, warning or critical")
	}
	if len(r.Channels) > earshot.MaxRuleChannels {
		return earshot.InvalidBody("channels must have at most %d entries", earshot.MaxRuleChannels)
	}
	for i, id := range r.Channels {
		if ch, ok := s.Catalog.Channels.Find(id); !ok || ch.Team != r.Team {
			return earshot.InvalidBody("channels[%d]: channel %d does not exist", i, id)
		}
		if slices.Contains(r.Channels[:i], id) {
			return earshot.InvalidBody("channels[%d]: channel %d is there twice", i, id)
		}
	}
	if err := checkHours("active", r.Active); err != nil {
		return err
	}
	if err := checkHours("quiet", r.Quiet); err != nil {
		return err
	}
	if err := checkQuiet(r.Quiet); err != nil {
		return err
	}
	if r.CoolDown < 0 || r.CoolDown > maxCoolDown {
		return earshot.InvalidBody("coolDownMinutes must be 0 to %.0f", maxCoolDown.Minutes())
	}
	if r.MutedUntil.After(s.Now().Add(maxMute)) {
		return earshot.InvalidBody("mutedUntil must be within a year; disable the rule instead")
	}
	r.MutedUntil = r.MutedUntil.UTC().Truncate(time.Second)
	return nil
}

func checkHours(field string, list []earshot.Hours) error {
	if len(list) > maxHours {
		return earshot.InvalidBody("%s must have at most %d entries", field, maxHours)
	}
	for i, h := range list {
		if h.From < 0 || h.From >= minutesOfDay || h.To < 0 || h.To > minutesOfDay {
			return earshot.InvalidBody("%s[%d]: from and to are times of day from 00:00 to 24:00", field, i)
		}
		for j, d := range h.Days {
			if d < time.Sunday || d > time.Saturday || slices.Contains(h.Days[:j], d) {
				return earshot.InvalidBody("%s[%d].days must be days of the week, each once", field, i)
			}
		}
	}
	return nil
}

// checkQuiet returns an error if all of the week is quiet: notifications would wait forever.
func checkQuiet(list []earshot.Hours) error {
	monday := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	if inHours(list, monday, false) && endOfQuiet(list, monday).IsZero() {
		return earshot.InvalidBody("quiet must leave some time of the week")
	}
	return nil
}

// join lists values: "a, b and c".
func join[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = string(v)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}

// joinOr lists numbers: "1, 12 or 52".
func joinOr(list []int) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = strconv.Itoa(v)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " or " + texts[len(texts)-1]
}
