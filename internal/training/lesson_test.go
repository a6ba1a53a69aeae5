package training

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"earshot"
)

func TestTrainingPostsOfAnySizeAreReadBackOrRefused(t *testing.T) {
	l := &lesson{}
	marks := strings.Repeat("<&>", 1<<20) // which JSON may spell with six letters each
	for range 20 {
		l.posts = append(l.posts, earshot.TrainingPost{URL: marks[:100], Contents: marks})
	}
	data, err := l.encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decode(data); err != nil || !reflect.DeepEqual(got, l.posts) {
		t.Errorf("%d posts became %d, %v", len(l.posts), len(got), err)
	}
	l.posts = append(l.posts, l.posts[:2]...)
	if _, err := l.encode(); !errors.Is(err, errTooMuch) {
		t.Errorf("got %v, want that it is too much", err)
	}
}

func TestDamagedTrainingPosts(t *testing.T) {
	for _, data := range []string{"", "x", "(\xb5/\xfd"} {
		if _, err := decode([]byte(data)); err == nil {
			t.Errorf("%q: want an error", data)
		}
	}
}
