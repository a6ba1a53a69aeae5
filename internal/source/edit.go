package source

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
)

// Limits on the number of sources. Each source needs a goroutine, a lease and a checkpoint.
const (
	maxPerTeam = 1_000
	maxTotal   = 10_000
)

// removalTimeout is how long Remove waits until everything is removed. After that, the removal
// continues in the background.
const removalTimeout = 5 * time.Second

// Add adds a source and starts it. src has Team, Name, Kind, Settings, Keep and RetentionDays.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string) (Info, error) {
	if !c.In(src.Team) || !c.May(earshot.ContentPermission) {
		return Info{}, earshot.ErrAccessDenied
	}
	src.Name = strings.TrimSpace(src.Name)
	src.Settings = trimmed(src.Settings)
	k, err := s.check(c, &src, secret)
	if err != nil {
		return Info{}, err
	}
	if err := s.checkRules(ctx, k, &src, secret); err != nil {
		return Info{}, err
	}
	src.ContentSource = 0
	if err := s.checkNew(&src); err != nil {
		return Info{}, err
	}
	if err := s.setContentSource(ctx, c, k, &src); err != nil {
		return Info{}, err
	}
	// The team must not be removed concurrently.
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (Info, error) {
		if err := s.checkNew(&src); err != nil {
			return Info{}, err
		}
		id, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return Info{}, err
		}
		src.ID, src.Created = earshot.LiveSourceID(id), s.now().UTC().Round(0)
		src.Paused, src.Removed, src.RemovePosts = false, false, false
		if src.Secret, err = s.encrypt(src.ID, secret); err != nil {
			return Info{}, err
		}
		if err := s.reserveName(ctx, &src); err != nil {
			return Info{}, err
		}
		if err := s.add(ctx, &src); err != nil {
			_ = s.Catalog.ReleaseName(context.WithoutCancel(ctx), sourceName(&src), id) // expires otherwise
			return Info{}, err
		}
		s.changed.Notify()
		return s.info(&src), nil
	})
}

// add writes the records of a new source. The first checkpoint states that no earlier journal
// entry has a cursor of the source.
func (s *Service) add(ctx context.Context, src *earshot.LiveSource) error {
	last, err := s.Journal.Last(ctx)
	if err != nil {
		return err
	}
	if err := s.Catalog.Checkpoints.Add(ctx, src.ID, &catalog.Checkpoint{Position: last}); err != nil {
		return err
	}
	return s.Catalog.Live.Add(ctx, src.ID, src)
}

// setContentSource finds or adds the content source of a source that delivers custom content.
func (s *Service) setContentSource(ctx context.Context, c *earshot.Caller, k *connector.Kind, src *earshot.LiveSource) error {
	if k.Sources(k.WithDefaults(src.Settings)) != nil || src.ContentSource != 0 {
		return nil
	}
	for _, to := range s.Catalog.Sources.List() {
		if to.Team != src.Team || catalog.Fold(to.Name) != catalog.Fold(src.Name) {
			continue
		}
		if to.Removed {
			return earshot.Errorf(earshot.Conflict, "The name '%s' is taken by a content source of the team that is being deleted", src.Name)
		}
		src.ContentSource = to.ID
		return nil
	}
	to, err := s.Content.AddSource(ctx, c, earshot.ContentSource{
		Team: src.Team, Name: src.Name, Description: "Posts from the live source '" + src.Name + "'",
	})
	if err != nil {
		return err
	}
	src.ContentSource = to.ID
	return nil
}

// reserveName reserves the name of a source in its team.
func (s *Service) reserveName(ctx context.Context, src *earshot.LiveSource) error {
	err := s.Catalog.ReserveName(ctx, sourceName(src), int64(src.ID), func(id int64) bool {
		other, ok := s.Catalog.Live.Find(earshot.LiveSourceID(id))
		return ok && catalog.Fold(other.Name) == catalog.Fold(src.Name)
	})
	if errors.Is(err, catalog.ErrNameTaken) {
		return nameTaken(src)
	}
	return err
}

func nameTaken(src *earshot.LiveSource) error {
	return earshot.Errorf(earshot.Conflict, "The name '%s' is taken by another live source of the team", src.Name)
}

// checkNew checks that the limits allow another source and that its name is unique.
func (s *Service) checkNew(src *earshot.LiveSource) error {
	if _, ok := s.Catalog.Teams.Find(src.Team); !ok {
		return earshot.Errorf(earshot.NotFound, "Team %d does not exist", src.Team)
	}
	var own, total int
	for _, other := range s.Catalog.Live.List() {
		total++
		if other.Team != src.Team {
			continue
		}
		own++
		if !other.Removed && catalog.Fold(other.Name) == catalog.Fold(src.Name) {
			return nameTaken(src)
		}
	}
	switch {
	case own >= maxPerTeam:
		return earshot.Errorf(earshot.OverLimit, "The team has %d live sources, which is the maximum. Remove one first", own)
	case total >= maxTotal:
		return earshot.Errorf(earshot.OverLimit, "The installation has %d live sources, which is the maximum. Remove one first", total)
	}
	return nil
}

// Edit changes a source and restarts it.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.LiveSourceID, change Change) (Info, error) {
	old, err := s.manage(c, id)
	if err != nil {
		return Info{}, err
	}
	edited, secret, err := s.edited(c, old, change)
	if err != nil {
		return Info{}, err
	}
	if change.changesConnection() {
		k, err := s.check(c, edited, secret)
		if err != nil {
			return Info{}, err
		}
		if err := s.checkRules(ctx, k, edited, secret); err != nil {
			return Info{}, err
		}
		if err := s.setContentSource(ctx, c, k, edited); err != nil {
			return Info{}, err
		}
	}
	if renamed := edited.Name != old.Name; renamed {
		if err := s.reserveName(ctx, edited); err != nil {
			return Info{}, err
		}
	}
	src, err := s.Catalog.Live.Update(ctx, id, func(src *earshot.LiveSource) error {
		if src.Removed {
			return earshot.NoLiveSource(id)
		}
		if !reflect.DeepEqual(src, old) {
			return earshot.Errorf(earshot.Conflict, "Someone else changed the source at the same time. Please try again")
		}
		*src = *edited
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return Info{}, earshot.NoLiveSource(id)
	}
	if err != nil {
		return Info{}, err
	}
	if catalog.Fold(edited.Name) != catalog.Fold(old.Name) {
		if err := s.Catalog.ReleaseName(ctx, sourceName(old), int64(id)); err != nil {
			s.Log.Warn("releasing the old name of a live source failed; it stays reserved", "source", id, "error", err)
		}
	}
	s.changed.Notify()
	return s.info(src), nil
}

// manage returns a source that c may change.
func (s *Service) manage(c *earshot.Caller, id earshot.LiveSourceID) (*earshot.LiveSource, error) {
	src, err := s.find(c, id)
	if err == nil && !c.May(earshot.ContentPermission) {
		err = earshot.ErrAccessDenied
	}
	return src, err
}

// changesConnection reports whether the change affects the connector.
func (c Change) changesConnection() bool {
	return c.Name != nil || c.Settings != nil || c.Secret != nil || c.Keep != nil || c.RetentionDays != nil
}

// edited returns a copy of a source with a change, and its secret.
func (s *Service) edited(c *earshot.Caller, old *earshot.LiveSource, change Change) (*earshot.LiveSource, string, error) {
	src := *old
	src.Settings = merged(old.Settings, change.Settings)
	if change.Name != nil {
		src.Name = strings.TrimSpace(*change.Name)
	}
	if change.Keep != nil {
		src.Keep = *change.Keep
	}
	if change.RetentionDays != nil {
		src.RetentionDays = *change.RetentionDays
	}
	if change.Paused != nil {
		src.Paused = *change.Paused
	}
	if change.Secret != nil {
		var err error
		if src.Secret, err = s.encrypt(src.ID, *change.Secret); err != nil {
			return nil, "", err
		}
		return &src, *change.Secret, nil
	}
	if err := keepsSecret(old, src.Settings); err != nil {
		return nil, "", err
	}
	secret, err := s.decrypt(old.ID, old.Secret)
	if err != nil && change.changesConnection() {
		return nil, "", earshot.Errorf(earshot.Invalid, "%s", upperFirst(err.Error()))
	}
	return &src, secret, nil
}

// addressSettings are the settings that determine where a secret is sent.
var addressSettings = []string{"url", "urls", "server", "host", "instance", "path"}

// keepsSecret returns an error if new settings would send the stored secret of a source to another
// address. Someone who may change a source must not be able to read its secret that way.
func keepsSecret(old *earshot.LiveSource, settings map[string]string) error {
	if len(old.Secret) == 0 {
		return nil
	}
	for _, name := range addressSettings {
		if old.Settings[name] != settings[name] {
			return earshot.InvalidBody("enter the secret again, because the setting '%s' changes where it is sent", name)
		}
	}
	return nil
}

// Remove stops and removes a source, and its posts if withPosts is set.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.LiveSourceID, withPosts bool) error {
	if _, err := s.manage(c, id); err != nil {
		return err
	}
	_, err := s.Catalog.Live.Update(ctx, id, func(src *earshot.LiveSource) error {
		src.Removed, src.RemovePosts = true, src.RemovePosts || withPosts
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return earshot.NoLiveSource(id)
	}
	if err != nil {
		return err
	}
	s.changed.Notify()
	s.awaitRemoval(ctx, id)
	return nil
}

// awaitRemoval waits until a source is removed, for a limited time, if Run is running.
func (s *Service) awaitRemoval(ctx context.Context, id earshot.LiveSourceID) {
	ctx, cancel := context.WithTimeout(ctx, removalTimeout)
	defer cancel()
	for s.runner(id) != nil && sleep.For(ctx, 5*time.Millisecond) {
	}
}

// trimmed returns settings without spaces around values and without empty values.
func trimmed(settings map[string]string) map[string]string { return merged(nil, settings) }

// merged returns settings with changes. An empty value removes a setting.
func merged(settings, change map[string]string) map[string]string {
	all := maps.Clone(settings)
	if all == nil {
		all = map[string]string{}
	}
	for name, value := range change {
		if value = strings.TrimSpace(value); value == "" {
			delete(all, name)
		} else {
			all[name] = value
		}
	}
	return all
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
