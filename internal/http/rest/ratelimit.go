package rest

import (
	"fmt"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/limit"
)

// noLimit is the value of the X-RateLimit headers without a limit.
const noLimit = "1000000"

// checkRateLimit counts the request. Responses under /api/ and /manage/ get the X-RateLimit headers.
// Health checks are not counted.
func (x *exchange) checkRateLimit() error {
	public := strings.HasPrefix(x.r.URL.Path+"/", "/api/")
	shown := public || strings.HasPrefix(x.r.URL.Path, "/manage/")
	rate := x.rate(public)
	h := x.w.Header()
	if rate == nil || rate.Limit() <= 0 {
		if shown { // programs read the headers unconditionally
			h.Set("X-RateLimit-Limit", noLimit)
			h.Set("X-RateLimit-Remaining", noLimit)
		}
		return nil
	}
	remaining, wait := rate.Count(x.client(), x.server.Now())
	if shown {
		h.Set("X-RateLimit-Limit", strconv.Itoa(rate.Limit()))
		h.Set("X-RateLimit-Remaining", strconv.Itoa(max(remaining, 0)))
	}
	if remaining >= 0 || x.route != nil && x.route.signIn {
		return nil
	}
	return &earshot.Error{
		Kind: earshot.OverLimit,
		Message: fmt.Sprintf("The limit of %d requests a minute is reached. Please try again in %s s",
			rate.Limit(), ceilSeconds(wait)),
		RetryAfter: wait,
	}
}

// rate returns the limiter that counts the request, or nil if it is not counted.
func (x *exchange) rate(public bool) *limit.Rate {
	switch {
	case x.server.Limits == nil || x.route != nil && x.route.health:
		return nil
	case public:
		return x.server.Limits.API
	}
	return x.server.Limits.Other
}
