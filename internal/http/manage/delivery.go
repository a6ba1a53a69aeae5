package manage

import (
	"context"
	"slices"
	"strconv"
	"time"

	"earshot"
)

// A deliveryInfo is a message for a channel, and what happened to it.
type deliveryInfo struct {
	ID       earshot.DeliveryID    `json:"id"`
	Channel  earshot.ChannelID     `json:"channel"`
	Event    string                `json:"event"`
	Severity earshot.Severity      `json:"severity"`
	Title    string                `json:"title"`
	Path     string                `json:"path"` // page of the web app; empty: none
	State    earshot.DeliveryState `json:"state"`
	Attempts int                   `json:"attempts"`
	Created  time.Time             `json:"created"`
	Next     time.Time             `json:"next,omitzero"` // of a waiting one
	Began    time.Time             `json:"began,omitzero"`
	Finished time.Time             `json:"finished,omitzero"`
	Error    string                `json:"error"`   // of the last attempt
	Status   int                   `json:"status"`  // HTTP status of the last attempt; 0: none
	Members  int                   `json:"members"` // number of messages that it summarizes
}

func newDelivery(d *earshot.Delivery) deliveryInfo {
	info := deliveryInfo{
		ID: d.ID, Channel: d.Channel, Event: d.Message.Event, Severity: d.Message.Severity, Title: d.Message.Title, Path: d.Message.Path,
		State: d.State, Attempts: d.Attempts, Created: d.Created, Began: d.Began, Finished: d.Finished,
		Error: d.Error, Status: d.Status, Members: len(d.Members),
	}
	if d.State == earshot.DeliveryWaiting {
		info.Next = d.Next
	}
	return info
}

// listDeliveries serves GET /manage/v1/channels/{id}/deliveries. The newest is first.
func (a *API) listDeliveries(_ context.Context, c *earshot.Caller, p struct {
	channelPath
	pageParams
}) (response page[deliveryInfo], err error) {
	list, err := a.Deliveries.Deliveries(c, p.ID)
	if err != nil {
		return response, err
	}
	limit, err := p.limit()
	if err != nil {
		return response, err
	}
	if p.Cursor != "" { // IDs are in no order
		i := slices.IndexFunc(list, func(d *earshot.Delivery) bool { return strconv.FormatInt(int64(d.ID), 10) == p.Cursor })
		if i < 0 {
			return response, earshot.InvalidParameter("cursor", p.Cursor, "the value of next from an earlier response")
		}
		list = list[i+1:]
	}
	return firstPage(list, limit, func(d *earshot.Delivery) int64 { return int64(d.ID) }, newDelivery), nil
}
