package record_test

import (
	"slices"
	"testing"

	"earshot/internal/item/record"
)

func TestRecordMayListMentions(t *testing.T) {
	it, err := record.Decode([]byte(`{"engagingWith":"ann","mentions":["ann","bob"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"ann", "bob"}; it.EngagingWith != "ann" || !slices.Equal(it.Mentions, want) {
		t.Errorf("got %q and %q, want ann and %q", it.EngagingWith, it.Mentions, want)
	}
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := record.Decode([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	f(`{"likes":"many"}`, "likes must be a whole number, not \"many\"")
	f(`{"geolocation":{"latitude":"x"}}`, "geolocation.latitude must be a number, not a string")
	f(`[]`, "must be an object, not a list")
	f(`null`, "must be an object, not null")
	f(`{"guid":"a`, "unexpected end of JSON input at byte 10")
}
