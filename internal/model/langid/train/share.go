package train

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"strings"

	"earshot/internal/model/langid"
)

// A share is how often an n-gram occurs inside the words of a language.
type share struct {
	letters string
	value   float64 // relative to all letters
}

// written maps the written standards in the n-gram file to languages, with the proportion of texts.
var written = map[string]struct {
	language string
	part     float64
}{
	"nb": {"no", 0.7}, "nn": {"no", 0.3},
	"xh": {"zu", 0.5}, "zu": {"zu", 0.5},
	"st": {"st", 0.5}, "tn": {"st", 0.5},
}

var errBadNGrams = errors.New("the n-gram file is damaged")

// addShares adds the n-grams of a file as ngrams.py writes it: for each language a line with = and
// its code, then lines with an n-gram and a letter for its share.
func (all corpora) addShares(file []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return fmt.Errorf("%w: %w", errBadNGrams, err)
	}
	language, part := "", 1.0
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		line := lines.Text()
		if code, ok := strings.CutPrefix(line, "="); ok {
			language, part = code, 1
			if w, ok := written[code]; ok {
				language, part = w.language, w.part
			}
			continue
		}
		if len(line) < 2 || language == "" {
			return fmt.Errorf("%w: line %q", errBadNGrams, line)
		}
		letters, level := line[:len(line)-1], int(line[len(line)-1])-'A'
		script, grams := langid.InnerNGrams(letters)
		if len(grams) > 0 {
			t := all.get(script, language)
			t.shares = append(t.shares, share{letters, part * halfPower(level)})
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %w", errBadNGrams, err)
	}
	return nil
}

// halfPower returns 2 to the power of minus half a level.
func halfPower(level int) float64 {
	value := math.Ldexp(1, -(level / 2))
	if level%2 != 0 {
		value /= math.Sqrt2
	}
	return value
}
