package delivery

import (
	"context"
	"fmt"
	"slices"

	"earshot"
)

// summaryEvent is the event of a message that summarizes others.
const summaryEvent = "channel.summary"

// maxSummaryTitles is the number of messages that a summary names.
const maxSummaryTitles = 15

// collapsible reports whether a delivery may become part of a summary. Programs need every message,
// a report is more than its title, and a summary goes to recipients who already have an email, too.
func collapsible(ch *earshot.Channel, d *earshot.Delivery) bool {
	return ch.Kind != earshot.WebhookChannel && d.Message.Report == 0 && len(d.Members) == 0 && len(d.Recipients) == 0 && d.Message.Event != testEvent
}

// summarize replaces deliveries that wait by one that lists them. The summary is written first; if the
// process ends before all members are marked, the next call finds the summary and marks the rest.
func (s *Service) summarize(ctx context.Context, ch *earshot.Channel, members []*earshot.Delivery) error {
	var open []*earshot.Delivery
	known := map[earshot.DeliveryID]earshot.DeliveryID{} // member -> summary
	for _, d := range s.deliveriesOf(ch.ID) {
		for _, id := range d.Members {
			known[id] = d.ID
		}
	}
	for _, d := range members {
		if summary, ok := known[d.ID]; ok {
			if err := s.mark(ctx, d.ID, summary); err != nil {
				return err
			}
			continue
		}
		open = append(open, d)
	}
	if len(open) < 2 {
		return nil
	}
	created := s.nextCreated()
	summary := &earshot.Delivery{
		Team: ch.Team, Channel: ch.ID, Key: fmt.Sprintf("summary.%d.%d", open[0].ID, open[len(open)-1].ID),
		State: earshot.DeliveryWaiting, Created: created, Next: created, Message: summaryMessage(open, perHour(ch)),
	}
	for _, d := range open {
		summary.Members = append(summary.Members, d.ID)
	}
	if err := s.add(ctx, summary); err != nil {
		return err
	}
	for _, d := range open {
		if err := s.mark(ctx, d.ID, summary.ID); err != nil {
			return err
		}
	}
	s.Log.Info("summarized messages, because their channel has reached its limit per hour", "channel", ch.ID, "name", ch.Name, "messages", len(open))
	return nil
}

// mark makes a delivery part of a summary.
func (s *Service) mark(ctx context.Context, id, summary earshot.DeliveryID) error {
	return s.amend(ctx, id, func(d *earshot.Delivery) error {
		if d.State != earshot.DeliveryWaiting {
			return errUnchanged
		}
		d.State, d.Summary, d.Finished = earshot.DeliverySummarized, summary, s.now()
		shrink(&d.Message)
		return nil
	})
}

// summaryMessage lists messages, most urgent and then oldest first.
func summaryMessage(members []*earshot.Delivery, perHour int) earshot.Message {
	sorted := slices.Clone(members)
	urgency := func(d *earshot.Delivery) int { return slices.Index(earshot.Severities, d.Message.Severity) }
	slices.SortStableFunc(sorted, func(a, b *earshot.Delivery) int { return urgency(b) - urgency(a) })
	m := earshot.Message{
		Event: summaryEvent, Severity: sorted[0].Message.Severity, Path: "/signals",
		Title: fmt.Sprintf("%d more messages", len(members)),
		Text:  fmt.Sprintf("This channel receives at most %d messages per hour. What else happened:\n", perHour),
	}
	for _, d := range sorted[:min(len(sorted), maxSummaryTitles)] {
		m.Text += "\n• " + d.Message.Title
	}
	if more := len(sorted) - maxSummaryTitles; more > 0 {
		m.Text += fmt.Sprintf("\n… and %d more", more)
	}
	return bounded(m)
}
