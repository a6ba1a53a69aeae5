package digest

import (
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/report"
)

func TestFilesThatAreTooLargeForAMail(t *testing.T) {
	f := func(sizes []int, want int, note bool) {
		t.Helper()
		doc := &report.Document{Subtitle: []string{"Last week"}}
		var files []earshot.Attachment
		for _, n := range sizes {
			files = append(files, earshot.Attachment{Data: make([]byte, n)})
		}
		got := fittingFiles(files, doc)
		noted := slices.ContainsFunc(doc.Subtitle, func(text string) bool { return strings.Contains(text, "too large for a mail") })
		if len(got) != want || noted != note {
			t.Errorf("%v: got %d files, subtitle %q", sizes, len(got), doc.Subtitle)
		}
	}
	f(nil, 0, false)
	f([]int{maxAttachments}, 1, false)
	f([]int{maxAttachments - 1, 1}, 2, false)
	f([]int{maxAttachments, 1}, 0, true)
	f([]int{1, 2 * maxAttachments}, 0, true)
}

func TestBoundedBuffer(t *testing.T) {
	b := &boundedBuffer{left: 5}
	for _, text := range []string{"abc", "de", "f", "g"} {
		if n, err := b.Write([]byte(text)); (err == nil) != (n == len(text)) || err != nil && err != errTooLarge {
			t.Errorf("%s: got %d, %v", text, n, err)
		}
	}
	if b.String() != "abcde" {
		t.Errorf("got %q", b)
	}
}
