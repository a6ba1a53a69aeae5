package main

var teams = resource{
	noun:    "team",
	path:    "teams",
	columns: []string{"id", "name", "monitorLimit"},
	fields: []field{
		text("name", "name", "name"),
		number("monitor-limit", "monitorLimit", "most monitors it may have; 0 is no limit (`number`)"),
	},
}
