package insight

import (
	"cmp"
	"context"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/model/vision"
	"earshot/internal/poststore"
)

// Images counts the posts of a day by what their images show.
type Images struct {
	Day       earshot.Date
	Changed   time.Time // time of the last change to the day's metrics
	Posts     int64
	WithImage int64 // posts that have an image
	Classes   []ImageCount
	Logos     []ImageCount
}

// An ImageCount is the number of posts whose images show a class or logo.
type ImageCount struct {
	Class vision.Class
	Posts int64
}

// Images counts posts by what their images show on each day. It counts classes of one kind, or of
// all kinds if kind is empty. It lists the limit most frequent classes and logos of each day, or
// all if limit is 0.
func (s *Service) Images(ctx context.Context, m *earshot.Monitor, days earshot.Days, kind vision.Type, limit int) ([]Images, error) {
	c, err := s.countDays(ctx, m, days, nil, allPosts, countBy(poststore.ByPicture), countBy(poststore.ByImageClass), countBy(poststore.ByBrand))
	if err != nil {
		return nil, err
	}
	changed, err := s.changed(ctx, m, c.dates)
	if err != nil {
		return nil, err
	}
	list := make([]Images, len(c.dates))
	for day, date := range c.dates {
		images := Images{Day: date, Changed: changed[day], Posts: c.posts(0, day)}
		for _, row := range c.rows[1][day] {
			images.WithImage += row.Posts
		}
		if kind != vision.Logo {
			images.Classes = imageCounts(c.rows[2][day], kind, limit, parseClass)
		}
		if kind == vision.Logo || kind == "" {
			images.Logos = imageCounts(c.rows[3][day], "", limit, parseLogo)
		}
		list[day] = images
	}
	return list, nil
}

func imageCounts(rows []poststore.Row, kind vision.Type, limit int, class func(id, name string) vision.Class) []ImageCount {
	var list []ImageCount
	for _, row := range rows {
		if limit > 0 && len(list) == limit {
			break
		}
		id, name, _ := strings.Cut(row.Key[0], " ")
		if c := class(id, name); kind == "" || c.Type == kind {
			list = append(list, ImageCount{c, row.Posts})
		}
	}
	return list
}

func parseClass(number, name string) vision.Class {
	id, _ := strconv.ParseInt(number, 10, 64) // posts store class ids as numbers
	kind := vision.TypeOf(id)
	if kind == vision.Logo { // logos are listed separately, so this ID is from another classifier
		kind = vision.Object
	}
	return vision.Class{ID: id, Name: name, Type: kind}
}

// parseLogo returns the class of a brand. Posts may have brand IDs of any form. An ID that is not a
// number is replaced with a hash of the ID or, if the ID is empty, of the name.
func parseLogo(text, name string) vision.Class {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		h := fnv.New32a()
		h.Write([]byte(cmp.Or(text, name))) // never fails
		id = int64(h.Sum32()>>1) + 1_000_000
	}
	return vision.Class{ID: id, Name: name, Type: vision.Logo}
}
