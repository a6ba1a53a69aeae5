package people

import (
	"fmt"
	"testing"
)

func TestPopulation(t *testing.T) {
	percents := Percents{Of: [4]uint8{50, 30, 10, 0}, Known: true}
	var b, others Population
	for i := range MinSurnames - 1 {
		b.Add(percents, 3)
		b.AddSurname(fmt.Sprint("surname", i))
		b.AddSurname("surname0")
	}
	if got := b.Expected(); b.IsSufficient() || got != [5]int64{} || b.Shares() != (Shares{}) {
		t.Errorf("%d surnames: got %v, want nothing", MinSurnames-1, got)
	}
	others.Add(Percents{Of: [4]uint8{0, 0, 0, 100}}, 10)
	others.AddSurname("surname1")
	b.AddAll(&others)
	if b.IsSufficient() {
		t.Error("a known surname counts as a new one")
	}
	others = Population{}
	others.Add(percents, 1)
	others.AddSurname("another")
	b.AddAll(&others)
	// 58 people with percents, 10 Asian people.
	if got, want := b.Expected(), [5]int64{29, 17, 6, 10, 6}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := b.Shares(); got.Known != 68 || got.White != 29.0/68 {
		t.Errorf("got %+v, want 68 people of whom 29 are white", got)
	}
}

func TestPercents(t *testing.T) {
	m := newModel(t)
	if got, want := m.Percents("garcia"), (Percents{Of: [4]uint8{5, 92, 0, 1}, Known: true}); got != want {
		t.Errorf("garcia: got %+v, want %+v", got, want)
	}
	for _, surname := range []string{"", "xqzwk", "Garcia"} {
		if got := m.Percents(surname); got != (Percents{}) {
			t.Errorf("%q: got %+v, want nothing", surname, got)
		}
	}
	if again := newModel(t); again != m {
		t.Error("the models are loaded twice")
	}
}
