package demo

import "testing"

func TestEveryLanguageHasAllSections(t *testing.T) {
	needed := []string{
		"joy", "surprise", "neutral", "anger", "sadness", "disgust", "fear", "detail", "launch", "crisis", "reply",
		"title.good", "title.bad", "title.plain", "title.launch", "title.crisis", "title.chat",
	}
	for _, interest := range interests {
		needed = append(needed, "chat."+interest, "bio."+interest)
	}
	for _, language := range languages {
		g, err := readGrammar(language)
		if err != nil {
			t.Errorf("read %s: %v", language, err)
			continue
		}
		for _, section := range needed {
			if len(g.find(section)) == 0 {
				t.Errorf("%s has no section %s", language, section)
			}
		}
		for list := range nameLists {
			if len(g.lists[list]) < 6 {
				t.Errorf("%s has %d of %s, want at least 6", language, len(g.lists[list]), list)
			}
		}
	}
}

func TestAnUnknownSlotIsAnError(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		g := &grammar{lists: map[string][]string{"good": {"fine"}}}
		_, err := g.compile(line)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("compile(%q) = %q, want %q", line, got, want)
		}
	}
	f("The {product} is {good}", "")
	f("The {prodcut} is good", "unknown slot {prodcut}")
	f("The {product is good", "unknown slot {product is good}")
}
