package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// An Engagement counts how others engaged with an account on a day.
type Engagement struct {
	Day                         earshot.Date
	Mentions, Replies, Retweets int64
}

// Engagement counts the posts of m that others wrote: replies, retweets and mentions, which are all
// other posts.
func (s *Service) Engagement(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Engagement, error) {
	days, err := s.limitDays(m, days)
	if err != nil {
		return nil, err
	}
	own, all, err := s.ownAndAll(ctx, m, days, allPosts, countBy(poststore.ByEngagement))
	if err != nil {
		return nil, err
	}
	list := make([]Engagement, len(all.dates))
	for day, date := range all.dates {
		others := func(e earshot.Engagement) int64 {
			return max(engagementPosts(all.rows[1][day], e)-engagementPosts(own.rows[1][day], e), 0)
		}
		e := Engagement{Day: date, Replies: others(earshot.Reply), Retweets: others(earshot.Retweet)}
		e.Mentions = max(all.posts(0, day)-own.posts(0, day)-e.Replies-e.Retweets, 0)
		list[day] = e
	}
	return list, nil
}

// ownAndAll counts first the posts that the account wrote and then all posts of m, on days that
// have results. In this order, a post that arrives in between is never counted only as the
// account's own.
func (s *Service) ownAndAll(ctx context.Context, m *earshot.Monitor, days earshot.Days, ts ...poststore.Tally) (own, all *dayCounts, err error) {
	if own, err = s.countDaysOf(ctx, m, poststore.Selection{Set: poststore.OwnSet(m.ID)}, days, ts...); err != nil {
		return nil, nil, err
	}
	all, err = s.countDays(ctx, m, days, nil, ts...)
	return own, all, err
}

func engagementPosts(rows []poststore.Row, e earshot.Engagement) int64 {
	for _, row := range rows {
		if row.Key[0] == string(e) {
			return row.Posts
		}
	}
	return 0
}

// An Activity is the number of posts on a day, and the growth of the counters of all posts on that
// day, which may be negative.
type Activity struct {
	Day  earshot.Date
	Own  Reactions // for posts of the account
	User Reactions // for posts of others
}

// Reactions are a number of posts and their counters.
type Reactions struct {
	Posts, Likes, Comments, Shares int64
}

// Activity returns the activity on the posts of m. The counters of a new post count on the day it
// was posted. If it arrives again with other counters, the difference counts on the day of arrival.
// Comments and replies by others do not count as posts, but their counters do.
// docs/decisions/0040-total-activity.md
func (s *Service) Activity(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Activity, error) {
	days, err := s.limitDays(m, days)
	if err != nil {
		return nil, err
	}
	ownShifts, err := s.counterShifts(ctx, m, poststore.OwnSet(m.ID), days)
	if err != nil {
		return nil, err
	}
	allShifts, err := s.counterShifts(ctx, m, poststore.MonitorSet(m.ID), days)
	if err != nil {
		return nil, err
	}
	counters := poststore.Tally{Sum: []poststore.Measure{poststore.Likes, poststore.Comments, poststore.Shares}}
	own, all, err := s.ownAndAll(ctx, m, days, counters, countBy(poststore.ByEngagement))
	if err != nil {
		return nil, err
	}
	list := make([]Activity, len(all.dates))
	for day, date := range all.dates {
		a := Activity{Day: date, Own: ownShifts[day].plus(daySums(own, day), 1)}
		a.User = allShifts[day].plus(daySums(all, day), 1).plus(a.Own, -1)
		for _, e := range []earshot.Engagement{earshot.Comment, earshot.Reply} {
			a.User.Posts -= engagementPosts(all.rows[1][day], e) - engagementPosts(own.rows[1][day], e)
		}
		list[day] = a
	}
	return list, nil
}

// daySums returns the posts of a day and their current counters.
func daySums(c *dayCounts, day int) Reactions {
	row := c.rows[0][day][0]
	return Reactions{Posts: row.Posts, Likes: row.Sums[0], Comments: row.Sums[1], Shares: row.Sums[2]}
}

func (r Reactions) plus(other Reactions, times int64) Reactions {
	return Reactions{
		Posts:    r.Posts + times*other.Posts,
		Likes:    r.Likes + times*other.Likes,
		Comments: r.Comments + times*other.Comments,
		Shares:   r.Shares + times*other.Shares,
	}
}

// counterShifts returns corrections to the current counters of each day's posts. They move later
// changes from the day of the post to the day on which the change arrived.
func (s *Service) counterShifts(ctx context.Context, m *earshot.Monitor, set poststore.SetID, days earshot.Days) ([]Reactions, error) {
	if days.Len() <= 0 {
		return nil, nil
	}
	bounds := dayBounds(days, m.Location())
	shifts := make([]Reactions, days.Len())
	add := func(at time.Time, c poststore.CounterChange, times int64) {
		if day := dayIndex(bounds, at); day >= 0 && day < len(shifts) {
			shifts[day] = shifts[day].plus(Reactions{Likes: c.Likes, Comments: c.Comments, Shares: c.Shares}, times)
		}
	}
	err := s.Store.CounterChanges(ctx, set, bounds[0], bounds[len(shifts)], func(c poststore.CounterChange) {
		if c.Time.Before(c.Posted) { // the post is dated in the future, and its day has not come yet
			return
		}
		add(c.Posted, c, -1)
		add(c.Time, c, 1)
	})
	return shifts, err
}
