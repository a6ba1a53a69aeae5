package delivery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/test/testenv"
)

// A process ends at every step of a delivery, and another one continues. What nobody can recognize is
// never sent twice.
func TestRestartInTheMiddle(t *testing.T) {
	testenv.SkipUnderRace(t)
	f := func(name string, kind earshot.ChannelKind, failing earshot.DeliveryState, wantFirst, wantSecond int, want string) {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				ch := w.add(kind)
				store := &failingStore{Store: w.store, state: failing}
				first := w.serviceOn(store)
				w.enqueue(w.Service, "signal.7.1", ch)
				stop := w.run(first)
				w.sleep(time.Second)
				stop()
				if n := len(w.sender.messages()); n < wantFirst || wantFirst == 0 && n > 0 {
					w.Errorf("the first process sent %d messages, want %d", n, wantFirst)
				}
				sent := len(w.sender.messages())
				second := w.service()
				w.enqueue(second, "signal.7.1", ch) // signals repeat what they do not know to be enqueued
				stop = w.run(second)
				w.sleep(24 * time.Hour)
				stop()
				messages := w.sender.messages()
				if n := len(messages) - sent; n != wantSecond {
					w.Errorf("the second process sent %d messages, want %d", n, wantSecond)
				}
				for _, m := range messages {
					if m.ID != messages[0].ID {
						w.Errorf("got IDs %s and %s, want the same", m.ID, messages[0].ID)
					}
				}
				w.wantStates(ch, want)
			})
		})
	}
	f("chat, before sending", earshot.SlackChannel, earshot.DeliverySending, 0, 1, "sent")
	f("chat, after sending", earshot.SlackChannel, earshot.DeliverySent, 1, 0, "interrupted")
	f("chat, after writing", earshot.SlackChannel, "", 1, 0, "sent")
	f("email, before sending", earshot.EmailChannel, earshot.DeliverySending, 0, 1, "sent")
	f("email, after sending", earshot.EmailChannel, earshot.DeliverySent, 1, 0, "interrupted")
	f("webhook, before sending", earshot.WebhookChannel, earshot.DeliverySending, 0, 1, "sent")
	f("webhook, after sending", earshot.WebhookChannel, earshot.DeliverySent, 1, 1, "sent")
	f("webhook, after writing", earshot.WebhookChannel, "", 1, 0, "sent")
}

// A process that is told to stop gives an attempt a few seconds, and then leaves it.
func TestStopWhileSending(t *testing.T) {
	f := func(kind earshot.ChannelKind, hang bool, stopped, want string, sent int) {
		t.Run(fmt.Sprint(kind, hang), func(t *testing.T) {
			inWorld(t, func(w *world) {
				ch := w.add(kind)
				w.sender.set(func(f *fakeSender) { f.hang, f.takes = hang, 2*time.Second })
				w.enqueue(w.Service, "a", ch)
				stop := w.run(w.Service)
				w.sleep(time.Second)
				w.wantStates(ch, "sending") // before the sender has returned
				began := time.Now()
				stop()
				if took := time.Since(began); took > stopTimeout {
					w.Errorf("stopping took %v", took)
				}
				w.wantStates(ch, stopped)
				w.sender.set(func(f *fakeSender) { f.hang = false })
				stop = w.run(w.service())
				w.sleep(time.Hour)
				stop()
				w.wantStates(ch, want)
				if n := len(w.sender.messages()); n != sent {
					w.Errorf("sent %d times, want %d", n, sent)
				}
			})
		})
	}
	f(earshot.SlackChannel, false, "sent", "sent", 1)
	f(earshot.SlackChannel, true, "interrupted", "interrupted", 1)
	f(earshot.EmailChannel, true, "interrupted", "interrupted", 1)
	f(earshot.WebhookChannel, true, "waiting", "sent", 2)
}

// "Send again" sends an interrupted message once more, and only then.
func TestSendAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.EmailChannel)
		w.sender.set(func(f *fakeSender) { f.hang = true })
		w.enqueue(w.Service, "a", ch)
		stop := w.run(w.Service)
		w.sleep(time.Second)
		stop()
		w.sender.set(func(f *fakeSender) { f.hang = false })
		d := w.deliveriesOf(ch.ID)[0]
		if _, err := w.Retry(w.Context(), w.bob, d.ID); !earshot.IsKind(err, earshot.NotFound) {
			w.Errorf("bob: got %v, want not found", err)
		}
		_, err := w.Retry(w.Context(), w.ann, d.ID)
		w.must(err)
		stop = w.run(w.Service)
		defer stop()
		w.sleep(10 * time.Second)
		w.wantStates(ch, "sent")
		if _, err := w.Retry(w.Context(), w.ann, d.ID); err == nil || !strings.Contains(err.Error(), "was sent") {
			w.Errorf("got %v, want that a sent message is not sent again", err)
		}
	})
}

// Two services run at the same time. Every message is sent once.
func TestTwoServices(t *testing.T) {
	inWorld(t, func(w *world) {
		second := w.service()
		w.sender.set(func(f *fakeSender) { f.takes = 30 * time.Millisecond })
		var channels []*earshot.Channel
		for _, kind := range earshot.ChannelKinds {
			channels = append(channels, w.add(kind))
		}
		defer w.run(w.Service)()
		defer w.run(second)()
		for i := range 20 {
			w.enqueue(w.Service, fmt.Sprint(i), channels...)
			w.enqueue(second, fmt.Sprint(i), channels...)
		}
		w.sleep(10 * time.Minute)
		count := map[string]int{}
		for _, m := range w.sender.messages() {
			count[m.ID]++
		}
		for id, n := range count {
			if n != 1 {
				w.Errorf("%s was sent %d times", id, n)
			}
		}
		if len(count) != 20*len(channels) {
			w.Errorf("sent %d messages, want %d", len(count), 20*len(channels))
		}
	})
}

// A summary is written before its members are marked. If the process ends in between, nothing is lost
// and nothing is listed twice.
func TestRestartWhileSummarizing(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel, func(s *Settings) { s.PerHour = ptr(1) })
		for i := range 5 {
			w.enqueue(w.Service, fmt.Sprint(i), ch)
		}
		w.sleep(time.Second) // all are due
		store := &failingStore{Store: w.store, state: earshot.DeliverySummarized}
		stop := w.run(w.serviceOn(store))
		w.sleep(100 * time.Millisecond)
		stop()
		stop = w.run(w.service())
		w.sleep(5 * time.Hour)
		stop()
		w.wantStates(ch, "summarized summarized summarized summarized summarized sent")
		if n := len(w.sender.messages()); n != 1 {
			w.Errorf("sent %d messages, want the summary", n)
		}
	})
}

// A test of a webhook whose process ended is not sent later, when nobody looks at it anymore.
func TestRestartWhileTesting(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.WebhookChannel)
		store := &failingStore{Store: w.store, state: earshot.DeliverySent}
		if _, err := w.serviceOn(store).Test(w.Context(), w.ann, ch.ID); err == nil {
			w.Fatal("the result of the test was written")
		}
		stop := w.run(w.service())
		w.sleep(time.Hour)
		stop()
		w.wantStates(ch, "interrupted")
		if n := len(w.sender.messages()); n != 1 {
			w.Errorf("the test was sent %d times, want once", n)
		}
	})
}
