package main

var users = resource{
	noun:    "user",
	path:    "users",
	columns: []string{"id", "username", "email", "firstName", "lastName", "teams", "apiAccess", "permissions"},
	fields: []field{
		text("username", "username", "name to sign in with"),
		text("password", "password", "password; others may see it in the list of processes, --from - keeps it out"),
		text("email", "email", "address"),
		text("first-name", "firstName", "first name"),
		text("last-name", "lastName", "last name"),
		numbers("teams", "teams", "`ids` of the teams, separated by commas"),
		toggle("api-access", "apiAccess", "may call the interface"),
		list("permissions", "permissions", "any of content, streams, admin"),
	},
}
