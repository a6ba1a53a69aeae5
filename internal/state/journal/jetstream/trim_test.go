package jetstream_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

func TestPositionsSurviveACrashAfterATrim(t *testing.T) {
	dir := t.TempDir()
	_, j := open(t, dir)
	for i := range 5 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for _, upTo := range []earshot.Position{3, 5} { // first some entries, then all
		if err := j.Trim(t.Context(), upTo, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		// A copy of the files at this time is what a crash would leave.
		_, after := open(t, testenv.CopyRunning(t, dir))
		if s, err := after.Span(t.Context()); err != nil || s != (journal.Span{First: upTo + 1, Last: 5}) {
			t.Errorf("trimmed up to %d: got %+v, %v, want %d to 5", upTo, s, err, upTo+1)
		}
		if p := appendPost(t, after, "new"); p != 6 {
			t.Errorf("trimmed up to %d: the next position is %d, want 6", upTo, p)
		}
	}
}

func TestTrimSkipsGaps(t *testing.T) {
	node, j := open(t, t.TempDir())
	stream, err := node.JetStream().Stream(t.Context(), "JOURNAL")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for seq := uint64(5); seq <= 17; seq++ {
		if err := stream.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ upTo, first earshot.Position }{{2, 3}, {8, 18}, {18, 19}} {
		if err := j.Trim(t.Context(), tt.upTo, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if s, err := j.Span(t.Context()); err != nil || s != (journal.Span{First: tt.first, Last: 20}) {
			t.Errorf("trimmed up to %d: got %+v, %v, want %d to 20", tt.upTo, s, err, tt.first)
		}
	}
}

func TestALoadedJournalIsTrimmedByAppendTime(t *testing.T) {
	node, j := open(t, t.TempDir())
	data, err := journal.Encode(journal.Entry{Posts: []earshot.Post{{GUID: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	entries := func(yield func(journal.StoredEntry, error) bool) {
		for p := earshot.Position(3); p <= 6; p++ {
			if !yield(journal.StoredEntry{Position: p, Time: old.AddDate(0, 0, int(p)), ID: fmt.Sprint("id", p), Data: data}, nil) {
				return
			}
		}
	}
	if err := j.Load(t.Context(), journal.Span{First: 3, Last: 6}, entries); err != nil {
		t.Fatal(err)
	}
	// A repeat of an entry that was appended just before the backup is recognized.
	again := &nats.Msg{Subject: "journal", Data: data, Header: nats.Header{"Nats-Msg-Id": {"id6"}}}
	if seq, err := node.Publish(t.Context(), again); err != nil || seq != 6 {
		t.Errorf("a repeat of the last entry: got position %d, %v, want 6", seq, err)
	}
	if err := j.Trim(t.Context(), 6, old.AddDate(0, 0, 5)); err != nil {
		t.Fatal(err)
	}
	if s, err := j.Span(t.Context()); err != nil || s != (journal.Span{First: 5, Last: 6}) {
		t.Errorf("got %+v, %v, want 5 to 6", s, err)
	}
	next, stop := pull(t, j, 4)
	defer stop()
	if b := next(); b.Position != 5 || !b.Time.Equal(old.AddDate(0, 0, 5)) {
		t.Errorf("got position %d of %v, want 5 of %v", b.Position, b.Time, old.AddDate(0, 0, 5))
	}
}

// TestOtherMessagesAreNotTrimmedEntries puts other messages around the entries, as fences are.
func TestOtherMessagesAreNotTrimmedEntries(t *testing.T) {
	node, _ := open(t, t.TempDir())
	records := kv.NewMemory()
	j, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t), Records: records})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := node.JetStream().Stream(t.Context(), "JOURNAL")
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	config.Subjects = append(config.Subjects, "journal.other")
	if _, err := node.JetStream().UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	other := func() { // leaves a position without an entry
		ack, err := node.JetStream().Publish(t.Context(), "journal.other", nil)
		if err == nil {
			err = stream.DeleteMsg(t.Context(), ack.Sequence)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	other()
	other()
	appendPost(t, j, "3")
	other()
	appendPost(t, j, "5")
	next, stop := pull(t, j, 0)
	for _, want := range []string{"3", "5"} {
		if got := next().Posts[0].GUID; got != want {
			t.Errorf("got post %s, want %s", got, want)
		}
	}
	other()
	if err := j.Trim(t.Context(), 5, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	other()
	appendPost(t, j, "8")
	if got := next().Posts[0].GUID; got != "8" { // the loop is at 5
		t.Errorf("got post %s, want 8", got)
	}
	stop()
	if next, stop = pull(t, j, 5); next().Posts[0].GUID != "8" {
		t.Error("got another post than 8")
	}
	stop()
	for _, err := range j.Batches(t.Context(), 4) {
		if !errors.Is(err, journal.ErrTrimmed) || err.Error() != "entries 5 to 5 are no longer in the journal" {
			t.Errorf("got %v, want ErrTrimmed", err)
		}
	}
}
