package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A Bad error is about one record. Those after it can be read.
type Bad struct{ Message string }

func (e *Bad) Error() string { return e.Message }

// ReadLine returns a line, including its line ending, if any, or io.EOF. A line of more than limit
// bytes is read to its end and reported as a *[Bad].
func ReadLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := r.ReadSlice('\n')
		long = long || len(line)+len(piece) > limit
		if !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case long:
			return nil, &Bad{fmt.Sprintf("the line is longer than %d bytes", limit)}
		case err != nil && len(line) == 0:
			return nil, io.EOF
		}
		return line, nil
	}
}
