package reference

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"earshot/internal/http/rest"
)

// errorResponses are the error responses of each status, with all their messages as examples.
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
		{Name: "message", Shape: &rest.Shape{Kind: rest.StringShape}, Required: true, Text: "what is wrong"},
		{Name: "status", Shape: &rest.Shape{Kind: rest.StringShape, Values: []string{"error"}}, Required: true},
	}})
}

// statusesOf lists the statuses of failures, each once, the least first.
func statusesOf(failures []Failure) []int {
	var statuses []int
	for _, f := range failures {
		statuses = append(statuses, f.Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// responseName spells a status as a name, like NotFound.
func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }
