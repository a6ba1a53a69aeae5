package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// An AccountReport has what is known about the account of a SOCIAL monitor.
type AccountReport struct {
	Days     earshot.Days // the days that have results; zero if there are none
	ByDay    []AccountDay
	Total    AccountMetrics
	Previous *PreviousAccount // nil if some of its days have no results
	Hashtags []Count          // of all posts of the monitor, most frequent first
	Posts    []OwnPost        // newest first
}

// An AccountDay has the metrics of a day.
type AccountDay struct {
	Day earshot.Date `json:"date"`
	AccountMetrics
}

// PreviousAccount has the metrics of the period of the same length before a range.
type PreviousAccount struct {
	Days  earshot.Days
	Total AccountMetrics
}

// AccountMetrics are the metrics of an account in a period. They equal those of [Service.Followers],
// [Service.PageLikes], [Service.SentPosts], [Service.Engagement] and [Service.Activity]. Metrics that
// are unknown, or that the network does not have, are nil. Changes of counters may be negative.
type AccountMetrics struct {
	Followers *int64 `json:"followers"` // on the last day
	PageLikes *int64 `json:"pageLikes"` // on the last day; of Facebook pages
	Posts     int64  `json:"posts"`     // by the account

	// On microblogs.
	Impressions *int64 `json:"impressions"` // of the account's posts
	Mentions    *int64 `json:"mentions"`    // by others, as replies and retweets
	Replies     *int64 `json:"replies"`
	Retweets    *int64 `json:"retweets"`

	// On Facebook and Instagram: changes of the counters of the account's posts. Instagram has no
	// shares.
	PostLikes    *int64 `json:"postLikes"`
	PostComments *int64 `json:"postComments"`
	PostShares   *int64 `json:"postShares"`

	// On Facebook: posts by others, and the changes of their counters.
	UserPosts    *int64 `json:"userPosts"`
	UserLikes    *int64 `json:"userLikes"`
	UserComments *int64 `json:"userComments"`
	UserShares   *int64 `json:"userShares"`
}

// Account returns the metrics of the account of m on the requested days that have results, compared
// with the previous period, and the account's latest posts, at most maxPosts.
func (s *Service) Account(ctx context.Context, m *earshot.Monitor, days earshot.Days, maxPosts int) (*AccountReport, error) {
	days, err := s.limitDays(m, days)
	if err != nil || days.Len() <= 0 {
		return &AccountReport{}, err
	}
	r := &AccountReport{Days: days}
	if r.ByDay, r.Posts, err = s.accountDays(ctx, m, days, maxPosts); err != nil {
		return nil, err
	}
	r.Total = totalMetrics(r.ByDay)
	if before, comparable := s.previousDays(m, days); comparable {
		list, _, err := s.accountDays(ctx, m, before, 0)
		if err != nil {
			return nil, err
		}
		r.Previous = &PreviousAccount{before, totalMetrics(list)}
	}
	rows, err := poststore.TallyOne(ctx, s.Store, selection(m, days), topBy(poststore.ByHashtag, topHashtags))
	r.Hashtags = countsOf(rows)
	return r, err
}

// accountDays returns the metrics of each day, and the latest posts of the account.
func (s *Service) accountDays(ctx context.Context, m *earshot.Monitor, days earshot.Days, maxPosts int) ([]AccountDay, []OwnPost, error) {
	list := make([]AccountDay, days.Len())
	for i, date := range listDays(days) {
		list[i].Day = date
	}
	if err := s.addCounters(ctx, m, days, list); err != nil {
		return nil, nil, err
	}
	posts, err := s.addOwnPosts(ctx, m, days, list, maxPosts)
	if err != nil {
		return nil, nil, err
	}
	if m.Account.Network.IsMicroblog() {
		err = s.addEngagement(ctx, m, days, list)
	} else {
		err = s.addActivity(ctx, m, days, list)
	}
	return list, posts, err
}

// addCounters sets the followers and the page likes.
func (s *Service) addCounters(ctx context.Context, m *earshot.Monitor, days earshot.Days, list []AccountDay) error {
	values, err := s.Followers(ctx, m, days)
	if err != nil {
		return err
	}
	for _, v := range values {
		list[days.Start.DaysUntil(v.Day)].Followers = &v.Value
	}
	if m.Account.Network != earshot.Facebook {
		return nil
	}
	values, err = s.PageLikes(ctx, m, days)
	for _, v := range values {
		list[days.Start.DaysUntil(v.Day)].PageLikes = &v.Value
	}
	return err
}

// addOwnPosts sets the number of posts by the account and, on microblogs, their impressions. These
// are unknown if no post states the number of followers, and it is unknown on that day too.
func (s *Service) addOwnPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days, list []AccountDay, maxPosts int) ([]OwnPost, error) {
	read, microblog := s.OwnPosts, m.Account.Network.IsMicroblog()
	if microblog {
		read = s.SentPosts
	}
	var latest []OwnPost
	impressions := make([]int64, len(list))
	for piece, err := range read(ctx, m, days) {
		if err != nil {
			return nil, err
		}
		i := days.Start.DaysUntil(piece.Day)
		list[i].Posts += int64(len(piece.Posts))
		for j := range piece.Posts {
			p := &piece.Posts[j]
			impressions[i] = poststore.SaturatingAdd(impressions[i], p.Impressions.Int())
			if p.Impressions.Int() == 0 && list[i].Followers == nil {
				p.Impressions = earshot.Count{}
			}
		}
		latest = latestPosts(append(latest, piece.Posts...), maxPosts)
	}
	for i := range list {
		if day := &list[i]; microblog && (day.Posts == 0 || impressions[i] > 0 || day.Followers != nil) {
			day.Impressions = &impressions[i]
		}
	}
	return latest, nil
}

// latestPosts returns the latest posts, newest first.
func latestPosts(posts []OwnPost, limit int) []OwnPost {
	slices.SortStableFunc(posts, func(a, b OwnPost) int { return b.Time.Compare(a.Time) })
	return posts[:min(len(posts), limit)]
}

// addEngagement sets how others engaged with an account on a microblog.
func (s *Service) addEngagement(ctx context.Context, m *earshot.Monitor, days earshot.Days, list []AccountDay) error {
	found, err := s.Engagement(ctx, m, days)
	if err != nil {
		return err
	}
	for i, e := range found {
		list[i].Mentions, list[i].Replies, list[i].Retweets = &e.Mentions, &e.Replies, &e.Retweets
	}
	return nil
}

// addActivity sets how the counters of posts changed.
func (s *Service) addActivity(ctx context.Context, m *earshot.Monitor, days earshot.Days, list []AccountDay) error {
	found, err := s.Activity(ctx, m, days)
	if err != nil {
		return err
	}
	for i, a := range found {
		list[i].PostLikes, list[i].PostComments = &a.Own.Likes, &a.Own.Comments
		if m.Account.Network == earshot.Facebook {
			list[i].PostShares = &a.Own.Shares
			list[i].UserPosts, list[i].UserLikes, list[i].UserComments, list[i].UserShares = &a.User.Posts, &a.User.Likes, &a.User.Comments, &a.User.Shares
		}
	}
	return nil
}

// totalMetrics adds up the metrics of consecutive days. Days whose value is unknown do not count.
func totalMetrics(days []AccountDay) (total AccountMetrics) {
	for i := range days {
		day := &days[i].AccountMetrics
		total.Followers, total.PageLikes = day.Followers, day.PageLikes
		total.Posts += day.Posts
		sums, values := total.sums(), day.sums()
		for j, value := range values {
			if *value == nil {
				continue
			}
			sum := **value
			if *sums[j] != nil {
				sum += **sums[j]
			}
			*sums[j] = &sum
		}
	}
	return total
}

// sums returns the metrics that add up over days and may be unknown.
func (a *AccountMetrics) sums() []**int64 {
	return []**int64{
		&a.Impressions, &a.Mentions, &a.Replies, &a.Retweets,
		&a.PostLikes, &a.PostComments, &a.PostShares,
		&a.UserPosts, &a.UserLikes, &a.UserComments, &a.UserShares,
	}
}
