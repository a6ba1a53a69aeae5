package manage

import (
	"context"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/notify/delivery"
)

// listDeliveries serves GET /manage/v1/channels/{id}/deliveries. The newest is first.
func (a *API) listDeliveries(_ context.Context, c *earshot.Caller, p struct {
	channelPath
	pageParams
}) (response page[delivery.Info], err error) {
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
	return firstPage(list, limit, func(d *earshot.Delivery) int64 { return int64(d.ID) }, delivery.NewInfo), nil
}
