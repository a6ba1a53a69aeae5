package folder

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"earshot/internal/connector"
	"earshot/internal/connector/inbox"
	"earshot/internal/ingest/item/record"
)

// A cursor is a position in a file with certain contents, and what was found before it.
type cursor struct {
	sum                string
	at                 record.Position
	accepted, rejected int64
}

func (c cursor) String() string {
	return fmt.Sprintf("%s %d %d %d %d", c.sum, c.at.Offset, c.at.Line, c.accepted, c.rejected)
}

// parseCursor is the inverse of [cursor.String]. It returns the zero cursor for anything else.
func parseCursor(text string) (c cursor) {
	n, err := fmt.Sscanf(text, "%s %d %d %d %d", &c.sum, &c.at.Offset, &c.at.Line, &c.accepted, &c.rejected)
	if n != 5 || err != nil || c.at.Offset < 0 {
		return cursor{}
	}
	return c
}

// Reasons for [connector.Counters].
const (
	skippedLine       = "invalid line"
	skippedUnreadable = "unreadable file"
	skippedKnown      = "file with known contents"
)

// flushAfter is how long posts wait for others.
const flushAfter = time.Second

// take reads a complete file. Problems with the file are reported; an error concerns the source.
func (s *session) take(ctx context.Context, name string) error {
	state := s.files[name]
	f, err := openFile(s.root, name)
	if err != nil {
		s.complain(ctx, name, state, err)
		return nil
	}
	defer f.Close()
	if changed, err := hasChanged(f, state.version); err != nil || changed {
		return nil // the next scan sees it
	}
	if state.Size > largeFile {
		s.sink.Report(connector.State{Phase: connector.CatchingUp, Lag: max(0, s.env.Now().Sub(time.Unix(0, state.Modified))), Reason: "Reading " + printable(name)})
	}
	sum, err := hash(ctx, f)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.complain(ctx, name, state, err)
		return nil
	}
	var known sumRecord
	if found, err := s.get(ctx, sumKey(sum), &known); err != nil {
		return err
	} else if found {
		s.sink.Count(connector.Counters{Skipped: map[string]int64{skippedKnown: 1}})
		s.env.Log.InfoContext(ctx, "skipped a file whose contents were read before", "file", printable(name), "as", known.Name)
		return s.finish(ctx, name, state, sum)
	}
	return s.read(ctx, name, f, sum)
}

// largeFile is the size from which reading a file may take a second.
const largeFile = 4 << 20

// complain reports a file that cannot be read, once. The file is retried in every round.
func (s *session) complain(ctx context.Context, name string, state *fileState, err error) {
	s.remark = remark{name, fmt.Sprintf("%s cannot be read: %v", printable(name), reason(err))}
	if state.reported {
		return
	}
	state.reported = true
	s.sink.Count(connector.Counters{Skipped: map[string]int64{skippedUnreadable: 1}})
	s.env.Log.WarnContext(ctx, "a file cannot be read", "file", printable(name), "error", err)
}

// reason returns an error without the name of the file.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// openFile opens a file. It does not wait for the other end of a pipe that has replaced it.
func openFile(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func hasChanged(f *os.File, v version) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	return versionOf(info) != v || !info.Mode().IsRegular(), nil
}

// hash returns the hash of a file's contents and goes back to its start.
func hash(ctx context.Context, f *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, &contextReader{ctx, f}); err != nil {
		return "", err
	}
	_, err := f.Seek(0, io.SeekStart)
	return hex.EncodeToString(h.Sum(nil)), err
}

// A contextReader fails when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// finish records that the contents of a file need no more work.
func (s *session) finish(ctx context.Context, name string, state *fileState, sum string) error {
	if err := s.set(ctx, nameKey(name), nameRecord{state.version, sum}); err != nil {
		return err
	}
	state.done, state.sum = true, sum
	if s.move {
		s.moveAway(ctx, name, state)
	}
	return nil
}

// moveAway moves a file to the subdirectory for files that were read, unless it was replaced since.
func (s *session) moveAway(ctx context.Context, name string, state *fileState) {
	info, err := s.root.Lstat(name)
	if err != nil || versionOf(info) != state.version {
		return
	}
	err = s.root.MkdirAll(doneDir, 0o755)
	target := path.Join(doneDir, name)
	if _, taken := s.root.Lstat(target); err == nil && taken == nil {
		target = path.Join(doneDir, state.sum[:8]+"-"+name)
	}
	if err == nil {
		err = s.root.Rename(name, target)
	}
	if err != nil {
		s.remark = remark{name, fmt.Sprintf("%s was read, but cannot be moved: %v", printable(name), reason(err))}
		s.env.Log.WarnContext(ctx, "a file was read, but cannot be moved", "file", printable(name), "error", err)
	}
}

// A reading is the reading of one file.
type reading struct {
	*session
	name    string
	file    *os.File
	records *record.Reader
	cursor  cursor // after the last record
	batch   inbox.Batch
	began   time.Time // when the first post of the batch was read
	counted connector.Counters
	bytes   int64 // offset up to which bytes are counted
	report  *report
}

// read reads a file whose contents are new, or continues where a process stopped.
func (s *session) read(ctx context.Context, name string, f *os.File, sum string) error {
	r := &reading{session: s, name: name, file: f, cursor: cursor{sum: sum}}
	if s.resume.sum == sum {
		r.cursor = s.resume
	}
	r.report = newReport(s.root, name, r.cursor)
	defer r.report.close()
	r.bytes = r.cursor.at.Offset
	problem := r.open()
	if problem == nil {
		var err error
		if problem, err = r.readAll(ctx); err != nil {
			return err
		}
	}
	transient := isTransient(problem)
	if problem != nil && !transient {
		r.reject(r.cursor.at.Line+1, problem.Error())
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	if transient {
		s.resume = r.cursor // the next round continues
		s.complain(ctx, name, s.files[name], problem)
		return nil
	}
	return r.end(ctx)
}

// isTransient reports whether reading the same file may succeed later.
func isTransient(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}

// open prepares reading at the cursor. An error is a problem with the file.
func (r *reading) open() (err error) {
	size := r.files[r.name].Size
	r.records, err = newReader(r.file, r.name, size)
	if err != nil || r.cursor.at == (record.Position{}) {
		return err
	}
	// Reading the beginning was necessary to know the format and the columns.
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in, err := contents(r.file, r.name, size)
	if err != nil {
		return err
	}
	if in == r.file {
		_, err = r.file.Seek(r.cursor.at.Offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, in, r.cursor.at.Offset)
	}
	r.records.Resume(in, r.cursor.at)
	return err
}

func newReader(f *os.File, name string, size int64) (*record.Reader, error) {
	in, err := contents(f, name, size)
	if err != nil {
		return nil, err
	}
	if formatOf(name) == ".json" {
		return record.NewJSONReader(in)
	}
	return record.NewReader(in)
}

func contents(f *os.File, name string, size int64) (io.Reader, error) {
	if !isCompressed(name) {
		return f, nil
	}
	unpacked, err := gzip.NewReader(f)
	switch {
	case isTransient(err):
		return nil, err
	case err != nil:
		return nil, errors.New("the file is not compressed with gzip, although its name ends in .gz")
	}
	return &expansionLimit{r: unpacked, left: maxExpansionBase + maxExpansion*size}, nil
}

// Compressed files may expand to maxExpansion times their size, and small ones to maxExpansionBase.
// Real posts shrink to a third or a tenth, repeated ones to a hundredth.
const (
	maxExpansion     = 200
	maxExpansionBase = 64 << 20
)

// An expansionLimit fails if a compressed file expands too much. It also gives decompression errors a
// user-facing message.
type expansionLimit struct {
	r    io.Reader
	left int64
}

func (l *expansionLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the file expands to more than %d times its size", maxExpansion)
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) {
		err = fmt.Errorf("the compressed file is damaged or incomplete: %w", err)
	}
	return n, err
}

// readAll reads and delivers records until the end of the file. A problem concerns the file, an error
// the source.
func (r *reading) readAll(ctx context.Context) (problem, err error) {
	for n := 0; ; n++ {
		if n%64 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !r.batch.Empty() && r.env.Now().Sub(r.began) >= flushAfter {
				if err := r.flush(ctx); err != nil {
					return nil, err
				}
			}
		}
		data, line, err := r.records.Next()
		var bad *record.Bad
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case errors.As(err, &bad):
			r.reject(line, bad.Message)
		case err != nil:
			return err, nil
		case len(data) > 0:
			r.add(data, line)
		}
		r.cursor.at = r.records.Position()
		if r.batch.Full() || r.counted.Events >= maxUncounted {
			if err := r.flush(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// maxUncounted is the number of records after which a file without posts moves the cursor and the
// counters.
const maxUncounted = 10_000

func (r *reading) add(data []byte, line int64) {
	c, problem := r.box.Read(data)
	if problem != "" {
		r.reject(line, problem)
		return
	}
	if r.batch.Empty() {
		r.began = r.env.Now()
	}
	r.batch.Add(c)
	r.counted.Events++
	r.cursor.accepted++
}

// reject reports a line.
func (r *reading) reject(line int64, message string) {
	r.counted.Add(connector.Counters{Events: 1, Skipped: map[string]int64{skippedLine: 1}})
	r.cursor.rejected++
	r.report.add(line, message)
}

// flush delivers what was read.
func (r *reading) flush(ctx context.Context) error {
	r.counted.Bytes, r.bytes = r.cursor.at.Offset-r.bytes, r.cursor.at.Offset
	r.sink.Count(r.counted)
	r.counted = connector.Counters{}
	r.report.flush() // before the cursor moves past its rows
	return r.box.Deliver(ctx, r.sink, r.batch.Take(r.cursor.String()))
}

// end completes a file that was read to its end.
func (r *reading) end(ctx context.Context) error {
	state := r.files[r.name]
	r.report.close()
	r.describe(ctx, r.report.err)
	if changed, err := hasChanged(r.file, state.version); err != nil || changed {
		// What was read is stored; the next rounds read the new contents.
		r.env.Log.InfoContext(ctx, "a file changed while it was being read; it will be read again", "file", printable(r.name))
		return nil
	}
	err := r.set(ctx, sumKey(r.cursor.sum), sumRecord{printable(r.name), r.env.Now(), r.cursor.accepted, r.cursor.rejected})
	if err != nil {
		return err
	}
	return r.finish(ctx, r.name, state, r.cursor.sum)
}

// describe reports the outcome of reading a file.
func (r *reading) describe(ctx context.Context, reportErr error) {
	name := printable(r.name)
	r.env.Log.InfoContext(ctx, "read a file", "file", name, "accepted", r.cursor.accepted, "rejected", r.cursor.rejected)
	if r.cursor.rejected == 0 {
		if r.remark.file == r.name {
			r.remark = remark{}
		}
		return
	}
	text := fmt.Sprintf("%s: %d of %d lines were rejected; ", name, r.cursor.rejected, r.cursor.rejected+r.cursor.accepted)
	if reportErr == nil {
		r.remark = remark{r.name, text + "see " + printable(r.report.name)}
		return
	}
	first := r.report.first
	r.remark = remark{r.name, text + fmt.Sprintf("line %d: %s", first.line, first.message)}
	r.env.Log.WarnContext(ctx, "the error report for a file cannot be written", "file", name, "error", reportErr)
	for _, e := range r.report.logged {
		r.env.Log.WarnContext(ctx, "a line was rejected", "file", name, "line", e.line, "message", e.message)
	}
}
