package delivery

import (
	"time"

	"earshot"
	"earshot/internal/period"
)

// A plan is the next step for a channel.
type plan struct {
	send     *earshot.Delivery   // now
	collapse []*earshot.Delivery // into a summary
	waiting  []*earshot.Delivery // all that wait
	next     time.Time           // when to decide again, if there is nothing to do
}

// far is when to decide again if nothing waits.
const far = time.Hour

// decide returns what to do for a channel with the given deliveries, oldest first. Nothing is sent
// before notBefore.
func decide(ch *earshot.Channel, list []*earshot.Delivery, notBefore, now time.Time) plan {
	p := plan{next: now.Add(far)}
	var due []*earshot.Delivery
	var recent []time.Time // when messages were sent within the last hour, in order of creation
	for _, d := range list {
		if d.State == earshot.DeliverySending {
			p.next = period.Earlier(p.next, d.Began.Add(staleAfter))
		}
		if !d.Began.IsZero() && now.Sub(d.Began) < time.Hour {
			recent = append(recent, d.Began)
		}
		if d.State != earshot.DeliveryWaiting {
			continue
		}
		p.waiting = append(p.waiting, d)
		if d.Next.After(now) {
			p.next = period.Earlier(p.next, d.Next)
		} else {
			due = append(due, d)
		}
	}
	if len(due) == 0 {
		return p
	}
	if now.Before(notBefore) {
		p.next = period.Earlier(p.next, notBefore)
		return p
	}
	budget := perHour(ch) - len(recent)
	if budget <= 0 { // the oldest of the last messages makes room
		oldest := now
		for _, t := range recent {
			oldest = period.Earlier(oldest, t)
		}
		p.next = oldest.Add(time.Hour)
		return p
	}
	if budget == 1 && len(due) > 1 { // the last message of the hour summarizes all that wait
		var members []*earshot.Delivery
		for _, d := range due {
			if collapsible(ch, d) {
				members = append(members, d)
			}
		}
		if len(members) > 1 {
			p.collapse = members
			return p
		}
	}
	p.send = due[0]
	return p
}

// perHour returns the maximum number of messages per hour of a channel. Programs need no protection from
// a flood.
func perHour(ch *earshot.Channel) int {
	switch {
	case ch.PerHour > 0:
		return ch.PerHour
	case ch.Kind == earshot.WebhookChannel:
		return MaxPerHour
	}
	return DefaultPerHour
}
