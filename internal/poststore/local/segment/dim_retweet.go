package segment

import (
	"earshot"
	"earshot/internal/poststore"
)

// retweetDim is the dimension of retweeted posts. A code combines the source and the parent of a
// row. Rows that are not retweets have code 0.
type retweetDim struct {
	engagement, source, parent *dictDim
	retweet                    uint64 // engagement code of retweets
	none                       bool   // whether the segment has no retweets
	sources                    uint64 // span of source
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
	id, found := r.engagement.dict.Find(string(earshot.Retweet))
	r.retweet, r.none = uint64(id)-r.engagement.values.Base(), !found
	return r, nil
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
			return dst[:start] // a retweet without a parent
		}
		return dst
	}
}
