package document

import (
	"reflect"
	"strconv"
	"testing"

	"earshot/internal/ingest/item"
)

// TestLengthsAgree compares the limits of texts that the decoder checks with those of package item.
func TestLengthsAgree(t *testing.T) {
	want := map[string]int{
		"Contents": item.MaxContents, "Content": item.MaxContents, "Custom": item.MaxValue,
		"URL": item.MaxText, "Title": item.MaxText, "Author": item.MaxText,
	}
	for f := range reflect.TypeFor[Document]().Fields() {
		if got, _ := strconv.Atoi(f.Tag.Get("longest")); got != want[f.Name] {
			t.Errorf("%s: got %d characters, want %d", f.Name, got, want[f.Name])
		}
	}
}
