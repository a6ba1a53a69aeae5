package api

import (
	"io"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
)

// stream answers with posts, one after the other.
func (s *shower) stream(posts []earshot.Post, total int64) rest.Streamed[postsResponse] {
	return rest.Streamed[postsResponse]{Write: func(w io.Writer) error { return s.write(w, posts, total) }}
}

// write writes a postsResponse.
func (s *shower) write(w io.Writer, posts []earshot.Post, total int64) error {
	b := []byte(`{"posts":[`)
	var shown post
	for i := range posts {
		if i > 0 {
			b = append(b, ',')
		}
		s.show(&shown, &posts[i])
		var err error
		if b, err = rest.AppendJSON(b, &shown); err != nil {
			return err
		}
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

// A post has ten scores, which are written by hand: that is half of it.

// AppendJSON implements rest.Appender.
func (s categoryScore) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"categoryId":`...), int64(s.CategoryID), 10)
	b = rest.AppendString(append(b, `,"categoryName":`...), s.CategoryName)
	return append(rest.AppendNumber(append(b, `,"score":`...), s.Score), '}')
}

// AppendJSON implements rest.Appender.
func (s emotionScore) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"emotionId":`...), int64(s.EmotionID), 10)
	b = rest.AppendString(append(b, `,"emotionName":`...), s.EmotionName)
	return append(rest.AppendNumber(append(b, `,"score":`...), s.Score), '}')
}
