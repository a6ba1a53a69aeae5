package natsfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
)

// Options say what to verify.
type Options struct {
	Dir      string // of the server
	Live     bool   // the server is running
	Progress integrity.Progress
	Now      func() time.Time // nil: time.Now
}

// A Report is the result of [Verify].
type Report struct {
	Findings []integrity.Finding
	Torn     []Damage       // last records that a crash interrupted before they were acknowledged
	State    *acklog.State  // what the streams contain
	Messages map[string]int // number of readable records by stream

	logErr error
	known  *acklog.State // as recorded in the log
	scans  []*scan
	now    time.Time
}

// liveAttempts is how often the files of a running server are read until a finding counts, because
// the server changes them while they are read.
const liveAttempts = 3

// Check returns the findings of [Verify].
func Check(ctx context.Context, o Options) ([]integrity.Finding, error) {
	var r *Report
	for attempt := 0; attempt == 0 || o.Live && attempt < liveAttempts && len(r.Findings) > 0; attempt++ {
		var err error
		if r, err = Verify(ctx, o); err != nil {
			return nil, err
		}
		o.Progress = nil // count each byte once
	}
	return r.Findings, nil
}

// Verify reads all files of a server and compares them with their checksums and with the
// acknowledgment log. It changes nothing.
func Verify(ctx context.Context, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	known, logErr := acklog.Read(o.Dir)
	if known == nil {
		known = &acklog.State{}
	}
	streams, err := Streams(o.Dir)
	if err != nil {
		return nil, err
	}
	r := &Report{Messages: map[string]int{}, logErr: logErr, known: known, now: o.Now()}
	for _, s := range streams {
		c, err := scanStream(ctx, s, known.Streams[s.Name], o.Progress)
		if err != nil {
			return nil, err
		}
		r.scans = append(r.scans, c)
		r.Messages[s.Name] = c.records
	}
	r.verifyLog(o.Dir, known)
	for _, c := range r.scans {
		v := verifier{scan: c, known: r.knownStream(c.stream.Name), installation: known.Installation, now: r.now, running: o.Live}
		v.verify()
		c.damaged = len(v.findings) > 0
		r.Findings = append(r.Findings, v.findings...)
		r.Torn = append(r.Torn, v.torn...)
	}
	r.verifyPresence(o.Dir, known)
	r.State = r.state(known)
	return r, nil
}

// knownStream returns what the log says about a stream, or nil. A damaged log says nothing reliable:
// the record of a purge may be missing, and what was purged would pass for lost.
func (r *Report) knownStream(name string) *acklog.Stream {
	if r.logErr != nil {
		return nil
	}
	return r.known.Streams[name]
}

// verifyLog checks that there is a log if there must be one.
func (r *Report) verifyLog(dir string, known *acklog.State) {
	path := filepath.Join(dir, acklog.FileName)
	switch {
	case errors.Is(r.logErr, fs.ErrNotExist):
		for _, c := range r.scans {
			if c.install != "" {
				r.add(integrity.Acknowledgments, path, "the file is missing", "it cannot be proven that all acknowledged data is there")
				return
			}
		}
	case r.logErr != nil:
		r.add(integrity.Acknowledgments, path, r.logErr.Error(), "it cannot be proven that all acknowledged data is there")
	}
}

// verifyPresence checks that no stream is missing.
func (r *Report) verifyPresence(dir string, known *acklog.State) {
	if r.logErr != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(known.Streams)) {
		found := slices.ContainsFunc(r.scans, func(c *scan) bool { return c.stream.Name == name })
		if t := known.Streams[name]; !found && t.Last > 0 {
			r.add(Part(name), StreamDir(dir, name), "the directory is missing",
				fmt.Sprintf("all acknowledged messages up to sequence %d are lost", t.Last))
		}
	}
}

func (r *Report) add(part, file, problem, effect string) {
	r.Findings = append(r.Findings, integrity.Finding{Part: part, File: file, Problem: problem, Effect: effect})
}

// state returns what the streams contain.
func (r *Report) state(known *acklog.State) *acklog.State {
	id := known.Installation
	for _, c := range r.scans {
		if id == "" {
			id = c.install
		}
	}
	s := acklog.NewState(id)
	for _, c := range r.scans {
		s.Streams[c.stream.Name] = c.state(known.Streams[c.stream.Name])
	}
	return s
}

// Part returns the part of the data that a stream belongs to.
func Part(stream string) string {
	switch stream {
	case "JOURNAL":
		return integrity.Journal
	case "DEADLETTERS":
		return integrity.DeadLetters
	case "KV_catalog":
		return integrity.Catalog
	case "KV_ledger":
		return integrity.Analyses
	case "KV_sources", "KV_leases":
		return integrity.Sources
	}
	return integrity.Streams
}

// A verifier compares a stream with what is known about it.
type verifier struct {
	*scan
	known        *acklog.Stream // nil if the log does not mention the stream
	installation string
	now          time.Time
	running      bool

	findings []integrity.Finding
	torn     []Damage
}

func (v *verifier) add(file, problem, effect string) {
	v.findings = append(v.findings, integrity.Finding{Part: Part(v.stream.Name), File: file, Problem: problem, Effect: effect})
}

func (v *verifier) verify() {
	v.verifyConfig()
	lost := v.lost()
	for _, d := range v.damage {
		if d.Torn && len(lost) == 0 {
			v.torn = append(v.torn, d)
			continue
		}
		v.add(d.File, d.problem(), v.effect(lost))
	}
	if len(lost) > 0 {
		v.add(filepath.Join(v.stream.dir, blockDir), "acknowledged messages are missing", summarize(texts(lost)))
	}
	if back := v.back(); len(back) > 0 {
		v.add(filepath.Join(v.stream.dir, blockDir), "the record of a deletion is missing", summarize(back))
	}
}

// effect describes what unreadable bytes mean for the stream.
func (v *verifier) effect(lost []loss) string {
	switch {
	case v.known == nil:
		return "messages may be lost"
	case len(lost) == 0:
		return "no acknowledged message is lost, but the server would drop the messages that follow"
	}
	return "" // another finding lists what is lost
}

func (v *verifier) verifyConfig() {
	path := filepath.Join(v.stream.dir, configFile)
	switch {
	case v.configErr != nil && v.records == 0 && len(v.damage) == 0 && (v.known == nil || v.known.Last == 0):
		// A crash interrupted the creation of the stream, and the server will create it again.
	case v.configErr != nil:
		v.add(path, v.configErr.Error(), "the server would ignore the whole stream")
	case v.installation != "" && v.install != "" && v.install != v.installation:
		v.mixed = true
		v.add(path, fmt.Sprintf("the stream belongs to installation %s, the acknowledgment log to %s", v.install, v.installation),
			"files of different installations are mixed")
	}
}

// A loss is an acknowledged message, or a range of them, that is missing.
type loss struct {
	text     string
	deletion bool // the message deleted an entry, which is still known to be deleted
}

// lost returns the acknowledged messages that are missing.
func (v *verifier) lost() []loss {
	known := v.known
	if known == nil {
		known = acklog.NewStream(v.properties)
	}
	entries := v.lostEntries(known)
	if known.OnePerName {
		losses := make([]loss, len(entries))
		for i, e := range entries {
			losses[i] = loss{e.String(), e.want.Deletion}
		}
		return losses
	}
	certain := v.lostPredecessors(known)
	for _, e := range entries {
		certain[e.want.Sequence] = true
	}
	return v.lostRanges(known, certain)
}

// lostRanges returns the gaps that must not be there: all of them in a stream whose messages
// disappear only from the front, and otherwise those with messages that are certainly missing.
func (v *verifier) lostRanges(known *acklog.Stream, certain map[uint64]bool) (lost []loss) {
	gaps := v.gaps
	if p := v.previous; p.Sequence < known.Last {
		g := gap{Range: acklog.Range{First: p.Sequence + 1, Last: known.Last}}
		if p.Sequence > 0 {
			g.after = time.Unix(0, p.Time).UTC()
		}
		gaps = append(slices.Clone(gaps), g)
	}
	for _, g := range gaps {
		g.First = max(g.First, known.Floor+1, known.MayBeExpired(v.now)+1)
		if !(known.Contiguous && v.known != nil) && !containsAny(g.Range, certain) {
			continue
		}
		for _, r := range v.explain(known, g.Range) {
			lost = append(lost, loss{text: gap{r, g.after, g.before}.String()})
		}
	}
	return lost
}

func containsAny(r acklog.Range, sequences map[uint64]bool) bool {
	for seq := range sequences {
		if r.First <= seq && seq <= r.Last {
			return true
		}
	}
	return false
}

// explain returns the parts of a range that are neither deleted nor known to be empty.
func (v *verifier) explain(known *acklog.Stream, r acklog.Range) (unexplained []acklog.Range) {
	var open *acklog.Range
	for seq := r.First; seq <= r.Last; seq++ {
		if h, ok := known.Hole(seq); ok {
			seq, open = h.Last, nil
			continue
		}
		if v.deleted[seq] {
			open = nil
			continue
		}
		if open == nil {
			unexplained = append(unexplained, acklog.Range{First: seq})
			open = &unexplained[len(unexplained)-1]
		}
		open.Last = seq
	}
	return unexplained
}

func (g gap) String() string {
	s := fmt.Sprintf("messages %d to %d", g.First, g.Last)
	if g.First == g.Last {
		s = fmt.Sprintf("message %d", g.First)
	}
	if !g.after.IsZero() {
		s += ", stored after " + g.after.Format(timeFormat)
	}
	if !g.before.IsZero() {
		s += ", stored before " + g.before.Format(timeFormat)
	}
	return s
}

const timeFormat = "2006-01-02 15:04:05 UTC"

// A lostEntry is a subject whose last acknowledged message is missing.
type lostEntry struct {
	subject string
	want    acklog.Ack
	older   acklog.Ack // a readable message of the subject; zero if there is none
}

func (e lostEntry) String() string {
	s := fmt.Sprintf("%s, revision %d of %s", EntryName(e.subject), e.want.Sequence, time.Unix(e.want.Time, 0).UTC().Format(timeFormat))
	switch {
	case e.want.Deletion:
		s += ", a deletion"
	case e.older.Sequence > 0:
		s += fmt.Sprintf("; its revision %d of %s is readable", e.older.Sequence, time.Unix(e.older.Time, 0).UTC().Format(timeFormat))
	}
	return s
}

func (v *verifier) lostEntries(known *acklog.Stream) (lost []lostEntry) {
	for _, subject := range slices.Sorted(maps.Keys(known.Subjects)) {
		want := known.Subjects[subject]
		found, live := v.live(subject)
		if live && found.Sequence >= want.Sequence || v.expired(want) {
			continue
		}
		if found.Sequence > want.Sequence {
			continue // deleted by a purge that was not acknowledged
		}
		e := lostEntry{subject: subject, want: want}
		if live {
			e.older = found
		}
		lost = append(lost, e)
	}
	return lost
}

// expired reports whether a message has reached its maximum age.
func (v *verifier) expired(a acklog.Ack) bool {
	return v.properties.MaxAge > 0 && time.Unix(a.Time, 0).Add(v.properties.MaxAge).Before(v.now)
}

// lostPredecessors returns the sequence numbers of missing messages that others follow.
func (v *verifier) lostPredecessors(known *acklog.Stream) map[uint64]bool {
	lost := map[uint64]bool{}
	horizon := max(known.Floor, known.MayBeExpired(v.now))
	for seq, subject := range v.missing {
		_, hole := known.Hole(seq)
		purged := seq <= known.Purged[subject] // 0 if the subject is unknown
		if seq > horizon && !v.deleted[seq] && !hole && !purged {
			lost[seq] = true
		}
	}
	return lost
}

// back lists purged messages that are readable and not deleted.
func (v *verifier) back() (back []string) {
	if v.known == nil || v.running {
		return nil
	}
	for _, subject := range slices.Sorted(maps.Keys(v.known.Purged)) {
		if a, live := v.live(subject); live && a.Sequence <= v.known.Purged[subject] {
			back = append(back, fmt.Sprintf("%s, revision %d, was deleted and would reappear", EntryName(subject), a.Sequence))
		}
	}
	return back
}

// EntryName returns the name of an entry as people know it: its key, without the bucket.
func EntryName(subject string) string {
	if rest, isKey := strings.CutPrefix(subject, "$KV."); isKey {
		if _, key, ok := strings.Cut(rest, "."); ok {
			return key
		}
	}
	return subject
}

func texts(lost []loss) (all []string) {
	for _, l := range lost {
		all = append(all, l.text)
	}
	return all
}

// maxSummarized bounds the items in an effect.
const maxSummarized = 5

// summarize returns the items as one line.
func summarize(items []string) string {
	s := strings.Join(items[:min(len(items), maxSummarized)], "; ")
	if n := len(items) - maxSummarized; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s
}
