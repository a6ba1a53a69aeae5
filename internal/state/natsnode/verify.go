package natsnode

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
	"earshot/internal/state/natsfile"
)

// verifyFiles verifies the files of the embedded server and returns what they contain. It must run
// before the server opens them, because the server cuts off a block at the first record that it
// cannot read, and says nothing.
func (n *Node) verifyFiles(ctx context.Context, peer *Peer) (*acklog.State, error) {
	report, err := natsfile.Verify(ctx, natsfile.Options{Dir: n.dir})
	if err != nil {
		return nil, fmt.Errorf("verify the files of NATS: %w", err)
	}
	if err := integrity.Stopping(findings(report, n.dir, peer)); err != nil {
		return nil, err
	}
	for _, d := range report.Torn {
		n.log.Info("a crash interrupted the last write to the files of NATS; it was not acknowledged", "damage", d.String())
	}
	return report.State, nil
}

// Check verifies the files of a stopped server, and compares them with what the peer knows about the
// streams. The peer may be nil.
func Check(ctx context.Context, o natsfile.Options, peer *Peer) ([]integrity.Finding, error) {
	report, err := natsfile.Verify(ctx, o)
	if err != nil {
		return nil, err
	}
	return findings(report, o.Dir, peer), nil
}

// findings returns what is wrong with the files, or else how they differ from what the peer knows.
func findings(report *natsfile.Report, dir string, peer *Peer) []integrity.Finding {
	if len(report.Findings) > 0 || peer == nil {
		return report.Findings
	}
	return peer.compare(report.State, dir, func(stream string) string { return natsfile.StreamDir(dir, stream) })
}

// compare returns how the streams differ from what the peer knows about them. The streams are at a
// location, and each of them in a file or directory.
func (p *Peer) compare(streams *acklog.State, location string, file func(stream string) string) (findings []integrity.Finding) {
	add := func(part, file, problem, effect string) {
		findings = append(findings, integrity.Finding{Part: part, File: file, Problem: problem, Effect: effect})
	}
	if p.Installation != "" && streams.Installation != p.Installation {
		if len(streams.Streams) == 0 {
			add(integrity.Catalog, location, "the directory is missing or empty", fmt.Sprintf("the catalog and the journal are lost; the %s is there", p.Name))
		} else {
			add(integrity.Catalog, location, fmt.Sprintf("the streams belong to installation %s, the %s to installation %s", streams.Installation, p.Name, p.Installation),
				"directories of different installations are mixed")
		}
		return findings
	}
	for _, name := range slices.Sorted(maps.Keys(p.Positions)) {
		position, s := p.Positions[name], streams.Streams[name]
		if s == nil {
			s = &acklog.Stream{}
		}
		switch {
		case s.Last < position:
			add(natsfile.Part(name), file(name), fmt.Sprintf("it ends at %d, but the %s has seen %d", s.Last, p.Name, position),
				"acknowledged changes are lost, or the directories are from different backups")
		case s.Contiguous && s.Floor > position && !p.mayLag:
			add(natsfile.Part(name), file(name), fmt.Sprintf("it begins at %d, but the %s has only entries up to %d", s.Floor+1, p.Name, position),
				lostEntries(position+1, s.Floor)+", or the directories are from different backups")
		}
	}
	return findings
}

func lostEntries(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is lost", first)
	}
	return fmt.Sprintf("entries %d to %d are lost", first, last)
}

// verifyServer checks that the server has loaded everything that its files contain, and nothing that
// was purged.
func (n *Node) verifyServer(ctx context.Context, want *acklog.State) error {
	var findings []integrity.Finding
	for name, stream := range want.Streams {
		problem, err := n.verifyStream(ctx, name, stream)
		if err != nil {
			return fmt.Errorf("verify stream %s: %w", name, err)
		}
		if problem != "" {
			findings = append(findings, integrity.Finding{
				Part: natsfile.Part(name), File: filepath.Join(natsfile.StreamDir(n.dir, name), "msgs"), Problem: problem,
				Effect: "the records are readable, but NATS did not load them",
			})
		}
	}
	return integrity.Stopping(findings)
}

// verifyStream returns what is wrong with a stream, or an empty string.
func (n *Node) verifyStream(ctx context.Context, name string, want *acklog.Stream) (problem string, err error) {
	if len(want.Subjects) == 0 && want.Last == 0 {
		return "", nil
	}
	var stream jetstream.Stream
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		stream, err = n.js.Stream(ctx, name)
		return err
	})
	if err != nil {
		return "", err
	}
	state := stream.CachedInfo().State
	if state.LastSeq < want.Last {
		return fmt.Sprintf("the last sequence is %d instead of %d", state.LastSeq, want.Last), nil
	}
	last, err := n.lastSequences(ctx, stream)
	if err != nil {
		return "", err
	}
	for subject, a := range want.Subjects {
		expired := want.MaxAge > 0 && time.Unix(a.Time, 0).Add(want.MaxAge).Before(time.Now().Add(time.Minute))
		if last[subject] < a.Sequence && !expired {
			return fmt.Sprintf("the last message of %s has sequence %d instead of %d", natsfile.EntryName(subject), last[subject], a.Sequence), nil
		}
	}
	if want.OnePerName {
		return "", n.purgeReplaced(ctx, stream, want, last)
	}
	return "", nil
}

// purgeReplaced purges messages that were replaced by ones that are purged. When the server rebuilds
// its index after a crash, it takes them for the last messages of their subjects, because it does
// not record that a message was replaced.
func (n *Node) purgeReplaced(ctx context.Context, stream jetstream.Stream, want *acklog.Stream, last map[string]uint64) error {
	for subject, seq := range last {
		if _, live := want.Subjects[subject]; live {
			continue
		}
		if err := n.PurgeSubject(ctx, stream, subject, seq); err != nil {
			return fmt.Errorf("purge %s again: %w", natsfile.EntryName(subject), err)
		}
	}
	return nil
}

// lastSequences returns the sequence number of the last message of each subject.
func (n *Node) lastSequences(ctx context.Context, stream jetstream.Stream) (map[string]uint64, error) {
	c, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     ">",
		AckPolicy:         jetstream.AckNonePolicy,
		HeadersOnly:       true,
		MemoryStorage:     true,
		InactiveThreshold: time.Minute,
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = stream.DeleteConsumer(context.WithoutCancel(ctx), c.CachedInfo().Name) // it would expire anyway
	}()
	last := map[string]uint64{}
	for pending := c.CachedInfo().NumPending; pending > 0; {
		batch, err := c.Fetch(int(min(pending, 1000)), jetstream.FetchMaxWait(fetchTimeout))
		if err != nil {
			return nil, err
		}
		received := 0
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return nil, err
			}
			last[m.Subject()] = meta.Sequence.Stream
			pending = meta.NumPending
			received++
		}
		if err := batch.Error(); err != nil {
			return nil, err
		}
		if received == 0 {
			return nil, fmt.Errorf("no response within %s", fetchTimeout)
		}
	}
	return last, nil
}

// fetchTimeout is how long the server may take to read up to 1,000 messages.
const fetchTimeout = 30 * time.Second
