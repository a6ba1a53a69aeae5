package segment

import (
	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// retweetDim is the dimension of the posts that others repeat: a code is the source and the
// parent of a row, 0 for rows that repeat nothing.
type retweetDim struct {
	engagement, source, parent *dictDim
	retweet                    uint64 // code of that engagement
	none                       bool   // no row repeats anything
	sources                    uint64 // how many there may be
	codes, scratch             []uint64
}

func (s *Segment) retweetDim() (*retweetDim, error) {
	r := new(retweetDim)
	for _, c := range []struct {
		to        **dictDim
		d         poststore.Dim
		col, dict string
	}{
		{&r.engagement, poststore.ByEngagement, colEngagement, dictEngagement},
		{&r.source, poststore.BySource, colSource, dictSource},
		{&r.parent, poststore.ByParent, colParent, dictParent},
	} {
		var err error
		if *c.to, err = s.dictDim(c.d, c.col, c.dict, appendText); err != nil {
			return nil, err
		}
	}
	r.sources = r.source.span()
	number, found := numberOf(r.engagement.dict, string(earshot.Retweet))
	r.retweet, r.none = number-r.engagement.values.Base(), !found
	return r, nil
}

// numberOf returns the number of a text in a dictionary.
func numberOf(dict *colfile.Strings, text string) (number uint64, found bool) {
	var spelled []byte
	for i := range dict.Len() { // there are four engagements
		if spelled = dict.Append(spelled[:0], uint32(i)); string(spelled) == text {
			return uint64(i), true
		}
	}
	return 0, false
}

func (r *retweetDim) span() uint64 { return 1 + r.sources*r.parent.span() }

func (r *retweetDim) read(codes []uint64, rows []uint32) {
	if r.none {
		clear(codes[:len(rows)])
		return
	}
	r.codes, r.scratch = extended(r.codes, len(rows)), extended(r.scratch, len(rows))
	r.parent.read(codes, rows)
	r.source.read(r.codes, rows)
	r.engagement.read(r.scratch, rows)
	for i := range rows {
		if r.scratch[i] == r.retweet {
			codes[i] = 1 + codes[i]*r.sources + r.codes[i]
		} else {
			codes[i] = 0
		}
	}
}

func (r *retweetDim) keyFunc(bool) keyFunc {
	source, parent := r.source.keyFunc(false), r.parent.keyFunc(false)
	return func(dst []byte, code uint64) []byte {
		if code == 0 {
			return dst
		}
		start := len(dst)
		dst = append(source(dst, (code-1)%r.sources), ' ')
		before := len(dst)
		if dst = parent(dst, (code-1)/r.sources); len(dst) == before {
			return dst[:start] // it does not say what it repeats
		}
		return dst
	}
}
