package delivery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/state/kv"
)

// Limits of tests, so that the test button cannot flood anyone.
const (
	testInterval = 2 * time.Second // minimum time between two tests of a channel
	maxTests     = 20              // of a channel within an hour
	maxTeamTests = 100             // of all channels of a team within an hour, also removed ones
)

// testEvent is the event of a test message.
const testEvent = "channel.test"

// Test sends a test message to a channel at once, and returns what happened. A failure is part of the
// delivery; the error is for what prevents the attempt. There are no further attempts. A disabled
// channel can be tested too, before it is enabled.
func (s *Service) Test(ctx context.Context, c *earshot.Caller, id earshot.ChannelID) (*earshot.Delivery, error) {
	ch, err := s.find(c, id)
	if err != nil {
		return nil, err
	}
	if reason := s.Unavailable(ch.Kind); reason != "" {
		return nil, earshot.Errorf(earshot.Invalid, "%s", reason)
	}
	if err := s.tests.count(ch, s.deliveriesOf(id), s.now()); err != nil {
		return nil, err
	}
	created := s.nextCreated()
	d := &earshot.Delivery{
		Team: ch.Team, Channel: ch.ID, Key: fmt.Sprintf("test.%d.%x", created.UnixMicro(), rand.Uint64()),
		State: earshot.DeliverySending, Attempts: 1, Created: created, Began: created,
		Message: earshot.Message{
			Event: testEvent, Severity: earshot.Info, Title: "Test message from Earshot", Path: "/signals/channels",
			Text: fmt.Sprintf("The channel “%s” works. %s sent this message to try it.", ch.Name, c.Name),
		},
	}
	if err := s.add(ctx, d); err != nil {
		return nil, err
	}
	result := channel.Result{Outcome: channel.Refused, Error: errInternal.Error()}
	if out, err := s.outgoing(ch, d, d.Message); err == nil {
		result = s.send(ctx, ch, d, out)
	}
	d, err = s.finish(ctx, ch, d, result, true)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, noChannel(id)
	}
	if err := s.prune(ctx, id); err != nil && ctx.Err() == nil {
		s.Log.Warn("tidying up the deliveries of a channel failed", "channel", id, "error", err)
	}
	return d, err
}

// tests limits tests. The zero value is ready to use.
type tests struct {
	mu    sync.Mutex
	teams map[earshot.TeamID][]channelTest // of the last hour, oldest first; guarded by mu
}

// A channelTest is when a channel was tested.
type channelTest struct {
	channel earshot.ChannelID
	at      time.Time
}

// count counts a test of a channel with the given deliveries, or returns an error if there were too
// many. The deliveries also have the tests of other processes.
func (t *tests) count(ch *earshot.Channel, deliveries []*earshot.Delivery, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for team, list := range t.teams {
		list = slices.DeleteFunc(list, func(test channelTest) bool { return now.Sub(test.at) >= time.Hour })
		if t.teams[team] = list; len(list) == 0 {
			delete(t.teams, team)
		}
	}
	ofTeam := t.teams[ch.Team]
	var ofChannel []time.Time
	for _, d := range deliveries {
		if d.Message.Event == testEvent && now.Sub(d.Created) < time.Hour {
			ofChannel = append(ofChannel, d.Created)
		}
	}
	tooMany := func(wait time.Duration, format string, args ...any) error {
		return &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait, Message: fmt.Sprintf(format, args...)}
	}
	for _, test := range ofTeam {
		if wait := test.at.Add(testInterval).Sub(now); test.channel == ch.ID && wait > 0 {
			return tooMany(wait, "This channel was tested a moment ago. Please wait a few seconds")
		}
	}
	if n := len(ofChannel); n >= maxTests {
		return tooMany(ofChannel[n-maxTests].Add(time.Hour).Sub(now), "This channel was tested %d times within the last hour, which is the maximum. Please try again later", maxTests)
	}
	if n := len(ofTeam); n >= maxTeamTests {
		return tooMany(ofTeam[n-maxTeamTests].at.Add(time.Hour).Sub(now), "The channels of this team were tested %d times within the last hour, which is the maximum. Please try again later", maxTeamTests)
	}
	if t.teams == nil {
		t.teams = map[earshot.TeamID][]channelTest{}
	}
	t.teams[ch.Team] = append(ofTeam, channelTest{ch.ID, now})
	return nil
}
