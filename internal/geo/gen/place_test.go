package main

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"earshot/internal/geo"
)

// smallWorld returns a gazetteer of two countries, one of them without a population.
func smallWorld(t *testing.T) *gazetteer {
	t.Helper()
	g, err := newGazetteer(
		[]row{
			{"id": "CAN", "iso2": "CA", "name": "Canada", "lat": "46", "lon": "-88", "population": "37", "alt_names": "Kanada"},
			{"id": "ABW", "iso2": "AW", "name": "Aruba", "lat": "12", "lon": "-69", "population": ""},
		},
		[]row{
			{"country": "CAN", "state": "Yukon", "name": "Yukon", "lat": "60", "lon": "-135", "city_population": "28"},
			{"country": "CAN", "state": "Nunavut", "name": "Nunavut", "lat": "", "lon": "", "city_population": "0"},
			{"country": "ABW", "state": "Yukon", "name": "Yukon", "lat": "1", "lon": "2", "city_population": "3"},
		},
		[]row{
			{"country": "CAN", "state": "Yukon", "name": "Whitehorse", "asciiname": "Whitehorse", "lat": "60.71611", "lon": "-135.05375",
				"population": "28", "feature": "PPLA", "timezone": "America/Whitehorse", "alt_names": "Uajtkhors|wen|Уайтхорс"},
			{"country": "CAN", "state": "Yukon", "name": "Riverdale", "asciiname": "Riverdale", "lat": "60.7", "lon": "-135.03",
				"population": "20", "feature": "PPLX", "timezone": "America/Dawson"},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestNewGazetteer(t *testing.T) {
	g := smallWorld(t)
	var got []string
	for _, p := range g.places {
		got = append(got, fmt.Sprint(p.id, " ", p.name, " ", p.point, " ", p.population, " ", p.parent, " ", p.zone))
	}
	want := []string{
		"ABW Aruba {1200000 -6900000} 0 0 0",
		"ABW.Yukon Yukon {100000 200000} 0 0 0",
		"CAN Canada {4600000 -8800000} 37 2 2",
		"CAN.NU Nunavut {4600000 -8800000} 0 2 0", // no cities: the position of its country
		"CAN.YT Yukon {6000000 -13500000} 28 2 2", // sections of cities are not counted twice
		"CAN.YT.Riverdale Riverdale {6070000 -13503000} 20 4 1",
		"CAN.YT.Whitehorse Whitehorse {6071611 -13505375} 28 4 2",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	records, text := g.encode()
	if len(records) != 20*len(want) || !strings.HasPrefix(string(text), "ABW\tAruba\nYukon\nCAN\tCanada\nNU\tNunavut\n") {
		t.Errorf("got %d bytes of records and the text %q", len(records), text)
	}
}

func TestNewGazetteerRejectsBadTables(t *testing.T) {
	f := func(states, cities []row, want string) {
		t.Helper()
		_, err := newGazetteer([]row{{"id": "CAN", "population": "1"}}, states, cities)
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	yukon := []row{{"country": "CAN", "state": "Yukon", "name": "Yukon"}}
	f([]row{{"country": "USA", "state": "CA"}}, nil, `states reference the unknown country "USA"`)
	f(nil, []row{{"country": "CAN", "state": "Yukon", "name": "Whitehorse"}}, `cities reference the unknown state "CAN.Yukon"`)
	f(yukon, []row{{"country": "CAN", "state": "Yukon", "name": "A", "population": "many"}}, `invalid population of CAN.YT.A: "many"`)
	f(yukon, []row{{"country": "CAN", "state": "Yukon", "name": "A", "lat": "200"}}, `position of CAN.YT.A: 200 degrees is out of range`)
	f(append(yukon, yukon...), nil, `two places have the id CAN.YT`)
}

func TestCollectNames(t *testing.T) {
	g := smallWorld(t)
	names, err := collectNames(g, []row{{"kind": "name", "id": "CAN.YT", "names": "The Yukon|Klondike"}, {"kind": "suffix", "id": "ABW", "names": "AB"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, n := range names {
		got[n.spelling+" "+g.places[n.place].id] = fmt.Sprint(n.kind, n.first)
	}
	want := map[string]string{
		"aruba ABW": "0 false", "abw ABW": "2 false", "aw ABW": "3 false", "ab ABW": "3 false",
		"yukon ABW.Yukon": "0 false",
		"canada CAN":      "0 false", "can CAN": "2 false", "ca CAN": "3 false", "kanada CAN": "0 false",
		"nunavut CAN.NU": "0 false", "nu CAN.NU": "2 false",
		"yukon CAN.YT": "0 true", "yt CAN.YT": "2 false", "klondike CAN.YT": "0 true",
		"whitehorse CAN.YT.Whitehorse": "0 false", "uajtkhors CAN.YT.Whitehorse": "1 false", "уаитхорс CAN.YT.Whitehorse": "1 false",
		"riverdale CAN.YT.Riverdale": "0 false",
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s: got %q, want %q", key, got[key], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d names, want %d: %v", len(got), len(want), got)
	}
}

func TestCollectNamesRejectsUnknownAliases(t *testing.T) {
	f := func(kind, id, want string) {
		t.Helper()
		if _, err := collectNames(smallWorld(t), []row{{"kind": kind, "id": id, "names": "x"}}, nil); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	f("name", "CAN.ZZ", `aliases.tsv: unknown place "CAN.ZZ"`)
	f("nickname", "CAN", `aliases.tsv: an alias of CAN has the unknown kind "nickname"`)
}

func TestEncodeNamesSortsMeanings(t *testing.T) {
	table := encodeNames([]placeName{
		{spelling: "x", place: 1, weight: 5},
		{spelling: "x", place: 2, weight: 9},
		{spelling: "x", place: 3, weight: 1, first: true},
		{spelling: "x", place: 4, weight: 99, kind: geo.Suffix},
	}, map[string]bool{"x": true})
	entries := table[4*(geo.NameBuckets+1):]
	var got []uint16
	for i := 0; i < len(entries); i += 6 {
		got = append(got, binary.LittleEndian.Uint16(entries[i+4:]))
		if entries[i]&1 == 0 {
			t.Errorf("entry %d is not marked as a word", i/6)
		}
	}
	if fmt.Sprint(got) != "[3 2 1 4]" {
		t.Errorf("got the places in order %v, want [3 2 1 4]", got)
	}
}

func TestCompileZIPs(t *testing.T) {
	g, err := newGazetteer(
		[]row{{"id": "USA"}},
		[]row{{"country": "USA", "state": "NY", "name": "New York"}},
		[]row{{"country": "USA", "state": "NY", "name": "New York City", "asciiname": "New York City", "alt_names": "New York"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	table, err := compileZIPs(g, []row{
		{"zip": "10002", "city": "Nowhere", "state": "NY", "lat": "2", "lon": "3"},
		{"zip": "10001", "city": "NEW YORK", "state": "NY", "lat": "40.5", "lon": "-73"},
		{"zip": "20000", "city": "APO", "state": "AE"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := 0; i < len(table); i += 14 {
		got = append(got, fmt.Sprint(binary.LittleEndian.Uint32(table[i:]), int32(binary.LittleEndian.Uint32(table[i+4:])),
			int32(binary.LittleEndian.Uint32(table[i+8:])), " ", g.places[binary.LittleEndian.Uint16(table[i+12:])].id))
	}
	want := "[10001 4050000 -7300000 USA.NY.New York 10002 200000 300000 USA.NY]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for _, zip := range []string{"1000", "abcde", "10001"} {
		if _, err := compileZIPs(g, []row{{"zip": "10001", "state": "NY"}, {"zip": zip, "state": "NY"}}); err == nil {
			t.Errorf("ZIP code %q after 10001: got no error", zip)
		}
	}
}

func TestWords(t *testing.T) {
	c := wordCounter{}
	c.add(strings.Repeat("a nice day in Nice. Paris, PARIS! 東京 Mobile's mobile ", minWordCount))
	c.add("once")
	words := c.words()
	for word, want := range map[string]bool{"nice": true, "day": true, "mobile": true, "paris": false, "once": false, "東京": false} {
		if words[word] != want {
			t.Errorf("%s: got %v, want %v", word, words[word], want)
		}
	}
}
