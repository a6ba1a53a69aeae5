package api

import (
	"io"
	"iter"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// An ownList is how the posts of a day are shown in an answer about own posts.
type ownList struct {
	name  string // of the list
	show  func(p *insight.OwnPost) any
	total bool // followed by the sum of their impressions
}

// streamOwn answers with own posts, a day after the other, as they are read. R is like
// sentPostsResponse.
func streamOwn[R any](days iter.Seq2[insight.OwnDay, error], list ownList) rest.Streamed[R] {
	return rest.Streamed[R]{Write: func(w io.Writer) error { return writeOwn(w, days, list) }}
}

// writeOwn writes an answer about own posts.
func writeOwn(w io.Writer, days iter.Seq2[insight.OwnDay, error], list ownList) error {
	o := &ownWriter{ownList: list, to: w, b: []byte(`{"dailyResults":[`)}
	for piece, err := range days {
		if err != nil {
			return err
		}
		if err := o.write(piece); err != nil {
			return err
		}
	}
	o.end()
	o.b = append(o.b, `],"status":"success"}`...)
	_, err := w.Write(o.b)
	return err
}

// An ownWriter writes days of own posts.
type ownWriter struct {
	ownList
	to          io.Writer
	b           []byte       // is yet to be written
	day         earshot.Date // that was begun last; zero: none
	posts       int          // of it
	impressions int64
}

// write writes posts of a day. Those of the same day come one after the other.
func (o *ownWriter) write(piece insight.OwnDay) (err error) {
	if piece.Day != o.day {
		if err := o.begin(piece.Day); err != nil {
			return err
		}
	}
	for i := range piece.Posts {
		p := &piece.Posts[i]
		if o.posts++; o.posts > 1 {
			o.b = append(o.b, ',')
		}
		if o.b, err = rest.AppendJSON(o.b, o.show(p)); err != nil {
			return err
		}
		if _, err := o.to.Write(o.b); err != nil {
			return err
		}
		o.b = o.b[:0]
		o.impressions = poststore.Plus(o.impressions, p.Impressions.Int())
	}
	return nil
}

// begin ends the day before and begins another.
func (o *ownWriter) begin(day earshot.Date) (err error) {
	if o.end(); o.day != (earshot.Date{}) {
		o.b = append(o.b, ',')
	}
	o.day, o.posts, o.impressions = day, 0, 0
	if o.b, err = rest.AppendJSON(o.b, spanOf(day)); err != nil {
		return err
	}
	o.b = append(o.b[:len(o.b)-1], `,"`+o.name+`":[`...) // the span goes on
	return nil
}

// end ends a day that was begun.
func (o *ownWriter) end() {
	if o.day == (earshot.Date{}) {
		return
	}
	o.b = append(o.b, ']')
	if o.total {
		o.b = strconv.AppendInt(append(o.b, `,"totalImpressions":`...), o.impressions, 10)
	}
	o.b = append(o.b, '}')
}
