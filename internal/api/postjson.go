package api

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/rest"
)

// streamPosts answers with posts of m, one after the other.
func (a *API) streamPosts(m *earshot.Monitor, posts []earshot.Post, total int64) rest.Streamed[postsResponse] {
	return rest.Streamed[postsResponse]{Write: func(w io.Writer) error { return a.writePosts(w, m, posts, total) }}
}

// writePosts writes a postsResponse.
func (a *API) writePosts(w io.Writer, m *earshot.Monitor, posts []earshot.Post, total int64) error {
	s := a.newShower(m)
	b := []byte(`{"posts":[`)
	var shown post
	for i := range posts {
		if i > 0 {
			b = append(b, ',')
		}
		s.show(&shown, &posts[i])
		b = shown.appendJSON(b)
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	b = append(b, `],"totalPostsAvailable":`...)
	b = strconv.AppendInt(b, total, 10)
	b = append(b, `,"status":"success"}`...)
	_, err := w.Write(b)
	return err
}

// appendJSON appends what encoding/json makes of p.
func (p *post) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendOptional(b, `"url":`, p.URL)
	if !p.Date.IsZero() {
		b = append(b, `"date":"`...)
		b = time.Time(p.Date).AppendFormat(b, "2006-01-02T15:04:05")
		b = append(b, `",`...)
	}
	b = appendOptional(b, `"author":`, p.Author)
	b = appendPointed(b, `"contents":`, p.Contents)
	b = appendPointed(b, `"title":`, p.Title)
	b = append(b, `"type":`...)
	b = appendText(b, string(p.Type))
	b = append(b, ',')
	b = appendOptional(b, `"language":`, p.Language)
	b = appendOptional(b, `"location":`, p.Location)
	if p.Geolocation != nil {
		b = p.Geolocation.appendJSON(append(b, `"geolocation":`...))
	}
	b = appendCount(b, `"authorKlout":`, p.AuthorKlout)
	b = appendOptional(b, `"authorGender":`, string(p.AuthorGender))
	b = appendCount(b, `"authorPosts":`, p.AuthorPosts)
	b = appendCount(b, `"authorsFollowing":`, p.AuthorsFollowing)
	b = appendCount(b, `"authorsFollowers":`, p.AuthorsFollowers)
	b = appendOptional(b, `"authorUsername":`, p.AuthorUsername)
	b = appendOptional(b, `"authorProfileId":`, p.AuthorProfileID)
	b = append(b, `"assignedCategoryId":`...)
	b = strconv.AppendInt(b, int64(p.AssignedCategoryID), 10)
	b = append(b, `,"assignedEmotionId":`...)
	b = strconv.AppendInt(b, int64(p.AssignedEmotionID), 10)
	b = append(b, `,"categoryScores":`...)
	b = appendList(b, p.CategoryScores, (*categoryScore).appendJSON)
	b = append(b, `,"emotionScores":`...)
	b = appendList(b, p.EmotionScores, (*emotionScore).appendJSON)
	b = append(b, `,"imageInfo":`...)
	b = appendList(b, p.ImageInfo, (*imageInfo).appendJSON)
	if p.EngagementType != "" {
		b = appendText(append(b, `,"engagementType":`...), string(p.EngagementType))
	}
	if len(p.Custom) > 0 {
		b = appendTexts(append(b, `,"custom":`...), p.Custom)
	}
	return append(b, '}')
}

// appendTexts appends an object of texts, by key.
func appendTexts(b []byte, texts map[string]string) []byte {
	for i, key := range slices.Sorted(maps.Keys(texts)) {
		if i == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = appendText(append(appendText(b, key), ':'), texts[key])
	}
	return append(b, '}')
}

func (g *geolocation) appendJSON(b []byte) []byte {
	b = appendText(append(b, `{"id":`...), g.ID)
	b = appendText(append(b, `,"name":`...), g.Name)
	b = appendText(append(b, `,"country":`...), g.Country)
	if g.State != "" {
		b = appendText(append(b, `,"state":`...), g.State)
	}
	if g.City != "" {
		b = appendText(append(b, `,"city":`...), g.City)
	}
	return append(b, `},`...)
}

func (s *categoryScore) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"categoryId":`...), int64(s.CategoryID), 10)
	b = appendText(append(b, `,"categoryName":`...), s.CategoryName)
	b = appendNumber(append(b, `,"score":`...), s.Score)
	return append(b, '}')
}

func (s *emotionScore) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"emotionId":`...), int64(s.EmotionID), 10)
	b = appendText(append(b, `,"emotionName":`...), s.EmotionName)
	b = appendNumber(append(b, `,"score":`...), s.Score)
	return append(b, '}')
}

func (i *imageInfo) appendJSON(b []byte) []byte {
	b = appendText(append(b, `{"url":`...), i.URL)
	if len(i.Brands) > 0 {
		b = appendList(append(b, `,"brands":`...), i.Brands, (*imageBrand).appendJSON)
	}
	if len(i.Objects) > 0 {
		b = appendList(append(b, `,"objects":`...), i.Objects, (*imageObject).appendJSON)
	}
	return append(b, '}')
}

func (i *imageBrand) appendJSON(b []byte) []byte {
	b = appendText(append(b, `{"brandId":`...), i.BrandID)
	b = appendText(append(b, `,"brand":`...), i.Brand)
	b = appendText(append(b, `,"size":`...), i.Size)
	b = appendNumber(append(b, `,"score":`...), i.Score)
	return append(b, '}')
}

func (i *imageObject) appendJSON(b []byte) []byte {
	b = appendNumber(append(b, `{"score":`...), i.Score)
	b = strconv.AppendInt(append(b, `,"classId":`...), i.ClassID, 10)
	b = appendText(append(b, `,"className":`...), i.ClassName)
	return append(b, '}')
}

// appendOptional appends a member and a comma, unless the text is empty.
func appendOptional(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, key...)
	return append(appendText(b, text), ',')
}

// appendPointed does so unless there is no text; an empty one is shown.
func appendPointed(b []byte, key string, text *string) []byte {
	if text == nil {
		return b
	}
	b = append(b, key...)
	return append(appendText(b, *text), ',')
}

// appendCount does so unless the figure is not stated.
func appendCount(b []byte, key string, c earshot.Count) []byte {
	if c.IsZero() {
		return b
	}
	b = append(b, key...)
	return append(strconv.AppendInt(b, c.Int(), 10), ',')
}

func appendList[T any](b []byte, list []T, appendJSON func(*T, []byte) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(&list[i], b)
	}
	return append(b, ']')
}
