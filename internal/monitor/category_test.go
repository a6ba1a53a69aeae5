package monitor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/monitor"
)

// cat returns a change to the category with the given id, or to the one with the given name if id
// is 0.
func cat(id earshot.CategoryID, name string) monitor.CategoryChange {
	ch := monitor.CategoryChange{ID: id}
	if name != "" {
		ch.Name = &name
	}
	return ch
}

func grouped(ch monitor.CategoryChange, group string) monitor.CategoryChange {
	ch.Group = &group
	return ch
}

func hidden(ch monitor.CategoryChange, hidden bool) monitor.CategoryChange {
	ch.Hidden = &hidden
	return ch
}

func (w *world) addOpinion(t *testing.T, list ...monitor.CategoryChange) *earshot.Monitor {
	t.Helper()
	kind := earshot.Opinion
	ch := changes("m", "a")
	ch.Type, ch.Categories = &kind, &list
	m := w.add(t, ch)
	w.matcher.rematched = nil
	return m
}

func (w *world) edit(m *earshot.Monitor, list ...monitor.CategoryChange) (*earshot.Monitor, error) {
	w.matcher.rematched = nil
	return w.Edit(context.Background(), w.caller, m.ID, monitor.Changes{Categories: &list})
}

// teach sets the number of training posts of each category.
func (w *world) teach(t *testing.T, m *earshot.Monitor, docs ...int) {
	t.Helper()
	_, err := w.Catalog.Monitors.Update(t.Context(), m.ID, func(m *earshot.Monitor) error {
		for i, n := range docs {
			m.Categories[i].TrainingDocs = n
		}
		m.Training = earshot.Training{Changes: 3, Documents: 5, Model: earshot.Model{Record: 6, Changes: 3}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// show formats the categories. It replaces IDs with the category's index in before, and with + for
// new ones.
func show(before, m *earshot.Monitor) string {
	var all []string
	for _, c := range m.Categories {
		id := "+"
		if at := slices.IndexFunc(before.Categories, func(o earshot.Category) bool { return o.ID == c.ID }); at >= 0 {
			id = fmt.Sprint(at)
		}
		text := fmt.Sprintf("%s:%s/%s", id, c.Group, c.Name)
		if c.Hidden {
			text += "(hidden)"
		}
		if c.TrainingDocs > 0 {
			text += fmt.Sprintf("*%d", c.TrainingDocs)
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestNewCategoriesHaveConsecutiveIDs(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	m := w.addOpinion(t, cat(0, "Like"), cat(0, "Dislike"), cat(0, "Other"))
	for i, c := range m.Categories {
		if c.ID != earshot.CategoryID(m.ID)+1+earshot.CategoryID(i) {
			t.Errorf("got %+v, want consecutive ids after %d", m.Categories, m.ID)
		}
	}
}

func TestChangeCategoriesByIDOrName(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	f := func(name, want string, edit func(id []earshot.CategoryID) []monitor.CategoryChange) {
		t.Run(name, func(t *testing.T) {
			m := w.addOpinion(t, grouped(cat(0, "Like"), "Mood"), hidden(cat(0, "Dislike"), true), cat(0, "Price"))
			w.teach(t, m, 12, 11, 10)
			var ids []earshot.CategoryID
			for _, c := range m.Categories {
				ids = append(ids, c.ID)
			}
			after, err := w.edit(m, edit(ids)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(m, after); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	type list = []monitor.CategoryChange
	type ids = []earshot.CategoryID
	f("omitted fields stay unchanged", "0:Mood/Like*12 1:/Dislike(hidden)*11 2:/Price*10",
		func(id ids) list { return list{cat(id[0], ""), cat(id[1], ""), cat(0, "Price")} })
	f("rename", "0:Mood/Love*12 1:/Dislike(hidden)*11 2:/Price*10",
		func(id ids) list { return list{cat(id[0], "Love"), cat(0, "Dislike"), cat(0, "Price")} })
	f("change of case", "0:Mood/LIKE*12 1:/Dislike(hidden)*11 2:/Price*10",
		func(id ids) list { return list{cat(0, " LIKE "), cat(0, "Dislike"), cat(0, "Price")} })
	f("change of order", "2:/Price*10 0:Mood/Like*12 1:/Dislike(hidden)*11",
		func(id ids) list { return list{cat(0, "Price"), cat(id[0], ""), cat(0, "Dislike")} })
	f("swap names", "0:Mood/Price*12 1:/Dislike(hidden)*11 2:/Like*10",
		func(id ids) list { return list{cat(id[0], "Price"), cat(id[1], ""), cat(id[2], "Like")} })
	f("former name of another category creates a category", "0:Mood/Love*12 +:/Like 1:/Dislike(hidden)*11 2:/Price*10",
		func(id ids) list { return list{cat(id[0], "Love"), cat(0, "Like"), cat(id[1], ""), cat(id[2], "")} })
	f("change of hidden and group", "0:/Like(hidden)*12 1:Mood/Dislike*11 2:/Price*10",
		func(id ids) list {
			return list{hidden(grouped(cat(id[0], ""), ""), true), hidden(grouped(cat(id[1], ""), "Mood"), false), cat(id[2], "")}
		})
	f("remove one and add one", "0:Mood/Like*12 1:/Dislike(hidden)*11 +:/Taste",
		func(id ids) list { return list{cat(id[0], ""), cat(id[1], ""), cat(0, "Taste")} })
	f("new off-topic category is hidden", "0:Mood/Like*12 +:/Off-topic(hidden)",
		func(id ids) list { return list{cat(id[0], ""), cat(0, "Off-topic")} })
	f("new off-topic category with other spelling is hidden", "0:Mood/Like*12 +:/OFF TOPIC(hidden)",
		func(id ids) list { return list{cat(id[0], ""), cat(0, "OFF TOPIC")} })
	f("new off-topic category that sets hidden to false", "0:Mood/Like*12 +:/offtopic",
		func(id ids) list { return list{cat(id[0], ""), hidden(cat(0, "offtopic"), false)} })
	f("rename to off-topic does not hide", "0:Mood/Off-topic*12",
		func(id ids) list { return list{cat(id[0], "Off-topic")} })
}

func TestGroupsKeepTheirIDs(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	m := w.addOpinion(t, grouped(cat(0, "Like"), "Mood"), grouped(cat(0, "Dislike"), "Mood"), cat(0, "Price"))
	after, err := w.edit(m, grouped(cat(0, "Price"), "Mood"), grouped(cat(0, "Like"), "Feeling"), cat(0, "Dislike"))
	if err != nil {
		t.Fatal(err)
	}
	mood := m.Categories[0].GroupID
	got := []bool{mood != 0, after.Categories[0].GroupID == mood, after.Categories[1].GroupID != mood, after.Categories[1].GroupID != 0, after.Categories[2].GroupID == mood}
	if slices.Contains(got, false) {
		t.Errorf("got %+v of %+v, want the same id for Mood and a new one for Feeling", after.Categories, m.Categories)
	}
}

func TestInvalidCategories(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	m := w.addOpinion(t, cat(0, "Like"), cat(0, "Dislike"))
	like := m.Categories[0].ID
	var many []monitor.CategoryChange
	for i := range 51 {
		many = append(many, cat(0, fmt.Sprint("c", i)))
	}
	f := func(want string, list ...monitor.CategoryChange) {
		t.Helper()
		if _, err := w.edit(m, list...); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if after, _ := w.Find(w.caller, m.ID); show(m, after) != "0:/Like 1:/Dislike" || events(after) != "ENABLED" {
			t.Errorf("%s: got %s, %s", want, show(m, after), events(after))
		}
	}
	f("Category 77 does not exist", cat(77, "x"))
	f(fmt.Sprintf("Invalid request body: categories[1].id %d appears twice", like), cat(like, ""), cat(like, "Love"))
	f("Invalid request body: categories[1].name 'LIKE' appears twice", cat(like, ""), cat(0, "LIKE"))
	f("Invalid request body: categories[1].name 'Dislike' appears twice", cat(like, "dislike"), cat(0, "Dislike"))
	f("Invalid request body: categories[0].name must have 1 to 200 characters", cat(0, ""))
	f("Invalid request body: categories must list 1 to 50 categories")
	f("Invalid request body: categories must list 1 to 50 categories", many...)
	if _, err := w.edit(m, many[:50]...); err != nil {
		t.Errorf("50 categories: %v", err)
	}
}

func TestNewMonitorRejectsCategoryIDs(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	kind := earshot.Opinion
	ch := changes("m", "a")
	ch.Type, ch.Categories = &kind, &[]monitor.CategoryChange{cat(7, "Like")}
	if _, err := w.Add(t.Context(), w.caller, ch); err == nil || err.Error() != "Category 7 does not exist" {
		t.Errorf("got %v", err)
	}
	if _, err := w.Draft(w.caller, ch); err != nil { // drafts ignore categories
		t.Errorf("draft: got %v", err)
	}
}

func TestTrainingChangesTrainModelAgain(t *testing.T) {
	const like, dislike, off = 0, 1, 2
	f := func(name string, docs []int, list func(c []earshot.Category) []monitor.CategoryChange, changes int64, rematched int) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
			m := w.addOpinion(t, cat(0, "Like"), cat(0, "Dislike"), cat(0, "Other"))
			w.teach(t, m, docs...)
			after, err := w.edit(m, list(m.Categories)...)
			if err != nil {
				t.Fatal(err)
			}
			if after.Training.Changes != changes || len(w.matcher.rematched) != rematched || events(after) != "ENABLED EDITED" {
				t.Errorf("got %d changes, %d rematches and %s, want %d and %d", after.Training.Changes, len(w.matcher.rematched), events(after), changes, rematched)
			}
		})
	}
	type list = []monitor.CategoryChange
	type categories = []earshot.Category
	f("renaming does not retrain", []int{10, 10, 10},
		func(c categories) list {
			return list{cat(c[like].ID, "Love"), cat(c[dislike].ID, ""), cat(c[off].ID, "")}
		}, 3, 0)
	f("reordering does not retrain", []int{10, 10, 10},
		func(c categories) list { return list{cat(c[dislike].ID, ""), cat(c[like].ID, ""), cat(c[off].ID, "")} }, 3, 0)
	f("hiding a trained category does not retrain", []int{10, 10, 10},
		func(c categories) list {
			return list{cat(c[like].ID, ""), cat(c[dislike].ID, ""), hidden(cat(c[off].ID, ""), true)}
		}, 3, 0)
	f("removing a category removes its training posts", []int{10, 10, 10},
		func(c categories) list { return list{cat(c[like].ID, ""), cat(c[dislike].ID, "")} }, 4, 1)
	f("removing a category without training posts does not retrain", []int{10, 9, 0},
		func(c categories) list { return list{cat(c[like].ID, ""), cat(c[dislike].ID, "")} }, 3, 0)
	f("removing the category that lacks training posts trains", []int{10, 10, 0},
		func(c categories) list { return list{cat(c[like].ID, ""), cat(c[dislike].ID, "")} }, 3, 1)
	f("hiding the category that lacks training posts trains", []int{10, 10, 9},
		func(c categories) list {
			return list{cat(c[like].ID, ""), cat(c[dislike].ID, ""), hidden(cat(c[off].ID, ""), true)}
		}, 3, 1)
}
