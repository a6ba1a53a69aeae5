package segment

import (
	"sync/atomic"

	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// A tokenWalker reads the tokens of rows in order, except for URLs.
type tokenWalker struct {
	segment         *Segment
	tokens, urlRuns *colfile.ListReader
	dict            *colfile.Strings
	key             []byte
	numbers, runs   []uint32
	missing         bool // whether a token was not in the dictionary
}

func (s *Segment) tokenWalker() (*tokenWalker, error) {
	tokens, err := s.Lists(listTokens)
	if err != nil {
		return nil, err
	}
	runs, err := s.Lists(listURLRuns)
	if err != nil {
		return nil, err
	}
	dict, err := s.Strings(dictTerm)
	if err != nil {
		return nil, err
	}
	return &tokenWalker{segment: s, tokens: tokens.Reader(), urlRuns: runs.Reader(), dict: dict}, nil
}

// walk calls visit with the term of each token of a row.
func (w *tokenWalker) walk(row uint32, visit func(term uint32)) {
	w.numbers = w.tokens.Append(w.numbers[:0], row)
	w.runs = w.urlRuns.Append(w.runs[:0], row)
	query.WalkTokenIDs(w.numbers, w.runs, func(tag uint32) int { return w.parse(tag).Width }, visit)
}

// parse returns a term. It is valid until the next call.
func (w *tokenWalker) parse(term uint32) query.KeyToken {
	if int(term) >= w.dict.Len() {
		w.missing = true
		return query.KeyToken{}
	}
	w.key = w.dict.Append(w.key[:0], term)
	t, _ := query.ParseKey(w.key)
	return t
}

// err returns an error if the tokens were corrupt.
func (w *tokenWalker) err() error {
	if w.missing {
		return w.segment.corrupt(listTokens, "ids that are not in the dictionary of terms")
	}
	return nil
}

// A SketchReader computes the sketches of rows. It must not be used concurrently.
type SketchReader struct {
	walker   *tokenWalker
	hashes   []atomic.Uint32 // by term: enginekit.WordHash plus 1, or 0 if not computed yet; shared by clones
	sketcher enginekit.Sketcher
}

// SketchReader returns a reader of sketches.
func (s *Segment) SketchReader() (*SketchReader, error) {
	walker, err := s.tokenWalker()
	if err != nil {
		return nil, err
	}
	return &SketchReader{walker: walker, hashes: make([]atomic.Uint32, walker.dict.Len())}, nil
}

// Clone returns another reader of the same segment, for another goroutine. Together they compute the
// hash of each word once.
func (r *SketchReader) Clone() *SketchReader {
	w := *r.walker
	w.tokens, w.urlRuns, w.key, w.numbers, w.runs = w.tokens.Clone(), w.urlRuns.Clone(), nil, nil, nil
	return &SketchReader{walker: &w, hashes: r.hashes}
}

// Sketch returns the sketch of a row's text and its shingles, which are valid until the next call.
func (r *SketchReader) Sketch(row uint32) (enginekit.Sketch, []uint32, error) {
	r.read(row)
	sketch, shingles := r.sketcher.Sketch()
	return sketch, shingles, r.walker.err()
}

// Shingles returns the shingles of a row's text, until the next call.
func (r *SketchReader) Shingles(row uint32) ([]uint32, error) {
	r.read(row)
	return r.sketcher.Shingles(), r.walker.err()
}

func (r *SketchReader) read(row uint32) {
	r.sketcher.Reset()
	r.walker.walk(row, func(term uint32) {
		if int(term) >= len(r.hashes) {
			r.walker.missing = true
			return
		}
		plusOne := r.hashes[term].Load()
		if plusOne == 0 {
			plusOne = enginekit.WordHash(r.walker.parse(term)) + 1
			r.hashes[term].Store(plusOne)
		}
		r.sketcher.Add(plusOne - 1)
	})
}
