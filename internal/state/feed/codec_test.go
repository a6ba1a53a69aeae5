package feed

import (
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/state/compress"
)

var example = Message{
	Header: Header{Epoch: 2, UpTo: 1 << 40, Complete: 300, Before: 12345, Count: 3},
	Items:  []Item{{Monitor: 7, Post: "höß"}, {Monitor: -1, Post: ""}, {Monitor: 1 << 53, Post: "\x00\xff"}},
}

func TestMessagesRoundTrip(t *testing.T) {
	data, err := Encode(example)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(data); err != nil || !reflect.DeepEqual(got, example) {
		t.Errorf("got %+v, %v, want %+v", got, err, example)
	}
	if got, err := DecodeHeader(data); err != nil || got != example.Header {
		t.Errorf("got %+v, %v, want %+v", got, err, example.Header)
	}
}

// Messages on disk have these bytes.
func TestVersion1MessagesCanBeRead(t *testing.T) {
	data, err := hex.DecodeString(firstVersion)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(data); err != nil || !reflect.DeepEqual(got, example) {
		t.Errorf("got %+v, %v, want %+v", got, err, example)
	}
}

func TestDecodeRejectsBadData(t *testing.T) {
	f := func(data, want string) {
		t.Helper()
		if _, err := Decode([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", data, err, want)
		}
	}
	good, err := Encode(example)
	if err != nil {
		t.Fatal(err)
	}
	f("", "damaged")
	f("\x02"+string(good[1:]), "unknown format version 2")
	f("\x01\x00\x00", "damaged")
	f(string(good[:len(good)-3]), "decode stream message")
	f("\x01\x00\x00\x00\x00\x02", "damaged") // two items announced, none present
	f("\x01\x00\x00\x00\x00\xff\xff\x03", "damaged")
}

func TestEncodeRejectsLargeMessages(t *testing.T) {
	_, err := Encode(Message{Items: []Item{{Post: strings.Repeat("x", compress.MaxDecoded)}}})
	if !earshot.IsKind(err, earshot.TooLarge) {
		t.Errorf("got %v, want a TooLarge error", err)
	}
}

func FuzzDecode(f *testing.F) {
	good, err := Encode(example)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("\x01\x00\x00\x00\x00\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		if len(m.Items) != m.Count {
			t.Fatalf("%d items, %d announced", len(m.Items), m.Count)
		}
		again, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Decode(again); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("got %+v, %v, want %+v", back, err, m)
		}
	})
}

func TestCursorsRoundTrip(t *testing.T) {
	for _, p := range []Cursor{{}, {1, 2}, {1 << 60, 100}, End} {
		var got Cursor
		if err := got.UnmarshalText([]byte(p.String())); err != nil || got != p {
			t.Errorf("%v: got %v, %v", p, got, err)
		}
	}
	for _, text := range []string{"", "1", "1-", "-1", "1-2-3", "1--2", "a-1", "01-1", "1- 1", " 1-1", "1-1 ", "1-99999999999999999999"} {
		var got Cursor
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

const firstVersion = "0102808080808020ac02b9600328b52ffd0400a100000e0568c3b6c39f010080808080808080200200ff41d69182"
