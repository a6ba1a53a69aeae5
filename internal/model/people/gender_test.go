package people

import (
	"testing"

	"earshot"
)

func TestGender(t *testing.T) {
	m := newModel(t)
	for _, c := range []struct {
		name    string
		profile Profile
		want    earshot.Gender
	}{
		{"declared pronouns win over the name", Profile{Name: "John", Bio: "chemist, she/her"}, earshot.Female},
		{"pronouns may be capitalized", Profile{Bio: "He/Him. Dev."}, earshot.Male},
		{"she/they counts as she", Profile{Bio: "she/they"}, earshot.Female},
		{"they/them is neither, regardless of the name", Profile{Name: "Sarah", Bio: "they/them"}, ""},
		{"he/she declares nothing", Profile{Bio: "whoever he/she is"}, ""},
		{"a first name", Profile{Name: "Lucy"}, earshot.Female},
		{"a first name and a surname", Profile{Name: "Hans Müller"}, earshot.Male},
		{"accents are ignored", Profile{Name: "José García"}, earshot.Male},
		{"a surname is not a first name", Profile{Name: "Müller"}, ""},
		{"a unisex name stays unknown", Profile{Name: "Jordan"}, ""},
		{"a title before a surname", Profile{Name: "Mrs Smith"}, earshot.Female},
		{"a title without gender is skipped", Profile{Name: "Dr Jane Goodall"}, earshot.Female},
		{"a handle with its display name", Profile{Name: "jsmith92 (John Smith)"}, earshot.Male},
		{"a name in decorated letters", Profile{Name: "𝓢𝓪𝓻𝓪𝓱"}, earshot.Female},
		{"a Cyrillic first name", Profile{Name: "Анна"}, earshot.Female},
		{"a Cyrillic surname", Profile{Name: "Дмитрий Медведев"}, earshot.Male},
		{"a patronymic", Profile{Name: "Светлана Алексеевна"}, earshot.Female},
		{"a Czech surname", Profile{Name: "Jana Nováková"}, earshot.Female},
		{"Andrea in the registers", Profile{Name: "Andrea Rossi"}, earshot.Female},
		{"Andrea in Italy", Profile{Name: "Andrea Rossi", Country: "ITA"}, earshot.Male},
		{"Andrea in Italian", Profile{Name: "Andrea Rossi", Language: "it"}, earshot.Male},
		{"a country outweighs a language", Profile{Name: "Andrea Rossi", Language: "it", Country: "USA"}, earshot.Female},
		{"a local name that is in no register", Profile{Name: "Heidrun", Country: "DEU"}, earshot.Female},
		{"a local unisex name", Profile{Name: "Sasha", Language: "ru"}, ""},
		{"Nikita in Russian", Profile{Name: "Nikita", Language: "ru"}, earshot.Male},
		{"a brand whose letters look like a woman's name", Profile{Name: "Morvessa", Username: "MorvessaCoffee"}, ""},
		{"a first name in the handle of someone who shows a surname", Profile{Name: "Müller", Username: "MuellerAnna"}, earshot.Female},
		{"a company that has existed for a while", Profile{Name: "Emma", Bio: "Mattresses since 2013. We answer from 9 to 6"}, ""},
		{"a person who has done something for a while", Profile{Name: "Emma", Bio: "Painting since 2013. We all need hobbies, I have two"}, earshot.Female},
		{"a first name in a handle", Profile{Username: "emma_ludditt"}, earshot.Female},
		{"a first name at the end of a handle", Profile{Username: "smithmichael"}, earshot.Male},
		{"a role", Profile{Username: "xyzzy77", Bio: "wife, mother, nurse"}, earshot.Female},
		{"a role in another language", Profile{Username: "xyzzy77", Bio: "Vater von zwei Kindern"}, earshot.Male},
		{"a company", Profile{Name: "Acme Inc"}, ""},
		{"a company name that contains a first name", Profile{Name: "Fox News"}, ""},
		{"a newspaper of a city that is a first name", Profile{Name: "Charlotte Observer"}, ""},
		{"another one, whose last word is a surname", Profile{Name: "Austin Post"}, ""},
		{"its handle", Profile{Username: "charlotte_observer"}, ""},
		{"a surname that is in names of newspapers", Profile{Name: "Emily Post"}, earshot.Female},
		{"a first name that is a city", Profile{Name: "Charlotte Lewis"}, earshot.Female},
		{"a city as a surname", Profile{Name: "Lisa London"}, earshot.Female},
		{"a city as a first name", Profile{Name: "Austin Miller"}, earshot.Male},
		{"a first name in a handle with news", Profile{Username: "emma_daily"}, earshot.Female},
		{"a handle with news and a role", Profile{Username: "dallas_daily", Bio: "wife, mother, nurse"}, earshot.Female},
		{"a football club", Profile{Name: "Chelsea FC"}, ""},
		{"a club with a handle", Profile{Name: "Chelsea FC", Username: "ChelseaFC"}, ""},
		{"a garage", Profile{Name: "Joe's Garage"}, ""},
		{"a company form, but pronouns", Profile{Name: "Anna Limited", Bio: "she/her"}, earshot.Female},
		{"a brand of two words", Profile{Name: "Mercedes-Benz"}, ""},
		{"a brand and more", Profile{Name: "Mercedes Benz USA"}, ""},
		{"a brand with an apostrophe", Profile{Name: "Wendy's"}, ""},
		{"a brand with an ampersand", Profile{Name: "Ben & Jerry's"}, ""},
		{"a brand of a possessive", Profile{Name: "Victoria’s Secret"}, ""},
		{"a brand in a handle", Profile{Username: "MercedesBenz"}, ""},
		{"a name that begins like a brand", Profile{Name: "Mercedes Lopez"}, earshot.Female},
		{"a handle that is a word", Profile{Username: "given"}, ""},
		{"a handle that is a word more often than a name", Profile{Username: "will"}, ""},
		{"a handle with a word and a surname", Profile{Username: "will_harris"}, earshot.Male},
		{"a display name that is also a word", Profile{Name: "Will Harris"}, earshot.Male},
		{"a display name that is only a word", Profile{Name: "Given"}, ""},
		{"a word that is a name elsewhere", Profile{Name: "Said Ahmed"}, earshot.Male},
		{"an empty profile", Profile{}, ""},
		{"an unreadable profile", Profile{Name: "\x00\xff", Username: "1234", Bio: "\xc3\x28", Text: "…"}, ""},
	} {
		got, confidence := m.Gender(c.profile)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got == "" && confidence != 0 || got != "" && (confidence < 0.5 || confidence > 1) {
			t.Errorf("%s: confidence %v of %q", c.name, confidence, got)
		}
	}
}

func TestOrganization(t *testing.T) {
	m := newModel(t)
	f := func(p Profile, want bool) {
		t.Helper()
		if got := m.Organization(p); got != want {
			t.Errorf("Organization(%+v): got %v, want %v", p, got, want)
		}
	}
	f(Profile{Name: "The New York Times"}, true)
	f(Profile{Name: "BBC Breaking News"}, true)
	f(Profile{Name: "Florence Today"}, true)
	f(Profile{Username: "SydneyDaily"}, true)
	f(Profile{Username: "acmestore", Bio: "We are the official account of Acme. Follow us for news and offers."}, true)
	f(Profile{Username: "DallasTX_News", Bio: "All the #Dallas news you need in one spot."}, true)
	f(Profile{Name: "Chelsea FC"}, true)
	f(Profile{Name: "Ben & Jerry's"}, true)
	f(Profile{Name: "Anna Limited", Bio: "she/her"}, false)
	f(Profile{Name: "Emma Ludditt"}, false)
	f(Profile{Username: "xyzzy77", Bio: "I love my wife"}, false)
	f(Profile{}, false)
}

func TestNamesOfProfile(t *testing.T) {
	f := func(p Profile, handle, display string) {
		t.Helper()
		gotHandle, gotDisplay := p.names()
		if gotHandle != handle || gotDisplay != display {
			t.Errorf("%+v: got %q, %q, want %q, %q", p, gotHandle, gotDisplay, handle, display)
		}
	}
	f(Profile{Name: "jsmith (John Smith)"}, "jsmith", "John Smith")
	f(Profile{Name: "Lucy"}, "", "Lucy")
	f(Profile{Name: "lucy"}, "lucy", "")
	f(Profile{Name: "lucy_92"}, "lucy_92", "")
	f(Profile{Name: "john smith"}, "", "john smith")
	f(Profile{Name: "John Smith", Username: "@jsmith"}, "jsmith", "John Smith")
	f(Profile{Name: "odd (name", Username: ""}, "", "odd (name")
	f(Profile{}, "", "")
}

func TestInferenceDoesNotAllocate(t *testing.T) {
	m := newModel(t)
	for _, p := range []Profile{bare, full, {Name: "Anna"}, {}} {
		got := testing.AllocsPerRun(10, func() {
			m.Gender(p)
			m.Organization(p)
			m.Age(p, summer2015)
		})
		if got != 0 {
			t.Errorf("%+v: %v allocations", p, got)
		}
	}
}
