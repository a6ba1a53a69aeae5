package main

import "testing"

func TestCompileCountries(t *testing.T) {
	got := compileCountries([]row{
		{"id": "CAN", "iso2": "CA", "name": "Canada", "continent": "NA"},
		{"id": "ABW", "iso2": "AW", "name": "Aruba", "continent": "NA"},
	})
	if want := "ABW\tAW\tAruba\tNA\nCAN\tCA\tCanada\tNA\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCompileCountryNames(t *testing.T) {
	got, err := compileCountryNames([]row{
		{"id": "CAN", "population": "37000000", "alt_names": "Kanada|Канада"},
		{"id": "ATA", "population": "", "alt_names": "Antarktis"},
		{"id": "AND", "population": "99999", "alt_names": "Andorre"},
		{"id": "ABW", "population": "100000", "alt_names": "Аруба"},
		{"id": "XXX", "population": "100000", "alt_names": ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "ABW\tАруба\nCAN\tKanada\tКанада\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCompileCountryNamesErrorNamesTheCountry(t *testing.T) {
	_, err := compileCountryNames([]row{{"id": "CAN", "population": "many"}})
	if want := `population of CAN: strconv.ParseInt: parsing "many": invalid syntax`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
