package main

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"earshot"
)

// The functions below read a JSON value that programs write in several types. The value is never
// null.

// readText accepts a string, or a number in its original spelling.
func readText(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	}
	return "", errors.New("must be a string")
}

// readName reads a string and trims the whitespace around it.
func readName(value any) (string, error) {
	text, err := readText(value)
	return strings.TrimSpace(text), err
}

var errTexts = errors.New("must be a list of strings, or a string")

// readTexts accepts a list of strings, or a string with separators.
func readTexts(value any, separators string) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		text, err := readText(value)
		if err != nil {
			return nil, errTexts
		}
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }), nil
	}
	texts := make([]string, 0, len(list))
	for _, element := range list {
		if element == nil {
			continue
		}
		text, err := readName(element)
		if err != nil {
			return nil, errTexts
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// readNumber accepts a number, or a string with a number. An empty string means that no number is
// stated.
func readNumber(value any) (n float64, stated bool, err error) {
	text, err := readName(value)
	if err == nil && text == "" {
		return 0, false, nil
	}
	if err == nil {
		n, err = strconv.ParseFloat(text, 64)
	}
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false, errors.New("must be a number")
	}
	return n, true, nil
}

// maxCount is the largest count that a float64 represents exactly.
const maxCount = 1 << 53

// readCount accepts an integer of at least 0.
func readCount(value any) (earshot.Count, error) {
	n, stated, err := readNumber(value)
	switch {
	case err == nil && !stated:
		return earshot.Count{}, nil
	case err != nil || n < 0 || n > maxCount || n != math.Trunc(n):
		return earshot.Count{}, errors.New("must be a whole number of 0 or more")
	}
	return earshot.Counted(int64(n)), nil
}

// readBool accepts true or false, or a string that queries accept as a boolean.
func readBool(value any) (bool, error) {
	if value, ok := value.(bool); ok {
		return value, nil
	}
	text, err := readName(value)
	if err == nil {
		switch strings.ToLower(text) {
		case "true", "yes", "1":
			return true, nil
		case "", "false", "no", "0":
			return false, nil
		}
	}
	return false, errors.New("must be true or false")
}
