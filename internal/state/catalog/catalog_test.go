package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

var update = flag.Bool("update", false, "rewrite golden files")

func open(t *testing.T, store kv.Store) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestWritesAreVisibleImmediatelyAndAfterReopening(t *testing.T) {
	store := kv.NewMemory()
	c := open(t, store)
	want := &earshot.Team{ID: 7, Name: "Acme"}
	if err := c.Teams.Add(t.Context(), want.ID, want); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*catalog.Catalog{"same": c, "reopened": open(t, store)} {
		if got, ok := c.Teams.Find(7); !ok || *got != *want {
			t.Errorf("%s catalog: got %v %v, want %v", name, got, ok, want)
		}
	}
}

func TestWritesReachOtherCatalogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a, b := open(t, store), open(t, store)
		ctx := t.Context()
		if err := a.Teams.Add(ctx, 7, &earshot.Team{ID: 7, Name: "Acme"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, ok := b.Teams.Find(7); !ok {
			t.Error("the other catalog does not have the team")
		}
		_, before := b.Teams.Changes(0)
		if err := a.Teams.Remove(ctx, 7); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, ok := b.Teams.Find(7); ok {
			t.Error("the other catalog still has the removed team")
		}
		if changed, _ := b.Teams.Changes(before); !slices.Equal(changed, []earshot.TeamID{7}) {
			t.Errorf("the other catalog reports changes of %v, want the team", changed)
		}
	})
}

func TestChangesListsChangesSinceAVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, kv.NewMemory())
		ctx := t.Context()
		for id := range earshot.TeamID(4) {
			if err := c.Teams.Add(ctx, id+1, &earshot.Team{ID: id + 1}); err != nil {
				t.Fatal(err)
			}
		}
		want := func(since uint64, ids ...earshot.TeamID) uint64 {
			t.Helper()
			synctest.Wait() // the store reports a removal too
			got, version := c.Teams.Changes(since)
			if !slices.Equal(got, ids) {
				t.Errorf("since %d: got %v, want %v", since, got, ids)
			}
			return version
		}
		first := want(0, 1, 2, 3, 4)
		want(first)
		if _, err := c.Teams.Update(ctx, 3, func(t *earshot.Team) error { t.Name = "Acme"; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := c.Teams.Remove(ctx, 2); err != nil {
			t.Fatal(err)
		}
		second := want(first, 3, 2)
		if _, err := c.Teams.Update(ctx, 3, func(t *earshot.Team) error { t.Name = "Ajax"; return nil }); err != nil {
			t.Fatal(err)
		}
		want(second, 3)
		want(first, 2, 3)
		want(0, 1, 4, 2, 3)
	})
}

// An unreadable record stays known as unreadable until a readable version arrives.
func TestATableReportsUnreadableRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		c := open(t, store)
		var revision uint64
		for _, step := range []struct {
			value string
			want  bool
		}{{`{"ID":7}`, true}, {`{"ID":`, false}, {`{"ID":7,"Name":"Acme"}`, true}, {`7`, false}} {
			var err error
			if revision, err = store.Put(t.Context(), "team.7", []byte(step.value), revision); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := c.Teams.Complete(); got != step.want {
				t.Errorf("after %s: got %v, want %v", step.value, got, step.want)
			}
			if !c.Users.Complete() {
				t.Errorf("after %s: another table is reported as incomplete", step.value)
			}
		}
		if team, ok := c.Teams.Find(7); !ok || team.Name != "Acme" {
			t.Errorf("got %+v %v, want the last readable version", team, ok)
		}
		if err := store.Delete(t.Context(), "team.7", revision); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !c.Teams.Complete() {
			t.Error("a deleted record still makes the table incomplete")
		}
	})
}

func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	c := open(t, kv.NewMemory())
	if err := c.Teams.Add(t.Context(), 1, &earshot.Team{ID: 1}); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				_, err := c.Teams.Update(context.Background(), 1, func(t *earshot.Team) error { t.MonitorLimit++; return nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got, _ := c.Teams.Find(1); got.MonitorLimit != 400 {
		t.Errorf("got %d increments, want 400", got.MonitorLimit)
	}
}

func TestUpdatingAMissingRecordIsNotFound(t *testing.T) {
	c := open(t, kv.NewMemory())
	_, err := c.Teams.Update(t.Context(), 1, func(*earshot.Team) error { return nil })
	if !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestIDsAreConsecutiveAndNeverRepeat(t *testing.T) {
	store := kv.NewMemory()
	a, b := open(t, store), open(t, store)
	want := int64(earshot.FirstID)
	for i, c := range []*catalog.Catalog{a, b, a} {
		got, err := c.NextIDs(t.Context(), i+1)
		if err != nil || got != want {
			t.Errorf("got %d %v, want %d", got, err, want)
		}
		want += int64(i + 1)
	}
}

func TestNamesAreUnique(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, kv.NewMemory())
		ctx := t.Context()
		name := catalog.UniqueName{Kind: "team", Text: "Acme"}
		gone := func(int64) bool { return false }
		there := func(int64) bool { return true }
		if err := c.ReserveName(ctx, name, 1, there); err != nil {
			t.Fatal(err)
		}
		if err := c.ReserveName(ctx, catalog.UniqueName{Kind: "team", Text: " ACME"}, 2, there); !errors.Is(err, catalog.ErrNameTaken) {
			t.Errorf("same name in another case: got %v, want ErrNameTaken", err)
		}
		if err := c.ReserveName(ctx, name, 2, gone); !errors.Is(err, catalog.ErrNameTaken) {
			t.Errorf("a reservation whose owner is being created: got %v, want ErrNameTaken", err)
		}
		time.Sleep(2 * time.Minute) // virtual time
		if err := c.ReserveName(ctx, name, 2, gone); err != nil {
			t.Errorf("an abandoned reservation: got %v, want nil", err)
		}
		if err := c.ReleaseName(ctx, name, 1); err != nil {
			t.Fatal(err)
		}
		if err := c.ReserveName(ctx, name, 3, there); !errors.Is(err, catalog.ErrNameTaken) {
			t.Errorf("released by a record that does not own it: got %v, want ErrNameTaken", err)
		}
		if err := c.ReleaseName(ctx, name, 2); err != nil {
			t.Fatal(err)
		}
		if err := c.ReserveName(ctx, name, 3, there); err != nil {
			t.Errorf("a released name: got %v, want nil", err)
		}
	})
}

// A racingStore releases a name on another node immediately before it is deleted.
type racingStore struct {
	kv.Store
	release func() error
}

func (s *racingStore) Delete(ctx context.Context, key string, revision uint64) error {
	if release := s.release; release != nil {
		s.release = nil
		if err := release(); err != nil {
			return err
		}
	}
	return s.Store.Delete(ctx, key, revision)
}

func TestTwoNodesReleaseAName(t *testing.T) {
	records := kv.NewMemory()
	racing := &racingStore{Store: records}
	c, other := open(t, racing), open(t, records)
	name := catalog.UniqueName{Kind: "team", Text: "Acme"}
	if err := c.ReserveName(t.Context(), name, 1, nil); err != nil {
		t.Fatal(err)
	}
	racing.release = func() error { return other.ReleaseName(t.Context(), name, 1) }
	if err := c.ReleaseName(t.Context(), name, 1); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func TestDocumentsAreCountedForADay(t *testing.T) {
	c := open(t, kv.NewMemory())
	noon := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	f := func(after time.Duration, n, limit, want int64, wantErr error) {
		t.Helper()
		got, err := c.ReserveDocuments(t.Context(), noon.Add(after), n, limit)
		if !errors.Is(err, wantErr) || err == nil && got != want {
			t.Errorf("reserve %d after %v: got %d %v, want %d %v", n, after, got, err, want, wantErr)
		}
	}
	f(0, 60, 100, 60, nil)
	f(time.Hour, 50, 100, 0, catalog.ErrOverLimit)
	f(time.Hour, 40, 100, 100, nil)
	f(2*time.Hour, -40, 0, 60, nil)
	f(3*time.Hour, 1000, 0, 1060, nil)
	f(24*time.Hour, 1, 0, 1001, nil) // the first 60 are now a day old
}

// TestStoredFormIsUnchanged pins the stored records, because renaming a field of a domain type would
// lose data on disk.
func TestStoredFormIsUnchanged(t *testing.T) {
	choice := earshot.Choice{Exclude: true, Values: []string{"EN"}}
	criteria := earshot.Criteria{Keywords: "a", Languages: choice, Places: choice, Gender: "F", Sources: []string{"Twitter"}}
	category := earshot.Category{ID: 3, Name: "n", TrainingDocs: 4, Hidden: true, Group: "g", GroupID: 5}
	day := earshot.Date{Year: 2026, Month: 3, Day: 15}
	moment := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	records := []any{
		earshot.Team{ID: 1, Name: "n", MonitorLimit: 2},
		earshot.User{ID: 1, Username: "u", PasswordHash: "h", Email: "e", FirstName: "f", LastName: "l", Teams: []earshot.TeamID{2},
			APIAccess: true, Permissions: []earshot.Permission{"admin"}, TokenEpoch: 3, TokenGeneration: 4,
			SessionEpoch: 5, EndedSessions: []earshot.EndedSession{{ID: "s", Expires: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}},
			KnownNetworks: []earshot.KnownNetwork{{ID: "k", LastSignIn: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}}},
		earshot.Monitor{ID: 1, Name: "n", Description: "d", Type: "BUZZ", Team: 2, Criteria: criteria, Timezone: "UTC", Start: day,
			Tags: []string{"t"}, Enabled: true, DisabledOn: day, DisabledAt: 7, Generation: 8, RematchFrom: day, Categories: []earshot.Category{category}, Emotions: []earshot.Category{category},
			Training: earshot.Training{Changes: 9, Documents: 10, Model: earshot.Model{Record: 11, Buffer: 1, Changes: 12, Method: 13, Time: moment}, Previous: earshot.Model{Record: 14}},
			Account:  earshot.Account{Network: "Twitter", Handle: "h", PageID: "p"}, TargetHashtags: []string{"h"}, OwnAccounts: []string{"o"}, Realtime: true,
			Filters: []earshot.Filter{{ID: 6, Name: "f", Criteria: criteria}}, Created: moment, Edits: 15, Removed: true,
			Audit: []earshot.Event{{Kind: "ENABLED", User: "u", Time: moment}}},
		earshot.ContentSource{ID: 1, Team: 2, Name: "n", Description: "d", Domain: "news", DomainChosen: true, CustomFields: []string{"c"}, Removed: true},
		earshot.LiveSource{ID: 1, Team: 2, Name: "n", Kind: "bluesky", Settings: map[string]string{"url": "u"}, Secret: []byte{1}, Keep: earshot.KeepAll,
			RetentionDays: 3, ContentSource: 4, Created: moment, Paused: true, Removed: true, RemovePosts: true},
		catalog.Checkpoint{Cursor: "c", Position: 1, Events: 2, Posts: 3, Deletions: 4, Skipped: map[string]int64{"r": 5}, Bytes: 6, Reconnects: 7,
			GapTime: time.Second, Gaps: []catalog.Gap{{From: moment, To: moment, Reason: "r"}}, LastPost: moment, LastLive: moment},
		earshot.Erasure{ID: 1, Mark: []byte{2}, Time: moment, OneNetwork: true},
		earshot.Dashboard{ID: 1, Team: 2, Name: "n", Range: "lastweek", LastCard: 3, Edits: 4, CreatedBy: "u", Created: moment, EditedBy: "v", Edited: moment, Cards: []earshot.Card{{
			ID: 3, Kind: earshot.ComparisonCard, Title: "t", Width: 2, Monitor: 4, Filter: "f", Range: "last7", Start: day, End: day, Sort: "reach",
			Earlier: "year", Text: "x", Rows: []earshot.CardRow{{Label: "l", Monitor: 5, Filter: "f", Range: "last7", Start: day, End: day}}}}},
		earshot.SavedView{ID: 1, Team: 2, Monitor: 3, Name: "n", Path: "/p", CreatedBy: "u", Created: moment},
		earshot.ShareLink{ID: 1, Team: 2, Name: "n", TokenHash: []byte{1}, Dashboard: 3, Range: "last7", Cards: []earshot.Card{{ID: 4}}, PasswordHash: "h",
			Expires: moment, Revoked: moment, CreatedBy: "u", Created: moment, Views: 5, Uses: []earshot.ShareLinkUse{{Time: moment, Network: "n", Refused: "r"}}},
		earshot.Annotation{ID: 1, Team: 2, Monitor: 3, Start: day, End: day, Text: "t", CreatedBy: "u", Created: moment, Edited: moment},
		earshot.PostMark{ID: 1, Team: 2, Post: earshot.PostKey{Source: "Twitter", ContentSource: 3, GUID: "g"}, Starred: true, Tags: []string{"t"}, Assignee: 4,
			Notes: []earshot.PostNote{{ID: 1, Text: "t", By: "u", Time: moment, Edited: moment}}, Edited: moment},
		earshot.Correction{ID: 1, Monitor: 2, Post: earshot.PostKey{Source: "Twitter", GUID: "g"}, Sentiment: 1, Emotion: 2, Category: 3, By: "u", Time: moment},
		earshot.LabelSample{ID: 1, Monitor: 2, Generation: 3, Start: moment, End: moment, Of: 4, By: "u", Time: moment, Posts: []earshot.SampledPost{{Post: earshot.PostKey{Source: "Twitter", GUID: "g"}, Posted: moment,
			Labels: []earshot.PostLabel{{User: 5, By: "v", Time: moment, Sentiment: 1, Emotion: 2, Category: 3}}}}},
		earshot.Rule{ID: 1, Team: 2, Monitor: 3, Name: "n", Kind: earshot.ThresholdRule, Filter: "f", Unusual: earshot.Unusual{FalseAlarms: 12, Kinds: []earshot.SignalKind{earshot.VolumeSignal}, MinPosts: 4},
			Threshold: earshot.Threshold{Metric: earshot.CountryMetric, Below: true, Value: 0.5, Window: time.Hour, Of: "o", MinPosts: 5}, Severity: earshot.Warning, Channels: []earshot.ChannelID{6},
			Active: []earshot.Hours{{Days: []time.Weekday{time.Monday}, From: 7, To: 8}}, Quiet: []earshot.Hours{{From: 9, To: 10}}, CoolDown: time.Minute, MutedUntil: moment, Disabled: true, Cursor: 12,
			Edits: 11, CreatedBy: "u", Created: moment, EditedBy: "v", Edited: moment},
		earshot.Signal{ID: 1, Team: 2, Monitor: 3, Rule: 4, Kind: earshot.VolumeSignal, Subject: "s", Label: "l", State: earshot.Firing, Severity: earshot.Info, Title: "t", Text: "x",
			From: moment, To: moment, Filter: "f", Metric: earshot.PostsMetric, Window: time.Hour, Observed: 5, Expected: 6, Low: 7, High: 8, Chance: 0.5, Peak: 9, PeakTime: moment, Reported: 10,
			Posts: []earshot.PostKey{{Source: "Twitter", GUID: "g"}}, Newcomers: []earshot.Newcomer{{Kind: earshot.HashtagSignal, Subject: "s", Label: "l", Posts: 1}},
			Explanation: &earshot.SignalExplanation{From: moment, To: moment, Sentence: "s", Cause: "c", Explained: 0.5, Stories: []earshot.SignalStory{{Name: "n", Terms: []string{"t"}, Filter: "f", Posts: 1, Share: 0.5, Link: "l"}},
				Words: []string{"w"}, Posts: []earshot.PostKey{{Source: "Twitter", GUID: "g"}}},
			Raised: moment, Updated: moment, Evaluated: moment, Resolved: moment, Quiet: moment, Notified: 1, LastNumber: 2,
			Events: []earshot.SignalEvent{{Number: 1, Kind: earshot.SignalRaised, Time: moment, By: "u", Observed: 2, Assignee: 3}}, AcknowledgedBy: "u", Acknowledged: moment, Assignee: 3,
			Comments: []earshot.SignalComment{{ID: 1, Text: "t", By: "u", Time: moment}}, Feedback: []earshot.SignalFeedback{{User: 1, Useful: true, Time: moment}}},
		earshot.Channel{ID: 1, Team: 2, Name: "n", Kind: earshot.EmailChannel, Target: "t", Secret: []byte{1}, Recipients: []string{"r"}, Template: "x", PerHour: 3, Disabled: moment, DisabledReason: "r",
			Edits: 4, CreatedBy: "u", Created: moment, EditedBy: "v", Edited: moment},
		earshot.Delivery{ID: 1, Team: 2, Channel: 3, Key: "k", State: earshot.DeliveryWaiting, Attempts: 4, Created: moment, Next: moment, Began: moment, Finished: moment, Error: "e", Status: 5, Summary: 6, Members: []earshot.DeliveryID{7}, Recipients: []string{"r"},
			Message: earshot.Message{Event: "e", Severity: earshot.Critical, Title: "t", Text: "x", Facts: []earshot.Fact{{Name: "n", Value: "v"}}, Posts: []earshot.MessagePost{{Key: earshot.PostKey{Source: "s", GUID: "g"}, Author: "a", Text: "t", Source: "s", URL: "u", Time: moment}},
				Path: "/p", Thread: "t", Data: []byte("{}"), Report: 6, Period: "p"}},
		earshot.ScheduledReport{ID: 1, Team: 2, Name: "n", Monitors: []earshot.MonitorID{3}, Dashboards: []earshot.DashboardID{4}, Cards: []earshot.Card{{ID: 6}}, Compare: []earshot.MonitorID{7}, Client: 8, Filter: "f", Cron: "0 8 * * 1", Timezone: "UTC", Range: "lastweek", PDF: true, XLSX: true,
			Channels: []earshot.ChannelID{5}, Disabled: true, Since: moment, Edits: 6, CreatedBy: "u", Created: moment, EditedBy: "v", Edited: moment},
		earshot.FeedLink{ID: 1, Team: 2, Name: "n", Kind: earshot.PostFeed, Monitor: 3, Filter: "f", TokenHash: []byte{1}, CreatedBy: "u", Created: moment},
		earshot.Invitation{ID: 1, Team: 2, TokenHash: []byte{1}, Username: "u", Email: "e", Permissions: []earshot.Permission{"content"}, Expires: moment, Inviter: 3, Created: moment},
		earshot.Client{ID: 1, Team: 2, Name: "n", Logo: []byte{1}, Default: true, Edits: 3, CreatedBy: "u", Created: moment, EditedBy: "v", Edited: moment},
		earshot.Contract{DocumentsPerDay: 1, QueriesPerYear: 2, PeriodStart: day},
		catalog.Formats{Journal: 1, Catalog: 2, Streams: 3},
		catalog.Secret{Fingerprint: "f"},
	}
	var got []byte
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(append(got, line...), '\n')
	}
	const file = "testdata/records.golden"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the stored form changed; records written before would be misread\ngot\n%s\nwant\n%s", got, want)
	}
}
