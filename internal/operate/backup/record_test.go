package backup

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestTimeOfRejection checks that dead letters keep their time between this version and earlier ones,
// which call the field setAside.
func TestTimeOfRejection(t *testing.T) {
	at := time.Date(2026, 3, 10, 2, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	if err := appendRecord(&b, header{RejectedAt: at}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	const want = `{"rejectedAt":"2026-03-10T02:00:00Z","setAside":"2026-03-10T02:00:00Z","size":1}` + "\nx\n"
	if b.String() != want {
		t.Fatalf("got %s, want %s", b.String(), want)
	}
	for _, text := range []string{want, strings.Replace(want, `"rejectedAt":"2026-03-10T02:00:00Z",`, "", 1)} {
		if h, _, err := newRecordReader(strings.NewReader(text)).next(); err != nil || !h.RejectedAt.Equal(at) {
			t.Errorf("%s: got %v, %v", text, h, err)
		}
	}
}
