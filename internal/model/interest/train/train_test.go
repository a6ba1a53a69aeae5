package train

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/interest"
	"earshot/internal/test/testenv"
)

const data = "../../../../../shared/data"

func TestBuildMatchesEmbeddedFiles(t *testing.T) {
	if _, err := os.Stat(data); err != nil {
		testenv.SkipMissing(t, "no shared data")
	}
	files, err := Build(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range files {
		want, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run make models", name)
		}
	}
}

func TestBuildWithoutDataFails(t *testing.T) {
	if files, err := Build(t.TempDir()); err == nil {
		t.Errorf("got %d files, want an error", len(files))
	}
}

func TestEveryInterestHasTerms(t *testing.T) {
	sections, err := parse(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		strong := 0
		for _, term := range s.terms {
			if term.strength == interest.Strong {
				strong++
			}
		}
		if s.name != nothing && (strong < 15 || len(s.numbers) == 0) {
			t.Errorf("%s: %d strong terms and %d taxonomy ids, want at least 15 and 1", s.name, strong, len(s.numbers))
		}
	}
}

func TestParse(t *testing.T) {
	sections, err := parse("# a list\n[-]\nwords: hot dog\n\n== Pets\n[Dogs] 544, c425\nwords: dog+, big dog\nweak: bark|woof\nru: собак~\ntags: dogs puppy\naccounts: dog_rates\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(sections) != 2 {
		t.Fatalf("got %d sections, want 2", len(sections))
	}
	dogs := sections[1]
	if dogs.group != "Pets" || dogs.name != "Dogs" || dogs.line != 6 || !slices.Equal(dogs.numbers, []string{"544", "c425"}) {
		t.Errorf("got %+v", dogs)
	}
	var got []string
	for _, term := range dogs.terms {
		got = append(got, strings.Join(term.spellings, "|"))
	}
	want := []string{"dog|dogs", "big dog|#bigdog", "bark|woof", strings.Join(spell("собак~"), "|"), "#dogs", "#puppy", "@dog_rates"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := sections[0].terms[0].spellings; !slices.Equal(got, []string{"hot dog"}) {
		t.Errorf("got %q, want the phrase alone", got)
	}
}

func TestParseFails(t *testing.T) {
	f := func(source, want string) {
		t.Helper()
		if _, err := parse(source); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %q", source, err, want)
		}
	}
	f("words: a", "line 1: terms before the first section")
	f("\n[Dogs", "line 2: missing ] after the name")
	f("[Dogs]\ncats: a", "line 2: unknown kind of terms \"cats\"")
}

func TestCollectFails(t *testing.T) {
	f := func(source, want string) {
		t.Helper()
		sections, err := parse(source)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := collect(sections, map[string]bool{"1": true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", source, err, want)
		}
	}
	f("[Nothing] 1", "line 1: unknown interest")
	f("== Sports\n[Dogs] 1", "line 2: unknown interest")
	f("== Sports\n[Soccer] 1\n[Soccer] 1", "line 3: unknown interest or duplicate section")
	f("== Sports\n[Soccer] 2", "line 2: unknown taxonomy id 2")
	f("== Sports\n[Soccer] 1", "has no section")
}

func TestSpell(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got := spell(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("dog", "dog")
	f("dog+", "dog", "dogs")
	f("puppy+", "puppy", "puppies")
	f("toy+", "toy", "toys")
	f("golf club+", "golf club", "golf clubs")
	f("church+", "church", "churches")
	for _, form := range []string{"футбольный", "футбольного", "футбольных", "футбольной"} {
		if !slices.Contains(spell("футбольный~"), form) {
			t.Errorf("футбольный~ lacks %s", form)
		}
	}
	for _, form := range []string{"цены на нефть", "цену на нефть", "цен на нефть"} {
		if !slices.Contains(spell("цен~ на нефть"), form) {
			t.Errorf("цен~ на нефть lacks %s", form)
		}
	}
}
