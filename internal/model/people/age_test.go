package people

import (
	"testing"
	"time"

	"earshot"
)

const (
	none    = earshot.AgeGroup(0)
	under18 = earshot.UnderEighteen
	to24    = earshot.EighteenToTwentyFour
	to34    = earshot.TwentyFiveToThirtyFour
	over35  = earshot.ThirtyFiveAndOver
)

func TestAgeOfBio(t *testing.T) {
	m := newModel(t)
	f := func(bio string, want earshot.AgeGroup) {
		t.Helper()
		if got := m.Age(Profile{Username: "xyzzy", Bio: bio}, summer2015); got != want {
			t.Errorf("%q: got %q, want %q", bio, got, want)
		}
	}
	// Stated ages.
	f("19yo from Leeds", to24)
	f("now 23 y/o & graduated", to24)
	f("24 years old. I build.", to24)
	f("a 16-year-old with a guitar", under18)
	f("49 yrs old", over35)
	f("16YearsOld.", under18)
	f("Tengo 31 años", to34)
	f("20 años de experiencia", none)
	f("28 лет, Москва", to34)
	f("a humble man, age 23", to24)
	f("Age: 42", over35)
	f("I'm 41, from Manchester", over35)
	f("I am 22 and tired", to24)
	f("I'm 100% sure", none)
	f("turning 18 soon", none)
	f("turning 18!", under18)
	f("20 | Durham | Life", to24)
	f("22 // Human", to24)
	f("(robyn, 22, she/her, bristol)", to24)
	f("jazz • 17 • dance", under18)
	f("🎸 19 ✨", to24)
	f("19", to24)
	// Numbers that are not ages.
	f("news 24/7", none)
	f("18+ only", none)
	f("Romans 12:9", none)
	f("Ravens, 10-12, every Sunday", none)
	f("otra 10.10.15", none)
	f("top 40 hits", none)
	f("$50 up front", none)
	f("19 not out", none)
	f("married to Amy for 5 years", none)
	// Ages of others.
	f("my son is 19yo", none)
	f("Proud dad of a 19 year old", none)
	f("mom to a 16 y/o boy", none)
	f("my daughter (17yo) draws these", none)
	f("my son turning 18!", none)
	f("our 15 year old runs this", none)
	f("Mum, 34 years old", to34)
	f("my name is Bo, 22yo", to24)
	f("I love my wife and I'm 31", to34)
	f("she/her 22yo", to24)
	f("John | 23 | Leeds", to24)
	f("Psalms | 23 | Jesus", none)
	f("Philippians • 13 • runner", none)
	// Years.
	f("born in 1990", to34)
	f("b. 1987", to34)
	f("🎂 1998", under18)
	f("Est. 1985", none)
	f("Established 1992", none)
	f("Est. 1802", none)
	f("born in the 90s", none)
	f("class of 2024", none)
	f("OSU class of '95", over35)
	f("Class of 2017", none)
	f("Class of 2017, Lincoln High School", under18)
	f("c/o 2017, university of Bath", to24)
	f("c/o 2k19 high school", under18)
	// Stages of life.
	f("mum of three", over35)
	f("Dad of 4, runner", over35)
	f("mum of two", none)
	f("proud grandma", over35)
	f("retired teacher", over35)
	f("high school student", under18)
	f("sophomore in high school", under18)
	f("8th grade", under18)
	f("college student", to24)
	f("undergrad at Bath", to24)
	f("PhD student", to34)
	f("over 25 years of experience in print", over35)
	f("married 30 years", over35)
	f("student", none)
	f("", none)
}

func TestAgeAt(t *testing.T) {
	m := newModel(t)
	f := func(p Profile, year int, month time.Month, want earshot.AgeGroup) {
		t.Helper()
		at := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		if got := m.Age(p, at); got != want {
			t.Errorf("%+v in %v %d: got %q, want %q", p, month, year, got, want)
		}
	}
	born := Profile{Bio: "born 1990"}
	f(born, 2008, time.January, under18)
	f(born, 2008, time.August, to24)
	f(born, 2025, time.August, over35)
	f(born, 1995, time.August, none)
	f(Profile{Username: "john1994"}, 2015, time.July, to24)
	f(Profile{Username: "john94"}, 2015, time.July, none)
	f(Profile{Username: "xqz1994"}, 2015, time.July, none)
	f(Profile{Username: "john2010"}, 2025, time.July, none)
	f(Profile{Username: "john11994"}, 2015, time.July, none)
	f(Profile{Name: "Barbara Jones", Language: "en"}, 2015, time.July, over35)
	f(Profile{Name: "Barbara Jones", Country: "USA"}, 2015, time.July, over35)
	f(Profile{Name: "Barbara Jones", Country: "DEU"}, 2015, time.July, none)
	f(Profile{Name: "Barbara Jones"}, 2015, time.July, none)
	f(Profile{Name: "Emma", Language: "en"}, 2015, time.July, none)
	f(Profile{Name: "Chris", Language: "en"}, 2015, time.July, none)
	f(Profile{Name: "Barbara", Language: "en"}, 3000, time.July, none)
	f(Profile{Name: "Barbara", Language: "en"}, 1700, time.July, none)
	f(Profile{}, 2015, time.July, none)
}

func TestAgeOfOrganization(t *testing.T) {
	m := newModel(t)
	p := Profile{Name: "Wildcats Official", Bio: "Official account of the Wildcats. Follow us for news. Est. 1984"}
	if got := m.Age(p, summer2015); got != none {
		t.Errorf("got %q", got)
	}
}
