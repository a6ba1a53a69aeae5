package enginekit

import (
	"sync"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
)

// census returns the model of census surnames. It is embedded in the binary, so a failure to read
// it is a defect of the build.
var census = sync.OnceValue(func() *people.Model {
	m, err := people.New()
	if err != nil {
		panic("read the embedded census: " + err.Error())
	}
	return m
})

// Surname returns the surname under which ByEthnicity counts an author, given the author's display
// name. It returns "" if the author is not counted.
func Surname(author string) string { return census().Surname(author) }

// Percents returns the shares of ethnicities among people with the given surname.
func Percents(surname string) people.Percents { return census().Percents(surname) }

// AddBearer counts the author of a post by surname.
func AddBearer(to *people.Population, p *earshot.Post) {
	surname := Surname(p.Author)
	if surname == "" {
		return
	}
	to.Add(Percents(surname), 1)
	to.AddSurname(surname)
}

// EthnicityRows returns the rows of ByEthnicity, omitting groups with an expected count of 0.
func EthnicityRows(of *people.Population) []poststore.Row {
	var rows []poststore.Row
	for i, n := range of.Expected() {
		if n > 0 {
			rows = append(rows, poststore.Row{Key: []string{people.Ethnicities[i]}, Posts: n, Sums: []int64{}})
		}
	}
	return poststore.TopRows(rows, 0)
}
