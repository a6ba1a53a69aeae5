package geo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"earshot"
)

//go:embed places.tsv.gz
var packed []byte

// places returns the gazetteer. It is part of the program, so data that cannot
// be read is a fault of the build, not of a caller.
var places = sync.OnceValue(func() table {
	t, err := unpack(packed)
	if err != nil {
		panic(fmt.Sprintf("geo: read the embedded places: %v", err))
	}
	return t
})

func unpack(packed []byte) (table, error) {
	text, err := gunzip(packed)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

func gunzip(packed []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// parse reads lines of key, name, latitude, longitude and population. A state is
// indented by one tab below its country, and a city by two below its state. The
// name is left out where it is the key. Items share text's memory.
func parse(text string) (table, error) {
	t := make(table, 0, strings.Count(text, "\n"))
	var in earshot.Place // the place of the line before
	for line := range strings.Lines(text) {
		item, err := parseLine(strings.TrimSuffix(line, "\n"), in)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(t)+1, err)
		}
		if len(t) > 0 && comparePlaces(t[len(t)-1].Place, item.Place) >= 0 {
			return nil, fmt.Errorf("line %d: %s is out of order", len(t)+1, item.Place.ID())
		}
		t, in = append(t, item), item.Place
	}
	return t, nil
}

func parseLine(line string, in earshot.Place) (Item, error) {
	rest := strings.TrimLeft(line, "\t")
	fields := strings.Split(rest, "\t")
	if len(fields) != 5 || fields[0] == "" {
		return Item{}, fmt.Errorf("%q has not the five fields of a place", line)
	}
	item := Item{Name: fields[1]}
	if item.Name == "" {
		item.Name = fields[0]
	}
	switch depth := len(line) - len(rest); {
	case depth == 0:
		item.Place = earshot.Place{Country: fields[0]}
	case depth == 1 && in.Country != "":
		item.Place = earshot.Place{Country: in.Country, State: fields[0]}
	case depth == 2 && in.State != "":
		item.Place = earshot.Place{Country: in.Country, State: in.State, City: fields[0]}
	default:
		return Item{}, fmt.Errorf("%q is in no place", line)
	}
	var err error
	if item.Latitude, err = strconv.ParseFloat(fields[2], 64); err != nil {
		return Item{}, err
	}
	if item.Longitude, err = strconv.ParseFloat(fields[3], 64); err != nil {
		return Item{}, err
	}
	item.Population, err = strconv.ParseInt(fields[4], 10, 64)
	return item, err
}
