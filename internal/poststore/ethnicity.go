package poststore

import (
	"sync"

	"earshot"
	"earshot/internal/model/people"
)

// census is what surnames are read with. It is part of the program: that it can be read is
// tested.
var census = sync.OnceValue(func() *people.Model {
	m, err := people.New()
	if err != nil {
		panic("read what is compiled in: " + err.Error())
	}
	return m
})

// Surname returns the surname that the posts of an author as shown are counted under in
// ByEthnicity; "": they are not.
func Surname(author string) string { return census().Surname(author) }

// Percents returns what the census says of a surname.
func Percents(surname string) people.Percents { return census().Percents(surname) }

// AddBearer counts the author of a post by the surname.
func AddBearer(to *people.Bearers, p *earshot.Post) {
	surname := Surname(p.Author)
	if surname == "" {
		return
	}
	to.Add(Percents(surname), 1)
	to.Name(surname)
}

// EthnicityRows returns the rows of ByEthnicity: largest first, ties in key order, none
// for groups that no post is expected of.
func EthnicityRows(of *people.Bearers) []Row {
	var rows []Row
	for i, n := range of.Expected() {
		if n > 0 {
			rows = append(rows, Row{Key: []string{people.Ethnicities[i]}, Posts: n, Sums: []int64{}})
		}
	}
	return TopRows(rows, 0)
}
