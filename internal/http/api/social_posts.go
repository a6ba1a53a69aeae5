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

// An ownList says how a response renders the own posts of a day.
type ownList struct {
	name   string // of the list
	render func(p *insight.OwnPost) any
	total  bool // followed by the sum of their impressions
}

// streamOwn returns a response of own posts, day by day, as they are read. R is like
// sentPostsResponse.
func streamOwn[R any](days iter.Seq2[insight.OwnDay, error], list ownList) rest.Streamed[R] {
	return rest.Streamed[R]{Write: func(w io.Writer) error { return writeOwn(w, days, list) }}
}

// writeOwn writes a response about own posts.
func writeOwn(w io.Writer, days iter.Seq2[insight.OwnDay, error], list ownList) error {
	o := &ownWriter{ownList: list, out: w, buf: []byte(`{"dailyResults":[`)}
	for piece, err := range days {
		if err != nil {
			return err
		}
		if err := o.write(piece); err != nil {
			return err
		}
	}
	o.end()
	o.buf = append(o.buf, `],"status":"success"}`...)
	_, err := w.Write(o.buf)
	return err
}

// An ownWriter writes days of own posts.
type ownWriter struct {
	ownList
	out         io.Writer
	buf         []byte       // is yet to be written
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
			o.buf = append(o.buf, ',')
		}
		if o.buf, err = rest.AppendJSON(o.buf, o.render(p)); err != nil {
			return err
		}
		if _, err := o.out.Write(o.buf); err != nil {
			return err
		}
		o.buf = o.buf[:0]
		o.impressions = poststore.SaturatingAdd(o.impressions, p.Impressions.Int())
	}
	return nil
}

// begin ends the day before and begins another.
func (o *ownWriter) begin(day earshot.Date) (err error) {
	if o.end(); o.day != (earshot.Date{}) {
		o.buf = append(o.buf, ',')
	}
	o.day, o.posts, o.impressions = day, 0, 0
	if o.buf, err = rest.AppendJSON(o.buf, newDaySpan(day)); err != nil {
		return err
	}
	o.buf = append(o.buf[:len(o.buf)-1], `,"`+o.name+`":[`...) // the span goes on
	return nil
}

// end ends a day that was begun.
func (o *ownWriter) end() {
	if o.day == (earshot.Date{}) {
		return
	}
	o.buf = append(o.buf, ']')
	if o.total {
		o.buf = strconv.AppendInt(append(o.buf, `,"totalImpressions":`...), o.impressions, 10)
	}
	o.buf = append(o.buf, '}')
}
