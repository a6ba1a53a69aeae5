package folder

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
)

// A report is a file that lists the rejected lines of another file and the reasons: CSV with the
// columns line and message. If it cannot be written, the first errors are kept for the log.
type report struct {
	root   *os.Root
	name   string // of the report
	before int64  // number of lines that an earlier process has read

	file   *os.File // nil until there is something to write
	buffer *bufio.Writer
	rows   int64
	err    error // the first one

	first  rejection
	logged []rejection // the first ones
}

type rejection struct {
	line    int64
	message string
}

const (
	maxRows   = 10_000 // of a report
	maxLogged = 20
)

// newReport prepares the report for a file that is read from a cursor. A report for earlier contents
// of the file is removed.
func newReport(root *os.Root, name string, from cursor) *report {
	r := &report{root: root, name: path.Join(errorsDir, name+".errors.csv"), before: from.at.Line}
	if r.before == 0 {
		_ = root.Remove(r.name) // usually there is none
	}
	return r
}

// add adds a line.
func (r *report) add(line int64, message string) {
	e := rejection{line, message}
	if r.first.message == "" {
		r.first = e
	}
	if len(r.logged) < maxLogged {
		r.logged = append(r.logged, e)
	}
	if r.file == nil && r.err == nil {
		r.err = r.open()
	}
	switch {
	case r.err != nil || r.rows > maxRows:
		return
	case r.rows == maxRows:
		e.message = "this and all later errors are not listed"
	}
	r.rows++
	r.err = r.write(e)
}

func (r *report) write(e rejection) error {
	w := csv.NewWriter(r.buffer)
	err := w.Write([]string{strconv.FormatInt(e.line, 10), e.message})
	w.Flush()
	return errors.Join(err, w.Error())
}

// open creates the report. If an earlier process has read the beginning of the file, the rows about
// it stay.
func (r *report) open() error {
	earlier, err := r.earlier()
	if err != nil {
		return err
	}
	if err := r.root.MkdirAll(errorsDir, 0o755); err != nil {
		return err
	}
	if r.file, err = r.root.OpenFile(r.name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	r.buffer = bufio.NewWriter(r.file)
	if _, err := r.buffer.WriteString("line,message\n"); err != nil {
		return err
	}
	for _, e := range earlier {
		r.rows++
		if err := r.write(e); err != nil {
			return err
		}
	}
	return nil
}

// earlier returns the rows of an existing report about the lines before the cursor.
func (r *report) earlier() (rows []rejection, err error) {
	if r.before == 0 {
		return nil, nil
	}
	f, err := r.root.Open(r.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	for len(rows) < maxRows {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(cells) != 2 {
			break // the process ended while it wrote the row
		}
		line, err := strconv.ParseInt(cells[0], 10, 64)
		if err == nil && line <= r.before {
			rows = append(rows, rejection{line, cells[1]})
		}
	}
	return rows, nil
}

// flush writes what was added so far.
func (r *report) flush() {
	if r.file != nil {
		r.err = cmp.Or(r.err, r.buffer.Flush())
	}
}

func (r *report) close() {
	r.flush()
	if r.file != nil {
		r.err = cmp.Or(r.err, r.file.Close())
		r.file = nil
	}
}
