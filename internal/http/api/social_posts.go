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

// An ownList describes how a response renders the own posts of a day.
type ownList struct {
	name   string // member name of the list
	render func(p *insight.OwnPost) any
	total  bool // add the total of their impressions
}

// streamOwn returns a response that writes own posts by day while they are read. R documents its
// shape, for example sentPostsResponse.
func streamOwn[R any](days iter.Seq2[insight.OwnDay, error], list ownList) rest.Streamed[R] {
	return rest.Streamed[R]{Write: func(w io.Writer) error { return writeOwn(w, days, list) }}
}

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

// An ownWriter writes own posts by day.
type ownWriter struct {
	ownList
	out         io.Writer
	buf         []byte       // not yet written
	day         earshot.Date // the current day; zero: none
	posts       int          // number of posts written for the day
	impressions int64
}

// write writes some posts of a day. All posts of a day must be written consecutively.
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

// begin ends the previous day and begins a new one.
func (o *ownWriter) begin(day earshot.Date) (err error) {
	if o.end(); o.day != (earshot.Date{}) {
		o.buf = append(o.buf, ',')
	}
	o.day, o.posts, o.impressions = day, 0, 0
	if o.buf, err = rest.AppendJSON(o.buf, newDaySpan(day)); err != nil {
		return err
	}
	o.buf = append(o.buf[:len(o.buf)-1], `,"`+o.name+`":[`...) // reopens the object to add the list
	return nil
}

// end ends the current day, if there is one.
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
