package natsfile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"earshot/internal/operate/disk"
	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
)

// KeptDir is the directory, in that of the server, that keeps damaged files after a repair.
const KeptDir = "damaged"

// Plan returns the repairs of a stopped server: each damaged stream is rebuilt from its readable
// records, with the same sequence numbers, and the acknowledgment log is written again. There are
// none if nothing is damaged. The error says why a repair is impossible.
func Plan(ctx context.Context, o Options) ([]integrity.Repair, error) {
	report, err := Verify(ctx, o)
	if err != nil || len(report.Findings) == 0 {
		return nil, err
	}
	p := &planner{options: o, report: report, known: report.known, kept: filepath.Join(o.Dir, KeptDir, report.now.UTC().Format("20060102T150405.000Z"))}
	for _, name := range p.damaged() {
		r, err := p.repairStream(name)
		if err != nil {
			return nil, err
		}
		p.repairs = append(p.repairs, r)
	}
	p.repairs = append(p.repairs, integrity.Repair{
		Part:    integrity.Acknowledgments,
		Summary: "write the acknowledgment log from what the streams contain",
		Apply:   p.writeLog,
	})
	return p.repairs, nil
}

type planner struct {
	options Options
	report  *Report
	known   *acklog.State
	kept    string // directory for damaged files
	repairs []integrity.Repair
}

// damaged returns the names of the streams to rebuild.
func (p *planner) damaged() (names []string) {
	for _, c := range p.report.scans {
		if c.damaged {
			names = append(names, c.stream.Name)
		}
	}
	for name, t := range p.known.Streams {
		if p.scanOf(name) == nil && t.Last > 0 && p.report.logErr == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (p *planner) scanOf(name string) *scan {
	for _, c := range p.report.scans {
		if c.stream.Name == name {
			return c
		}
	}
	return nil
}

// repairStream plans to rebuild one stream.
func (p *planner) repairStream(name string) (r integrity.Repair, err error) {
	known := p.known.Streams[name]
	c := p.scanOf(name)
	if c == nil {
		c = &scan{stream: Open(p.options.Dir, name), content: acklog.NewStream(known.Properties), properties: known.Properties, deleted: map[uint64]bool{}}
	}
	if c.mixed {
		return r, fmt.Errorf("the stream %s belongs to another installation. Please put the right directory back, or restore a backup", name)
	}
	b := &rebuild{scan: c, known: known, config: c.config, old: c.stream, kept: p.kept}
	if b.config == nil && known != nil && known.Config != "" {
		b.config = []byte(known.Config)
	}
	if known == nil {
		b.known = acklog.NewStream(c.properties)
	}
	r.Part = Part(name)
	if b.config == nil {
		r.Summary = fmt.Sprintf("move the stream %s aside, because its configuration is unreadable", name)
		r.Lost = []string{fmt.Sprintf("the whole stream %s", name)}
		r.Apply = func(context.Context) error { return b.moveAside() }
		return r, nil
	}
	v := verifier{scan: c, known: p.report.knownStream(name), now: p.report.now}
	for _, l := range v.lost() {
		if !l.deletion { // the entry is deleted in any case
			r.Lost = append(r.Lost, l.text)
		}
	}
	r.Summary = fmt.Sprintf("rebuild the stream %s from %d readable records", name, c.records)
	r.Apply = b.apply
	return r, nil
}

// writeLog writes the acknowledgment log from what the streams contain after their repair.
func (p *planner) writeLog(ctx context.Context) error {
	streams, err := Streams(p.options.Dir)
	if err != nil {
		return err
	}
	state := acklog.NewState(p.report.State.Installation)
	for _, s := range streams {
		known := p.known.Streams[s.Name]
		c, err := scanStream(ctx, s, known, nil)
		if err != nil {
			return err
		}
		t := c.state(known)
		for _, g := range c.gaps {
			t.Holes = append(t.Holes, g.Range)
		}
		for _, seq := range slices.Sorted(maps.Keys(c.missing)) {
			t.Holes = append(t.Holes, acklog.Range{First: seq, Last: seq})
		}
		if last := c.previous.Sequence; c.properties.Contiguous && last < t.Last {
			t.Holes = append(t.Holes, acklog.Range{First: last + 1, Last: t.Last})
		}
		state.Streams[s.Name] = t
	}
	l, err := acklog.Create(p.options.Dir, state)
	if err != nil {
		return err
	}
	return l.Close()
}

// A rebuild writes a stream from the readable records of a damaged one.
type rebuild struct {
	*scan
	known  *acklog.Stream
	config []byte
	old    Stream
	kept   string
}

// apply writes the new stream and exchanges it with the old one.
func (b *rebuild) apply(ctx context.Context) error {
	built := Stream{Name: b.old.Name, dir: filepath.Join(b.kept, b.old.Name)}
	if err := os.MkdirAll(filepath.Join(built.dir, blockDir), 0o700); err != nil {
		return err
	}
	if err := b.write(ctx, built); err != nil {
		return fmt.Errorf("rebuild stream %s: %w", b.old.Name, err)
	}
	for name, data := range map[string]string{configFile: string(b.config), configSumFile: configSum(b.old.Name, b.config)} {
		if err := writeSynced(filepath.Join(built.dir, name), data); err != nil {
			return err
		}
	}
	for _, dir := range []string{filepath.Join(built.dir, blockDir), built.dir, b.kept} {
		if err := disk.Sync(dir); err != nil {
			return err
		}
	}
	return exchange(built.dir, b.old.dir)
}

// write copies the records that are still valid.
func (b *rebuild) write(ctx context.Context, to Stream) (err error) {
	w := &blockWriter{stream: to}
	defer func() {
		if closeErr := w.close(); err == nil {
			err = closeErr
		}
	}()
	var last uint64
	var failed error
	if _, err := b.old.Read(ctx, nil, func(r Record) {
		if failed != nil || r.Sequence <= last || !b.keeps(r) {
			return
		}
		last = r.Sequence
		failed = w.write(r.Sequence, r.Time, r.Subject, r.Header, r.Data)
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if end := max(b.known.Last, b.last); end > last {
		return w.writeLast(end, time.Now().UnixNano())
	}
	return nil
}

// keeps reports whether a record is part of the rebuilt stream.
func (b *rebuild) keeps(r Record) bool {
	if r.Deleted || b.deleted[r.Sequence] || r.Sequence <= max(b.known.Floor, b.known.Purged[r.Subject]) {
		return false
	}
	if !b.properties.OnePerName {
		return true
	}
	acked := b.known.Subjects[r.Subject]
	return b.content.Subjects[r.Subject].Sequence == r.Sequence && !(acked.Deletion && acked.Sequence > r.Sequence)
}

// moveAside moves the old stream to the directory of kept files.
func (b *rebuild) moveAside() error {
	if err := os.MkdirAll(b.kept, 0o700); err != nil {
		return err
	}
	return os.Rename(b.old.dir, filepath.Join(b.kept, b.old.Name))
}

func writeSynced(path, data string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// exchangeInSteps is exchange for systems and file systems without an atomic one. After a crash in
// between, the old directory is missing, which the next start reports; it is then next to the built
// one.
func exchangeInSteps(built, old string) error {
	aside := built + ".old"
	if err := os.Rename(old, aside); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(built, old); err != nil {
		return err
	}
	if err := os.Rename(aside, built); err != nil && !os.IsNotExist(err) {
		return err
	}
	return errors.Join(disk.Sync(filepath.Dir(old)), disk.Sync(filepath.Dir(built)))
}
