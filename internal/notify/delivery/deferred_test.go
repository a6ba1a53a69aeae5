package delivery

import (
	"context"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/test/testenv"
)

// recipientsOf returns who was sent each message.
func recipientsOf(sent []sentMessage) string {
	var list []string
	for _, m := range sent {
		list = append(list, strings.Join(m.to.Recipients, ","))
	}
	return strings.Join(list, " ")
}

// Recipients whom the mail server refuses for now get the message later, and the others do not get it
// twice.
func TestDeferredRecipients(t *testing.T) {
	testenv.SkipUnderRace(t)
	deferred := func(names ...string) channel.Result {
		return channel.Result{Outcome: channel.Sent, Deferred: names, Error: "sent to the other recipients, but not to " + strings.Join(names, ", ")}
	}
	everyone := func(s *Settings) { s.Recipients = &[]string{"ann@x.org", "bob@x.org", "cat@x.org"} }
	run := func(name string, results []channel.Result, after func(*world, *earshot.Channel), want, wantState, wantError string) {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				ch := w.add(earshot.EmailChannel, everyone)
				w.sender.set(func(f *fakeSender) { f.results = results })
				w.enqueue(w.Service, "a", ch)
				stop := w.run(w.Service)
				w.sleep(time.Second)
				w.wantStates(ch, "waiting")
				stop() // another process knows too who is left
				if after != nil {
					after(w, ch)
				}
				stop = w.run(w.service())
				w.sleep(100 * time.Hour)
				stop()
				w.wantStates(ch, wantState)
				if got := recipientsOf(w.sender.messages()); got != want {
					w.Errorf("sent to %s, want %s", got, want)
				}
				if d := w.deliveriesOf(ch.ID)[0]; d.Error != wantError {
					w.Errorf("got error %q, want %q", d.Error, wantError)
				}
			})
		})
	}
	const all = "ann@x.org,bob@x.org,cat@x.org"
	run("accepted later", []channel.Result{deferred("bob@x.org", "cat@x.org"), deferred("cat@x.org"), {Outcome: channel.Sent}}, nil,
		all+" bob@x.org,cat@x.org cat@x.org", "sent", "")
	run("refused for good", []channel.Result{deferred("bob@x.org"), {Outcome: channel.Rejected, Error: "no such user"}}, nil,
		all+" bob@x.org", "failed", "no such user")
	run("removed from the channel", []channel.Result{deferred("bob@x.org")}, func(w *world, ch *earshot.Channel) {
		_, err := w.Edit(w.Context(), w.ann, ch.ID, Settings{Recipients: &[]string{"ann@x.org"}})
		w.must(err)
	}, all, "sent", "")
	repeated := make([]channel.Result, len(retryWaits)+1)
	for i := range repeated {
		repeated[i] = deferred("bob@x.org")
	}
	run("never accepted", repeated, nil, all+strings.Repeat(" bob@x.org", len(retryWaits)), "failed", "sent to the other recipients, but not to bob@x.org")

	inWorld(t, func(w *world) { // a test has one attempt
		ch := w.add(earshot.EmailChannel, everyone)
		w.sender.set(func(f *fakeSender) { f.results = []channel.Result{deferred("bob@x.org")} })
		d, err := w.Test(w.Context(), w.ann, ch.ID)
		w.must(err)
		if d.State != earshot.DeliverySent || d.Error != "sent to the other recipients, but not to bob@x.org" {
			w.Errorf("got %s %q", d.State, d.Error)
		}
	})
}

// A report that was removed is not rendered again and again.
func TestRenderRemovedReport(t *testing.T) {
	f := func(err error, wantState string, wantCalls int) {
		t.Helper()
		inWorld(t, func(w *world) {
			ch := w.add(earshot.EmailChannel)
			calls := 0
			w.Render = func(context.Context, *earshot.Delivery) (earshot.Message, error) {
				calls++
				return earshot.Message{}, err
			}
			w.must(w.Enqueue(w.Context(), earshot.Notification{Key: "report.3.2026-03", Team: 1, Channels: []earshot.ChannelID{ch.ID},
				Message: earshot.Message{Event: "report.ready", Title: "Weekly", Report: 3, Period: "2026-03"}}))
			stop := w.run(w.Service)
			w.sleep(time.Minute)
			stop()
			w.wantStates(ch, wantState)
			if calls != wantCalls {
				w.Errorf("%v: rendered %d times, want %d", err, calls, wantCalls)
			}
		})
	}
	f(earshot.Errorf(earshot.NotFound, "The report was removed"), "failed", 1)
	f(earshot.Errorf(earshot.Unprocessable, "All monitors of the report were removed"), "failed", 1)
	f(earshot.Errorf(earshot.Unavailable, "Busy"), "waiting", 2)
}

// If the key of the installation was replaced, the secrets of a webhook are lost. It sends nothing
// until it has a new address and a new signing key.
func TestUnreadableSecrets(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.WebhookChannel)
		w.Service.Secret = []byte("another installation key, 32 b..")
		w.enqueue(w.Service, "a", ch)
		stop := w.run(w.Service)
		defer stop()
		w.sleep(time.Second)
		w.wantStates(ch, "failed")
		if n := len(w.sender.messages()); n != 0 {
			w.Errorf("sent %d messages without secrets", n)
		}
		if _, _, err := w.Rotate(w.Context(), w.ann, ch.ID); err == nil || !strings.Contains(err.Error(), "Enter the URL of the webhook again first") {
			w.Errorf("got %v, want that the URL is missing", err)
		}
		_, err := w.Edit(w.Context(), w.ann, ch.ID, Settings{URL: ptr("https://hooks.example/new")})
		w.must(err)
		_, key, err := w.Rotate(w.Context(), w.ann, ch.ID)
		w.must(err)
		w.enqueue(w.Service, "b", ch)
		w.sleep(time.Second)
		w.wantStates(ch, "failed sent")
		if sent := w.sender.messages(); len(sent) != 1 || sent[0].to.URL != "https://hooks.example/new" || strings.Join(sent[0].to.Keys, " ") != key {
			w.Errorf("got %+v", sent)
		}
	})
}
