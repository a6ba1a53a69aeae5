package delivery

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
)

func TestEnqueueIsIdempotent(t *testing.T) {
	inWorld(t, func(w *world) {
		ch, other := w.add(earshot.SlackChannel), w.add(earshot.WebhookChannel)
		second := w.service()
		w.enqueue(w.Service, "signal.7.1", ch, other)
		w.enqueue(second, "signal.7.1", ch, ch) // before it has seen the first
		w.enqueue(w.Service, "signal.7.1", ch)
		w.enqueue(w.service(), "signal.7.1", ch) // after a restart
		w.wantStates(ch, "waiting")
		w.wantStates(other, "waiting")
		stop := w.run(w.Service)
		w.sleep(time.Second)
		stop()
		w.enqueue(w.Service, "signal.7.1", ch, other)
		w.wantStates(ch, "sent")
		w.wantStates(other, "sent")
		if got := w.sender.titles(); got != "signal.7.1 signal.7.1" {
			w.Errorf("got %q, want one message for each channel", got)
		}
	})
}

// Two keys whose hashes are equal are two deliveries.
func TestEnqueueResolvesCollisions(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		id := deliveryID(ch.ID, "b")
		w.must(w.Catalog.Deliveries.Add(w.Context(), id, &earshot.Delivery{ID: id, Channel: ch.ID, Team: 1, Key: "a", State: earshot.DeliverySent}))
		w.enqueue(w.Service, "b", ch)
		w.enqueue(w.Service, "b", ch)
		w.wantStates(ch, "sent waiting")
		if d, ok := w.Catalog.Deliveries.Find(id + 1); !ok || d.Key != "b" {
			w.Errorf("got %v, want the delivery at the next ID", d)
		}
	})
}

func TestEnqueueSkipsChannels(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel, func(s *Settings) { s.Enabled = ptr(false) })
		w.enqueue(w.Service, "a", ch, &earshot.Channel{ID: 99})
		w.wantStates(ch, "")
		foreign := earshot.Notification{Key: "b", Team: 2, Channels: []earshot.ChannelID{ch.ID}}
		w.must(w.Enqueue(w.Context(), foreign))
		if log := w.log.String(); strings.Count(log, "was not enqueued") != 3 || !strings.Contains(log, "is disabled") || !strings.Contains(log, "was removed") {
			w.Errorf("got log %s", log)
		}
	})
}

func TestWaitingDeliveriesAreBounded(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		for i := range maxWaiting + 2 {
			w.enqueue(w.Service, fmt.Sprint(i), ch)
		}
		list := w.deliveriesOf(ch.ID)
		for i, d := range list {
			want := earshot.DeliveryWaiting
			if i < 2 {
				want = earshot.DeliveryFailed
			}
			if d.State != want {
				w.Fatalf("delivery %d is %s, want %s", i, d.State, want)
			}
		}
		if !strings.Contains(list[0].Error, "newer messages were waiting") || !strings.Contains(w.log.String(), "dropped=1") {
			w.Errorf("got error %q and log %s", list[0].Error, w.log)
		}
	})
}

func TestWaitingDeliveriesOfATeamAreBounded(t *testing.T) {
	inWorld(t, func(w *world) {
		var channels []*earshot.Channel
		for range 10 {
			channels = append(channels, w.add(earshot.SlackChannel))
		}
		for i := range maxTeamWaiting/10 + 1 {
			w.enqueue(w.Service, fmt.Sprint(i), channels...)
		}
		for _, ch := range channels {
			w.wantStates(ch, "failed"+strings.Repeat(" waiting", maxTeamWaiting/10))
		}
	})
}

// A finished delivery keeps what the log shows, and which posts it was about.
func TestFinishedDeliveriesAreSmall(t *testing.T) {
	inWorld(t, func(w *world) {
		hook, chat := w.add(earshot.WebhookChannel), w.add(earshot.SlackChannel, func(s *Settings) { s.PerHour = ptr(1) })
		failing := w.add(earshot.WebhookChannel, func(s *Settings) { s.Name = ptr("Failing") })
		w.sender.set(func(f *fakeSender) {
			f.decide = func(m channel.Outgoing) channel.Result {
				if m.Channel == "Failing" {
					return channel.Result{Outcome: channel.Rejected}
				}
				return channel.Result{Outcome: channel.Sent}
			}
		})
		post := earshot.MessagePost{Key: earshot.PostKey{Source: "Twitter", GUID: "1"}, Author: "ann", Text: "quote"}
		message := earshot.Message{Title: "Title", Text: "Text", Path: "/signals/7", Thread: "signal.7", Data: []byte(`{}`), Facts: []earshot.Fact{{Name: "Posts", Value: "9"}}, Posts: []earshot.MessagePost{post}}
		for i := range 3 {
			w.must(w.Enqueue(w.Context(), earshot.Notification{Key: fmt.Sprint(i), Team: 1, Channels: []earshot.ChannelID{hook.ID, chat.ID, failing.ID}, Message: message}))
		}
		stop := w.run(w.Service)
		defer stop()
		w.sleep(time.Minute)
		w.wantStates(hook, "sent sent sent")
		w.wantStates(chat, "summarized summarized summarized sent")
		w.wantStates(failing, "failed failed failed")
		want := earshot.Message{Title: "Title", Path: "/signals/7", Thread: "signal.7", Posts: []earshot.MessagePost{{Key: post.Key}}}
		for _, d := range append(w.deliveriesOf(hook.ID), w.deliveriesOf(chat.ID)[:3]...) {
			if !reflect.DeepEqual(d.Message, want) {
				w.Errorf("got %+v, want %+v", d.Message, want)
			}
		}
		if got := w.deliveriesOf(failing.ID)[0].Message; !reflect.DeepEqual(got, message) { // may be sent again
			w.Errorf("got %+v, want %+v", got, message)
		}
		if n := len(w.sender.messages()[0].Posts); n != 1 {
			w.Errorf("sent %d posts, want 1", n)
		}
		if n, err := w.RemovePosts(w.Context(), []earshot.PostKey{post.Key}); n != 9 || err != nil {
			w.Errorf("removed %d deliveries with %v, want 9", n, err)
		}
	})
}

func TestMessagesAreSentInOrderAndSpaced(t *testing.T) {
	inWorld(t, func(w *world) {
		slack, teams := w.add(earshot.SlackChannel), w.add(earshot.TeamsChannel)
		w.sender.set(func(f *fakeSender) { f.takes = 100 * time.Millisecond })
		stop := w.run(w.Service)
		defer stop()
		for i := range 4 {
			w.enqueue(w.Service, fmt.Sprint("s", i), slack)
			w.enqueue(w.Service, fmt.Sprint("t", i), teams)
		}
		w.sleep(10 * time.Second)
		intervals := map[string]time.Duration{"s": time.Second, "t": time.Second / 4}
		last := map[string]sentMessage{}
		for _, m := range w.sender.messages() {
			kind := strings.TrimPrefix(m.Title, "Title of ")[:1]
			if before, ok := last[kind]; ok && (m.at.Sub(before.at) < intervals[kind] || m.Title <= before.Title) {
				w.Errorf("%s was sent %v after %s", m.Title, m.at.Sub(before.at), before.Title)
			}
			last[kind] = m
		}
		w.wantStates(slack, "sent sent sent sent")
		w.wantStates(teams, "sent sent sent sent")
	})
}

func TestNotBefore(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		start := time.Now()
		w.must(w.Enqueue(w.Context(), earshot.Notification{Key: "later", Team: 1, Channels: []earshot.ChannelID{ch.ID}, NotBefore: start.Add(3 * time.Hour), Message: earshot.Message{Title: "later"}}))
		w.enqueue(w.Service, "now", ch)
		stop := w.run(w.Service)
		defer stop()
		w.sleep(3*time.Hour - time.Second)
		if got := w.sender.titles(); got != "now" {
			w.Errorf("got %q, want what is due", got)
		}
		w.sleep(2 * time.Second)
		if got := w.sender.titles(); got != "now later" {
			w.Errorf("got %q, want the rest", got)
		}
	})
}

func TestRetries(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.WebhookChannel)
		w.sender.set(func(f *fakeSender) {
			f.always = &channel.Result{Outcome: channel.Refused, Status: 500, Error: "status 500 from secretpath1"}
		})
		stop := w.run(w.Service)
		defer stop()
		w.enqueue(w.Service, "a", ch)
		w.sleep(100 * time.Hour)
		w.wantStates(ch, "failed")
		sent := w.sender.messages()
		if len(sent) != len(retryWaits)+1 {
			w.Fatalf("got %d attempts, want %d", len(sent), len(retryWaits)+1)
		}
		for i, wait := range retryWaits {
			got := sent[i+1].at.Sub(sent[i].at)
			if got < wait || got > wait+wait/10+2*pollInterval {
				w.Errorf("attempt %d came after %v, want %v and up to 10%%", i+2, got, wait)
			}
			if sent[i].ID != sent[0].ID {
				w.Errorf("attempt %d has ID %s, want %s", i+1, sent[i].ID, sent[0].ID)
			}
		}
		d := w.deliveriesOf(ch.ID)[0]
		if d.Attempts != 10 || d.Status != 500 || d.Error != "status 500 from …" {
			w.Errorf("got %+v", d)
		}
		info, err := w.Find(w.ann, ch.ID)
		if err != nil || info.Failed != 1 || info.LastError != "status 500 from …" {
			w.Errorf("got %+v %v", info, err)
		}
		if strings.Contains(w.log.String(), "secretpath1") {
			w.Errorf("the log has a secret: %s", w.log)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.DiscordChannel)
		w.sender.set(func(f *fakeSender) {
			f.results = []channel.Result{{Outcome: channel.Refused, Status: 429, Wait: 90 * time.Second, Error: "429"}}
		})
		stop := w.run(w.Service)
		defer stop()
		w.enqueue(w.Service, "a", ch)
		w.enqueue(w.Service, "b", ch)
		w.sleep(5 * time.Minute)
		if got := w.sender.titles(); got != "a a b" {
			w.Fatalf("got %q, want a again, then b", got)
		}
		if sent := w.sender.messages(); sent[1].at.Sub(sent[0].at) < 90*time.Second {
			w.Errorf("got the second attempt after %v", sent[1].at.Sub(sent[0].at))
		}
	})
}

// A message that fails holds up the others for a while, not forever, and all are sent when the channel
// works again.
func TestAFailureHoldsUpOthersForAWhile(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		w.sender.set(func(f *fakeSender) { f.always = &channel.Result{Outcome: channel.Refused, Error: "connection refused"} })
		stop := w.run(w.Service)
		defer stop()
		w.enqueue(w.Service, "a", ch)
		w.enqueue(w.Service, "b", ch)
		w.sleep(4 * time.Second)
		if got := w.sender.titles(); got != "a" {
			w.Errorf("got %q, want only a", got)
		}
		w.sleep(40 * time.Minute)
		if got := w.sender.titles(); !strings.HasPrefix(got, "a a b") {
			w.Errorf("got %q, want that b is tried as well", got)
		}
		w.wantStates(ch, "waiting waiting")
		w.sender.set(func(f *fakeSender) { f.always = nil; f.sent = nil })
		w.enqueue(w.Service, "c", ch)
		w.sleep(10 * time.Minute)
		w.wantStates(ch, "sent sent sent")
	})
}

func TestRejectedAndGone(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		w.sender.set(func(f *fakeSender) {
			f.results = []channel.Result{
				{Outcome: channel.Rejected, Status: 400, Error: "invalid_payload"},
				{Outcome: channel.Gone, Status: 404, Error: "no_service"},
			}
		})
		stop := w.run(w.Service)
		defer stop()
		for _, key := range []string{"a", "b", "c"} {
			w.enqueue(w.Service, key, ch)
		}
		w.sleep(time.Minute)
		w.wantStates(ch, "failed failed failed")
		if got := w.sender.titles(); got != "a b" {
			w.Errorf("got %q, want that nothing is sent to an address that is gone", got)
		}
		info, err := w.Find(w.ann, ch.ID)
		if err != nil || info.Disabled.IsZero() || info.DisabledReason != "no_service" {
			w.Errorf("got %+v %v, want a disabled channel", info, err)
		}
		last := w.deliveriesOf(ch.ID)[2]
		if last.Error != "the channel is disabled" {
			w.Errorf("got %q", last.Error)
		}
		if _, err := w.Retry(w.Context(), w.ann, last.ID); err == nil {
			w.Error("a delivery of a disabled channel can be retried")
		}
		if info, err = w.Edit(w.Context(), w.ann, ch.ID, Settings{URL: ptr("https://hooks.example/new")}); err != nil || !info.Disabled.IsZero() {
			w.Errorf("got %+v %v, want that a new address enables the channel", info, err)
		}
		_, err = w.Retry(w.Context(), w.ann, last.ID)
		w.must(err)
		w.sleep(time.Minute)
		w.wantStates(ch, "failed failed sent")
	})
}

func TestFloodIsSummarized(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel, func(s *Settings) { s.PerHour = ptr(5) })
		hook := w.add(earshot.WebhookChannel, func(s *Settings) { s.PerHour = ptr(5) })
		stop := w.run(w.Service)
		defer stop()
		for i := range 20 {
			w.enqueue(w.Service, fmt.Sprint(i), ch, hook)
		}
		w.sleep(30 * time.Minute)
		w.wantStates(ch, strings.Repeat("sent ", 4)+strings.Repeat("summarized ", 16)+"sent")
		list := w.deliveriesOf(ch.ID)
		summary := list[20]
		if summary.Message.Title != "16 more messages" || len(summary.Members) != 16 || list[5].Summary != summary.ID {
			w.Errorf("got %+v", summary)
		}
		for _, m := range w.sender.messages() {
			if m.ID == messageID(summary.ID) && !strings.HasSuffix(m.Message.Text, "… and 1 more") {
				w.Errorf("got summary %q", m.Message.Text)
			}
		}
		w.enqueue(w.Service, "next", ch)
		w.wantStates(ch, strings.Repeat("sent ", 4)+strings.Repeat("summarized ", 16)+"sent waiting")
		w.sleep(31 * time.Minute)
		w.wantStates(ch, strings.Repeat("sent ", 4)+strings.Repeat("summarized ", 16)+"sent sent")

		w.wantStates(hook, strings.TrimSpace(strings.Repeat("sent ", 10)+strings.Repeat("waiting ", 10)))
		w.sleep(2 * time.Hour)
		w.wantStates(hook, strings.TrimSpace(strings.Repeat("sent ", 20))) // programs get everything, later
	})
}

func TestTestSendsAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		w.sender.set(func(f *fakeSender) {
			f.results = []channel.Result{{Outcome: channel.Refused, Error: "connection refused"}, {Outcome: channel.Sent}}
		})
		d, err := w.Test(w.Context(), w.ann, ch.ID)
		if err != nil || d.State != earshot.DeliveryFailed || d.Error != "connection refused" {
			w.Errorf("got %+v %v, want the failure", d, err)
		}
		if _, err := w.Test(w.Context(), w.ann, ch.ID); !earshot.IsKind(err, earshot.OverLimit) {
			w.Errorf("got %v, want that tests are limited", err)
		}
		time.Sleep(testInterval)
		if d, err = w.Test(w.Context(), w.ann, ch.ID); err != nil || d.State != earshot.DeliverySent {
			w.Errorf("got %+v %v, want a success", d, err)
		}
		if _, err := w.Test(w.Context(), w.bob, ch.ID); !earshot.IsKind(err, earshot.NotFound) {
			w.Errorf("bob: got %v, want not found", err)
		}
		stop := w.run(w.Service)
		defer stop()
		w.sleep(time.Hour)
		if n := len(w.sender.messages()); n != 2 {
			w.Errorf("got %d messages, want no further attempts", n)
		}
	})
}

// Tests are limited for each channel, also by another process, and for each team.
func TestTestsAreLimited(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.EmailChannel)
		test := func(s *Service, id earshot.ChannelID) error {
			w.sleep(testInterval)
			_, err := s.Test(w.Context(), w.ann, id)
			return err
		}
		wantLimit := func(err error, text string) {
			w.Helper()
			var limit *earshot.Error
			if !errors.As(err, &limit) || limit.Kind != earshot.OverLimit || !strings.Contains(limit.Message, text) || limit.RetryAfter < 50*time.Minute || limit.RetryAfter > time.Hour {
				w.Errorf("got %#v, want %q", err, text)
			}
		}
		for range maxTests {
			w.must(test(w.Service, ch.ID))
		}
		wantLimit(test(w.Service, ch.ID), "tested 20 times")
		wantLimit(test(w.service(), ch.ID), "tested 20 times")
		w.sleep(time.Hour)
		w.must(test(w.Service, ch.ID))

		for range maxTeamTests - 1 { // as many channels as needed, and none stays
			other := w.add(earshot.EmailChannel)
			w.must(test(w.Service, other.ID))
			w.must(w.Remove(w.Context(), w.ann, other.ID))
		}
		wantLimit(test(w.Service, ch.ID), "of this team were tested 100 times")
	})
}

func TestTestsArePruned(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel, func(s *Settings) { s.Enabled = ptr(false) })
		for range earshot.MaxDeliveries + 10 {
			_, err := w.Test(w.Context(), w.ann, ch.ID)
			w.must(err)
			w.sleep(time.Hour)
		}
		if n := len(w.deliveriesOf(ch.ID)); n != earshot.MaxDeliveries {
			w.Errorf("got %d deliveries, want %d", n, earshot.MaxDeliveries)
		}
	})
}

func TestRenderReports(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.EmailChannel)
		failures := 1
		w.Render = func(_ context.Context, d *earshot.Delivery) (earshot.Message, error) {
			if failures--; failures >= 0 {
				panic("out of ink")
			}
			m := d.Message
			m.HTML, m.Attachments = "<p>Report</p>", []earshot.Attachment{{Name: "report.pdf"}}
			return m, nil
		}
		stop := w.run(w.Service)
		defer stop()
		w.must(w.Enqueue(w.Context(), earshot.Notification{Key: "report.3.2026-03", Team: 1, Channels: []earshot.ChannelID{ch.ID},
			Message: earshot.Message{Event: "report.ready", Title: "Weekly", Report: 3, Period: "2026-03"}}))
		w.sleep(time.Second)
		w.wantStates(ch, "waiting") // rendering failed, nothing was sent
		w.sleep(time.Minute)
		w.wantStates(ch, "sent")
		if sent := w.sender.messages(); len(sent) != 1 || sent[0].HTML != "<p>Report</p>" || len(sent[0].Attachments) != 1 {
			w.Errorf("got %+v", sent)
		}
	})
}

func TestFinishedDeliveriesArePruned(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.WebhookChannel)
		stop := w.run(w.Service)
		defer stop()
		send := func(n int) {
			for i := range n {
				w.enqueue(w.Service, fmt.Sprint(time.Now().UnixNano(), i), ch)
			}
			w.sleep(3 * time.Hour)
		}
		send(earshot.MaxDeliveries + 50)
		if n := len(w.deliveriesOf(ch.ID)); n != earshot.MaxDeliveries+50 {
			w.Errorf("got %d deliveries, want all of the last day", n)
		}
		w.sleep(48 * time.Hour)
		send(1)
		if n := len(w.deliveriesOf(ch.ID)); n != earshot.MaxDeliveries {
			w.Errorf("got %d deliveries, want %d", n, earshot.MaxDeliveries)
		}
	})
}

func TestThreadsReferToTheFirstMessage(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.EmailChannel)
		stop := w.run(w.Service)
		defer stop()
		w.enqueue(w.Service, "signal.7.1", ch)
		w.enqueue(w.Service, "signal.7.2", ch)
		w.sleep(10 * time.Second)
		sent := w.sender.messages()
		if len(sent) != 2 || sent[0].First != sent[0].ID || sent[1].First != sent[0].ID || sent[1].ID == sent[0].ID {
			w.Errorf("got %+v", sent)
		}
		if sent[0].Link != "https://earshot.example/signals/7" || sent[0].Manage != "https://earshot.example/signals/channels" {
			w.Errorf("got links %s and %s", sent[0].Link, sent[0].Manage)
		}
	})
}

func TestRemovePosts(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		key := func(guid string) earshot.PostKey { return earshot.PostKey{Source: "Twitter", GUID: guid} }
		quoting := func(id string, posts ...earshot.MessagePost) {
			w.must(w.Enqueue(w.Context(), earshot.Notification{Key: id, Team: 1, Channels: []earshot.ChannelID{ch.ID}, Message: earshot.Message{Title: id, Posts: posts, Data: []byte(`{"quotes":"too"}`)}}))
		}
		quoting("none")
		quoting("both", earshot.MessagePost{Key: key("1"), Text: "erased"}, earshot.MessagePost{Key: key("2"), Text: "stays"})
		quoting("only", earshot.MessagePost{Key: key("1"), Text: "erased"})
		if n, err := w.RemovePosts(w.Context(), []earshot.PostKey{key("1")}); n != 2 || err != nil {
			w.Errorf("got %d %v, want 2", n, err)
		}
		list := w.deliveriesOf(ch.ID)
		if len(list) != 2 || len(list[1].Message.Posts) != 1 || list[1].Message.Posts[0].Text != "stays" || list[1].Message.Data != nil || list[0].Message.Data == nil {
			w.Errorf("got %+v", list)
		}
	})
}

func TestRemoveThreads(t *testing.T) {
	inWorld(t, func(w *world) {
		ch := w.add(earshot.SlackChannel)
		for _, thread := range []string{"signal.1", "signal.2", "signal.3"} {
			w.must(w.Enqueue(w.Context(), earshot.Notification{Key: thread + ".1", Team: 1, Channels: []earshot.ChannelID{ch.ID}, Message: earshot.Message{
				Title: "Title of " + thread, Text: "words of ann", Thread: thread, Facts: []earshot.Fact{{Name: "New author", Value: "ann"}}, Data: []byte(`{"words":"ann"}`),
			}}))
		}
		w.must(w.summarize(w.Context(), ch, w.deliveriesOf(ch.ID)[:2]))
		w.must(w.RemoveThreads(w.Context(), []string{"signal.1"}, []string{"signal.2"}))
		list := w.deliveriesOf(ch.ID)
		if len(list) != 3 || list[0].Message.Thread != "signal.2" || list[1].Message.Thread != "signal.3" || list[2].Message.Event != summaryEvent {
			w.Fatalf("got %+v, want two messages and the summary", list)
		}
		for _, d := range []*earshot.Delivery{list[0], list[2]} {
			if m := d.Message; m.Title == "" || m.Text != "" || m.Facts != nil || m.Data != nil {
				w.Errorf("got %+v, want only the title", m)
			}
		}
		if m := list[1].Message; m.Text != "words of ann" || m.Facts == nil || m.Data == nil {
			w.Errorf("got %+v, want another thread as it was", m)
		}
	})
}

// Nothing is sent while nothing waits, and idle channels cost nothing.
func TestIdleRun(t *testing.T) {
	inWorld(t, func(w *world) {
		w.add(earshot.SlackChannel)
		stop := w.run(w.Service)
		w.sleep(24 * time.Hour)
		stop()
		synctest.Wait()
		if n := len(w.sender.messages()); n != 0 {
			w.Errorf("got %d messages", n)
		}
	})
}
