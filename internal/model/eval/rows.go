package eval

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A RowWriter writes rows with their predictions as tab-separated values: the columns file, row
// (1 is the first row after the header), id, gold (labels separated by commas), prediction,
// confidence and correct, followed by the model's probability of each class.
//
//	file      row  id     gold      prediction  confidence  correct  positive  neutral  negative
//	dev.tsv   1    moz-7  negative  neutral     0.5210      false    0.0710    0.5210   0.4080
type RowWriter struct {
	File   string // value of the column file
	to     *bufio.Writer
	header bool
}

// NewRowWriter returns a writer for the rows of one or more files.
func NewRowWriter(to io.Writer) *RowWriter { return &RowWriter{to: bufio.NewWriter(to)} }

func (w *RowWriter) write(t task, outcomes []outcome) error {
	if !w.header {
		columns := append([]string{"file", "row", "id", "gold", "prediction", "confidence", "correct"}, t.classes...)
		fmt.Fprintln(w.to, strings.Join(columns, "\t"))
		w.header = true
	}
	for i := range outcomes {
		o := &outcomes[i]
		fmt.Fprintf(w.to, "%s\t%d\t%s\t%s\t%s\t%.4f\t%t", w.File, o.row.number, o.row.get("id"),
			strings.Join(o.gold, ","), o.prediction.label, o.prediction.confidence, o.isCorrect())
		for c := range t.classes {
			p := float32(0)
			if o.prediction.scores != nil {
				p = o.prediction.scores[c]
			}
			fmt.Fprintf(w.to, "\t%.4f", p)
		}
		fmt.Fprintln(w.to)
	}
	return w.to.Flush()
}
