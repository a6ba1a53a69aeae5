package training

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"earshot"
)

func TestEncodeRoundTripsOrRejectsLargeSets(t *testing.T) {
	set := &trainingSet{}
	marks := strings.Repeat("<&>", 1<<20) // JSON can escape each as six characters
	for range 20 {
		set.posts = append(set.posts, earshot.TrainingPost{URL: marks[:100], Contents: marks})
	}
	data, err := set.encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decode(data); err != nil || !reflect.DeepEqual(got, set.posts) {
		t.Errorf("%d posts became %d, %v", len(set.posts), len(got), err)
	}
	set.posts = append(set.posts, set.posts[:2]...)
	if _, err := set.encode(); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v, want errTooLarge", err)
	}
}

func TestDecodeRejectsDamagedData(t *testing.T) {
	for _, data := range []string{"", "x", "(\xb5/\xfd"} {
		if _, err := decode([]byte(data)); err == nil {
			t.Errorf("%q: want an error", data)
		}
	}
}
