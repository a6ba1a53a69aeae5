package reference

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"earshot/internal/http/rest"
)

// errorResponses returns one response per error status, with all its messages as examples.
func (i *Interface) errorResponses() object[*content] {
	var responses object[*content]
	for _, status := range statusesOf(i.Failures) {
		m := mediaType{Schema: &schema{Ref: "#/components/schemas/Error"}}
		for _, f := range i.Failures {
			if f.Status == status {
				m.Examples.add(fmt.Sprintf("message%d", len(m.Examples)+1), example{errorBody{f.Message, "error"}})
			}
		}
		responses.add(responseName(status), &content{Description: http.StatusText(status), Content: inJSON(m)})
	}
	return responses
}

func errorSchema() *schema {
	return newSchemaSet(nil).define(&rest.Shape{Kind: rest.ObjectShape, Members: []rest.Field{
		{Name: "message", Shape: &rest.Shape{Kind: rest.StringShape}, Required: true, Text: "error message"},
		{Name: "status", Shape: &rest.Shape{Kind: rest.StringShape, Values: []string{"error"}}, Required: true},
	}})
}

// statusesOf returns the distinct statuses of failures in ascending order.
func statusesOf(failures []Failure) []int {
	var statuses []int
	for _, f := range failures {
		statuses = append(statuses, f.Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// responseName returns a status as a component name, for example NotFound.
func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }
