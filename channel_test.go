package earshot_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"earshot"
)

// A webhook builds the data of a message that has none, so none must not be read back as "null".
func TestStoredMessagesKeepTheirData(t *testing.T) {
	for _, want := range []earshot.Message{{Title: "T"}, {Title: "T", Data: json.RawMessage(`{"a":1}`)}} {
		stored, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got earshot.Message
		if err := json.Unmarshal(stored, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}
