package main

import "cmp"

// commonNames is what people call places whose official names the source has.
var commonNames = map[string]string{"USA.NY.New York City": "New York"}

// postalCodes are the keys of the Canadian provinces and territories, which the
// data has by name.
var postalCodes = map[string]string{
	"Alberta":                   "AB",
	"British Columbia":          "BC",
	"Manitoba":                  "MB",
	"New Brunswick":             "NB",
	"Newfoundland and Labrador": "NL",
	"Northwest Territories":     "NT",
	"Nova Scotia":               "NS",
	"Nunavut":                   "NU",
	"Ontario":                   "ON",
	"Prince Edward Island":      "PE",
	"Quebec":                    "QC",
	"Saskatchewan":              "SK",
	"Yukon":                     "YT",
}

// stateKey is what a geography id calls the state.
func stateKey(r row) string {
	if code, ok := postalCodes[r["state"]]; ok && r["country"] == "CAN" {
		return code
	}
	return r["state"]
}

// cityKey is what a geography id calls the city.
func cityKey(r row) string {
	return cmp.Or(commonNames[r["country"]+"."+r["state"]+"."+r["name"]], r["name"])
}
