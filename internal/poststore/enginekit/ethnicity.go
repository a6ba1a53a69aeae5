package enginekit

import (
	"sync"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
)

// census has the surnames of the census. It is compiled in, and a test reads it.
var census = sync.OnceValue(func() *people.Model {
	m, err := people.New()
	if err != nil {
		panic("read what is compiled in: " + err.Error())
	}
	return m
})

// Surname returns the surname that ByEthnicity counts the posts of an author, as shown, under;
// "": it does not count them.
func Surname(author string) string { return census().Surname(author) }

// Percents returns the shares of ethnicities among the bearers of a surname.
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

// EthnicityRows returns the rows of ByEthnicity, without groups that no post is expected of.
func EthnicityRows(of *people.Population) []poststore.Row {
	var rows []poststore.Row
	for i, n := range of.Expected() {
		if n > 0 {
			rows = append(rows, poststore.Row{Key: []string{people.Ethnicities[i]}, Posts: n, Sums: []int64{}})
		}
	}
	return poststore.TopRows(rows, 0)
}
