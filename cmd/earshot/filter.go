package main

import "slices"

// filters narrow a monitor. Their ids are their own, so only listing and
// creating need the monitor's.
var filters = resource{
	noun:       "filter",
	path:       "filters",
	within:     "monitor",
	withinPath: "monitors",
	columns:    []string{"id", "name", "keywords", "gender", "sources"},
	fields:     slices.Concat([]field{text("name", "name", "name")}, selecting),
}
