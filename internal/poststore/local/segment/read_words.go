package segment

import (
	"errors"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// A RowHash is a row and the enginekit.SampleHash of its post.
type RowHash struct {
	Hash uint64
	Row  uint32
}

// SampleRows returns the rows whose hash is at most maxHash. If rows is nil, it considers all rows.
func (s *Segment) SampleRows(rows *roaring.Bitmap, maxHash uint64) ([]RowHash, error) {
	rows, err := s.orAllRows(rows)
	if err != nil {
		return nil, err
	}
	hashes, err := s.Uints(colKeyHigh)
	if err != nil {
		return nil, err
	}
	var found []RowHash
	chunk, values := make([]uint32, chunkRows), make([]uint64, chunkRows)
	for it := rows.ManyIterator(); ; {
		n := it.NextMany(chunk)
		if n == 0 {
			return found, nil
		}
		readColumn(hashes, values, chunk[:n])
		for i, hash := range values[:n] {
			if hash += hashes.Base(); hash <= maxHash {
				found = append(found, RowHash{hash, chunk[i]})
			}
		}
	}
}

// Words returns the words of each row like enginekit.WordsOf. Equal words share one string.
func (s *Segment) Words(rows []uint32) ([][]poststore.Word, error) {
	r, err := s.wordReader()
	if errors.Is(err, colfile.ErrNoSection) { // reading these posts is cheaper than deriving URL runs from all posts
		posts, err := s.Posts(rows)
		if err != nil {
			return nil, err
		}
		var doc query.Document
		all := make([][]poststore.Word, len(rows))
		for i := range posts {
			all[i] = enginekit.WordsOf(&posts[i], &doc)
		}
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	all := make([][]poststore.Word, len(rows))
	for i, row := range rows {
		all[i] = r.read(row)
	}
	if r.spellings.missing {
		return nil, s.corrupt(listTokens, "ids that are not in the dictionary of terms")
	}
	return all, nil
}

// CheckWords verifies the sections that Words reads. It does not verify the posts of a segment
// without URL runs.
func (s *Segment) CheckWords() error {
	_, err := s.wordReader()
	if errors.Is(err, colfile.ErrNoSection) {
		return nil
	}
	return err
}

// wordReader returns a reader for words, or ErrNoSection for a segment without URL runs.
func (s *Segment) wordReader() (*wordReader, error) {
	addresses, err := s.File.Lists(listURLRuns)
	if err != nil {
		return nil, err
	}
	words, err := s.Lists(listTokens)
	if err != nil {
		return nil, err
	}
	terms, err := s.Strings(dictTerm)
	if err != nil {
		return nil, err
	}
	spelled := termSpellings{terms: terms, cache: map[uint32]spelling{}}
	return &wordReader{tokens: words.Reader(), urlRuns: addresses.Reader(), spellings: spelled}, nil
}

// A wordReader reads the words of rows.
type wordReader struct {
	tokens, urlRuns *colfile.ListReader
	spellings       termSpellings
	numbers, runs   []uint32
	terms           []uint32 // terms of the current row
}

func (r *wordReader) read(row uint32) []poststore.Word {
	r.numbers = r.tokens.Append(r.numbers[:0], row)
	r.runs = r.urlRuns.Append(r.runs[:0], row)
	r.terms = r.terms[:0]
	query.WalkTokenIDs(r.numbers, r.runs, r.spellings.width, func(term uint32) {
		if len(r.terms) < poststore.MaxWords {
			r.terms = append(r.terms, term)
		}
	})
	slices.Sort(r.terms)
	words := make([]poststore.Word, 0, len(r.terms))
	for i, term := range r.terms {
		if i == 0 || term != r.terms[i-1] {
			words = append(words, poststore.Word{Text: r.spellings.get(term).text})
		}
		words[len(words)-1].Count++
	}
	if tags, _ := splitTokens(r.numbers); len(tags) > 0 {
		words = mergeEqualWords(words)
	}
	return words
}

// mergeEqualWords merges words with equal text. A tag that consists of several words may also occur
// as a single word.
func mergeEqualWords(words []poststore.Word) []poststore.Word {
	slices.SortFunc(words, func(a, b poststore.Word) int { return strings.Compare(a.Text, b.Text) })
	n := 0
	for i, w := range words {
		if i > 0 && w.Text == words[n-1].Text {
			words[n-1].Count += w.Count
			continue
		}
		words[n] = w
		n++
	}
	return words[:n]
}

// termSpellings caches the spellings of terms.
type termSpellings struct {
	terms *colfile.Strings
	cache map[uint32]spelling
	key   []byte

	missing bool // whether a term was not in the dictionary
}

// A spelling is the text of a term and the number of tokens it spans.
type spelling struct {
	text  string
	width int
}

func (s *termSpellings) get(term uint32) spelling {
	w, known := s.cache[term]
	if known {
		return w
	}
	if int(term) < s.terms.Len() {
		s.key = s.terms.Append(s.key[:0], term)
		t, _ := query.ParseKey(s.key)
		w = spelling{enginekit.SpellWord(t.Sigil, t.Text), t.Width}
	} else {
		s.missing = true
	}
	s.cache[term] = w
	return w
}

func (s *termSpellings) width(term uint32) int { return s.get(term).width }
