package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
)

// A team with many slow receivers uses only some of the attempts, and its channels take turns.
func TestTeamsAndChannelsTakeTurns(t *testing.T) {
	inWorld(t, func(w *world) {
		var slow []*earshot.Channel
		for i := range 3 * maxTeamParallel {
			slow = append(slow, w.add(earshot.WebhookChannel, func(s *Settings) { s.Name = ptr(fmt.Sprint(i)) }))
		}
		other, _, err := w.Add(w.Context(), w.bob, 2, earshot.WebhookChannel, Settings{Name: ptr("Other"), URL: ptr("https://hooks.example/other")})
		w.must(err)
		for i := range 10 {
			w.enqueue(w.Service, fmt.Sprint(i), slow...)
		}
		w.must(w.Enqueue(w.Context(), earshot.Notification{Key: "other", Team: 2, Channels: []earshot.ChannelID{other.ID}, Message: earshot.Message{Title: "other"}}))
		w.sender.set(func(f *fakeSender) { f.takes = 10 * time.Second })
		stop := w.run(w.Service)
		defer stop()
		w.sleep(5 * time.Second)
		if n := len(w.sender.messages()); n != maxTeamParallel+1 {
			w.Errorf("%d messages are being sent, want %d of one team and one of the other", n, maxTeamParallel)
		}
		w.sleep(5*time.Second + 5*10*time.Second) // six rounds
		sent := map[string]int{}
		for _, m := range w.sender.messages() {
			sent[m.Channel]++
		}
		for _, ch := range slow {
			if sent[ch.Name] < 2 {
				w.Errorf("channel %s sent %d messages, want 2; all: %v", ch.Name, sent[ch.Name], sent)
			}
		}
	})
}

func TestFewReportsAreRenderedAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		var mu sync.Mutex
		rendering, most := 0, 0
		w.Render = func(_ context.Context, d *earshot.Delivery) (earshot.Message, error) {
			count := func(by int) {
				mu.Lock()
				defer mu.Unlock()
				rendering += by
				most = max(most, rendering)
			}
			count(1)
			defer count(-1)
			time.Sleep(time.Minute)
			return d.Message, nil
		}
		stop := w.run(w.Service)
		defer stop()
		var ids []earshot.ChannelID
		for range maxReports + 1 {
			ids = append(ids, w.add(earshot.EmailChannel).ID)
		}
		w.must(w.Enqueue(w.Context(), earshot.Notification{Key: "report.3.2026-03", Team: 1, Channels: ids, Message: earshot.Message{Title: "Weekly", Report: 3}}))
		w.sleep(10 * time.Minute)
		if n := len(w.sender.messages()); most != maxReports || n != len(ids) {
			w.Errorf("rendered %d reports at once and sent %d, want %d and %d", most, n, maxReports, len(ids))
		}
	})
}

// A report is sent to whom the channel names when it is ready, and not if the channel was disabled.
func TestChannelChangesWhileRendering(t *testing.T) {
	inWorld(t, func(w *world) {
		changed, disabled, removed := w.add(earshot.EmailChannel), w.add(earshot.EmailChannel), w.add(earshot.EmailChannel)
		w.Render = func(_ context.Context, d *earshot.Delivery) (earshot.Message, error) {
			time.Sleep(time.Minute)
			return d.Message, nil
		}
		stop := w.run(w.Service)
		defer stop()
		for _, ch := range []*earshot.Channel{changed, disabled, removed} {
			w.must(w.Enqueue(w.Context(), earshot.Notification{Key: "report.3.2026-03", Team: 1, Channels: []earshot.ChannelID{ch.ID}, Message: earshot.Message{Title: "Weekly", Report: 3}}))
			w.sleep(time.Second)
			var err error
			switch ch {
			case changed:
				_, err = w.Edit(w.Context(), w.ann, ch.ID, Settings{Recipients: &[]string{"new@example.com"}})
			case disabled:
				_, err = w.Edit(w.Context(), w.ann, ch.ID, Settings{Enabled: ptr(false)})
			case removed:
				err = w.Remove(w.Context(), w.ann, ch.ID)
			}
			w.must(err)
			w.sleep(10 * time.Minute)
		}
		sent := w.sender.messages()
		if len(sent) != 1 || len(sent[0].to.Recipients) != 1 || sent[0].to.Recipients[0] != "new@example.com" {
			w.Errorf("got %+v, want one message to the new recipient", sent)
		}
		w.wantStates(changed, "sent")
		w.wantStates(disabled, "failed")
		w.wantStates(removed, "")
	})
}

// panickingLog panics at some messages, as a bug would.
type panickingLog struct {
	slog.Handler
	at []string
}

func (l panickingLog) Handle(ctx context.Context, r slog.Record) error {
	for _, text := range l.at {
		if strings.Contains(r.Message, text) {
			panic("a bug")
		}
	}
	return l.Handler.Handle(ctx, r)
}

// A panic ends one attempt, but neither the process nor other channels.
func TestPanics(t *testing.T) {
	f := func(name, at, states, log string, settings ...func(*Settings)) {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				ch, other := w.add(earshot.SlackChannel, append(settings, func(s *Settings) { s.Name = ptr("Broken") })...), w.add(earshot.SlackChannel)
				w.Log = slog.New(panickingLog{w.Log.Handler(), []string{at}})
				w.sender.set(func(f *fakeSender) {
					f.decide = func(m channel.Outgoing) channel.Result {
						if m.Channel == "Broken" {
							return channel.Result{Outcome: channel.Rejected}
						}
						return channel.Result{Outcome: channel.Sent}
					}
				})
				w.enqueue(w.Service, "a", ch)
				w.enqueue(w.Service, "b", ch)
				w.sleep(time.Second)
				stop := w.run(w.Service)
				defer stop()
				w.sleep(time.Minute)
				w.enqueue(w.Service, "c", other)
				w.sleep(time.Minute)
				w.wantStates(ch, states)
				w.wantStates(other, "sent")
				if got := w.log.String(); !strings.Contains(got, log) || !strings.Contains(got, "fair_test.go") {
					w.Errorf("got log %s, want %q with the stack", got, log)
				}
			})
		})
	}
	f("after sending", "could not be sent", "failed failed", "panic while sending a message")
	f("template", "a template failed", "waiting waiting", "panic while rendering a message", func(s *Settings) {
		s.Template = ptr("{{if eq .Title \"Title of a\" \"Title of b\"}}{{if eq .Title 1}}{{end}}{{end}}")
	})
	f("summary", "summarized messages", "summarized summarized failed", "panic while deciding what to send", func(s *Settings) { s.PerHour = ptr(1) })
}
