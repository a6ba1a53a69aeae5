package webtest

import (
	"fmt"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// addTerms types terms into a field of the form.
func addTerms(p *browsertest.Page, field string, terms ...string) {
	for _, term := range terms {
		p.Fill(fmt.Sprintf(`combobox "%s"`, field), term)
		p.Press("Enter")
		p.WaitFor(fmt.Sprintf(`button "Remove %s"`, term))
	}
}

// TestQueryForm writes a query with the form, reads it back as text and as a form, and saves it.
func TestQueryForm(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	p := w.signedIn(t, "/monitors/new")
	p.Fill(`textbox "Name"`, "Written with the form")
	p.Click(`button "Form"`)
	p.WaitText(`output code`, "Fill in a field to write a query.")
	addTerms(p, "Any of these", demo.Brand, "@morvessahq", "cold brew")
	p.WaitText(`output code`, `Morvessa OR @morvessahq OR "cold brew"`)
	p.Click(`button "And any of…"`)
	addTerms(p, "And any of these (group 2)", "price", "AND")
	addTerms(p, "None of these", "we are hiring")
	p.Click(`button "Near each other…"`)
	addTerms(p, "Any of these words", "machine")
	p.WaitText(`.field .error`, "Words near each other need at least two groups, but there is only machine")
	p.WaitText(`output code`, "Fill in a field to write a query.")
	p.Expect(400, "/manage/v1/query/build")
	addTerms(p, "near any of these", "coffee", "espresso")
	query := `(Morvessa OR @morvessahq OR "cold brew") AND (price OR "AND") AND (machine NEAR/5 (coffee OR espresso)) AND NOT "we are hiring"`
	p.WaitText(`output code`, query)
	p.AxeInTurn()

	p.Click(`button "Remove words near each other (1)"`)
	p.Click(`button "Remove AND"`)
	p.Click(`button "Remove price"`) // an empty group does not matter
	query = `(Morvessa OR @morvessahq OR "cold brew") AND NOT "we are hiring"`
	p.WaitText(`output code`, query)
	var preview struct{ Total int }
	var zone string
	p.Eval(`Intl.DateTimeFormat().resolvedOptions().timeZone`, &zone)
	c.send("POST", "/manage/v1/monitors/preview", fields{"team": w.monitors[demo.Brand].Team, "keywords": query, "timezone": zone}, &preview)
	if preview.Total == 0 {
		t.Error("the query matches no posts of the demo")
	}
	p.WaitText(`.preview .figure`, formatNumber(preview.Total))

	p.Click(`button "Query"`)
	checkEqual(t, "query as text", p.Value(`textbox "Keywords"`), query)
	p.Fill(`textbox "Keywords"`, "(morvessa AND price) OR tea")
	p.Click(`button "Form"`)
	p.WaitText(`fieldset .notice span`, "This query uses AND inside OR, which the form cannot show. Edit it as text.")
	p.AxeInTurn()
	p.Click(`button "Edit as text"`)
	p.Eval(`document.activeElement.blur()`, nil)
	p.Press("Control+k")
	p.WaitUntil(`document.activeElement.role === "combobox"`)
	p.Write("as a form")
	p.WaitUntil(`document.querySelector("[aria-selected=true] span").innerText === "Edit the query as a form"`)
	p.Press("Enter") // back to the form, and to the text again
	p.Click(`button "Edit as text"`)
	p.Fill(`textbox "Keywords"`, "(Morvessa OR Ostrinde) price")
	p.Click(`button "Form"`)
	waitTexts(p, `[aria-label="Query form"] .chip .clip`, "Morvessa", "Ostrinde", "price")

	// A word that is still being typed is saved, too.
	p.Fill(`combobox "None of these"`, "job")
	p.Click(`button "Create monitor"`)
	p.WaitFor(`heading "Written with the form"`)
	var list struct {
		Items []struct {
			ID             int64
			Name, Keywords string
		}
	}
	c.get("/manage/v1/monitors?limit=1000", &list)
	for _, m := range list.Items {
		if m.Name == "Written with the form" {
			t.Cleanup(func() { c.send("DELETE", fmt.Sprintf("/manage/v1/monitors/%d", m.ID), nil, nil) })
			checkEqual(t, "saved query", m.Keywords, "price AND (Morvessa OR Ostrinde) AND NOT job")
			p.Visit("/monitors/new") // so that the page does not ask for a deleted monitor
			return
		}
	}
	t.Error("the monitor was not created")
}

// TestQuerySuggestions corrects a misspelled word, and adds and excludes related ones, with a click
// each.
func TestQuerySuggestions(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team := w.monitors[demo.Brand].Team
	type term struct {
		Text  string
		Posts int
	}
	suggestions := func(query string) (s struct {
		Terms []struct {
			term
			Similar []term
		}
		Related []term
	}) {
		c.send("POST", "/manage/v1/query/suggestions", fields{"team": team, "keywords": query}, &s)
		return s
	}
	p := w.signedIn(t, "/monitors/new")
	p.Fill(`textbox "Keywords"`, `"morvesa" OR ostrinde`)
	similar := suggestions("morvesa").Terms[0].Similar
	if len(similar) == 0 || similar[0].Text != "morvessa" {
		t.Fatalf("got %v for morvesa, want morvessa first", similar)
	}
	replace := fmt.Sprintf(`button "Replace morvesa with morvessa (%s posts)"`, formatNumber(similar[0].Posts))
	p.WaitFor(replace)
	waitForText(p, "No posts contain morvesa.")
	p.AxeInTurn()
	p.Click(replace)
	p.WaitUntil(`document.querySelector(".query textarea").value === '"morvessa" OR ostrinde'`)
	p.WaitUntil(`!document.body.innerText.includes("No posts contain")`)

	related := suggestions(`"morvessa" OR ostrinde`).Related
	if len(related) < 2 {
		t.Fatalf("got %d related words, want more", len(related))
	}
	first, second := related[0].Text, related[1].Text
	written := func(term string) string {
		var built struct{ Query string }
		c.send("POST", "/manage/v1/query/build", fields{"form": fields{"all": []string{term}}}, &built)
		return built.Query
	}
	p.Click(fmt.Sprintf(`button "Also match %s"`, first))
	wider := "morvessa OR ostrinde OR " + written(first)
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".query textarea").value === %s`, quoteJS(wider)))
	p.Fill(`textbox "Keywords"`, "(morvessa OR ostrinde) AND (coffee OR espresso)")
	narrow := suggestions("(morvessa OR ostrinde) AND (coffee OR espresso)").Related
	if len(narrow) == 0 {
		t.Fatal("got no related words")
	}
	add := narrow[0].Text
	p.Click(fmt.Sprintf(`button "Also match %s"`, add)) // asks for the group
	p.Click(`button "Or: coffee, espresso"`)
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".query textarea").value === %s`, quoteJS("(morvessa OR ostrinde) AND (coffee OR espresso OR "+written(add)+")")))

	p.Fill(`textbox "Keywords"`, `"morvessa" OR ostrinde`)
	p.Click(fmt.Sprintf(`button "Exclude %s"`, second))
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".query textarea").value === %s`, quoteJS("(morvessa OR ostrinde) AND NOT "+written(second))))
}

// TestQueryFormOnPhone opens a query as a form on a phone.
func TestQueryFormOnPhone(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.open(t, browsertest.Options{Width: 390, Height: 844, Dark: true})
	p.SignIn(demo.Username, demo.Password)
	p.Visit(fmt.Sprintf("/monitors/%d/edit", w.monitors[demo.Brand].ID))
	p.Click(`button "Form"`)
	p.WaitFor(`[aria-label="Query form"]`)
	p.WaitFor(`.related`)
	p.AxeInTurn()
	var wide string
	p.Eval(widestElement, &wide)
	checkEqual(t, "wider than the screen", wide, "")
}
