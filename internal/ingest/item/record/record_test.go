package record_test

import (
	"slices"
	"testing"

	"earshot/internal/ingest/item/record"
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

func TestDecodeAcceptsCoordinatesAsStrings(t *testing.T) {
	f := func(text string, latitude, longitude float64) {
		t.Helper()
		it, err := record.Decode([]byte(text))
		if g := it.Geolocation; err != nil || g == nil || g.Latitude == nil || *g.Latitude != latitude || *g.Longitude != longitude {
			t.Errorf("%s: got %+v, %v, want %v and %v", text, g, err, latitude, longitude)
		}
	}
	f(`{"geolocation":{"latitude":1.5,"longitude":-2}}`, 1.5, -2)
	f(`{"geolocation":{"latitude":"1.5","longitude":" -2 "}}`, 1.5, -2)
	it, err := record.Decode([]byte(`{"geolocation":{"latitude":null}}`))
	if err != nil || it.Geolocation.Latitude != nil || it.Geolocation.Longitude != nil {
		t.Errorf("got %+v, %v, want no coordinates", it.Geolocation, err)
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
	f(`{"geolocation":{"latitude":"x"}}`, "geolocation.latitude must be a number, not \"x\"")
	f(`{"geolocation":{"longitude":[1]}}`, "geolocation.longitude must be a number, not a list")
	f(`[]`, "must be an object, not a list")
	f(`null`, "must be an object, not null")
	f(`{"guid":"a`, "unexpected end of JSON input at byte 10")
}
