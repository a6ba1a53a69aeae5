package webtest

import (
	"fmt"
	"testing"

	"earshot/internal/test/webtest/browsertest"
)

// TestSelectPosts selects posts with the mouse and with keys, and marks and corrects them together.
func TestSelectPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "selectable")
	count := func(filter string) int { return len(tw.postsOf(tw.monitor, filter, false)) }
	p := tw.open(t, w, tw.page("/posts"))
	checkList(t, p, tw.posts, 50)
	box := func(i int) string { return fmt.Sprintf(`checkbox "Select %s"`, tw.posts[i].name(t)) }

	// With the mouse: one post, then a range.
	p.Click(box(0))
	waitSelected(p, "1 post selected", 0)
	p.Eval(`document.querySelectorAll(".select")[2].dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, shiftKey: true})), 0`, new(int))
	waitSelected(p, "3 posts selected", 0, 1, 2)
	p.AxeInTurn()
	p.Click(`region "Selected posts" >> button "Correct"`)
	p.AxeInTurn()
	p.Click(`group "Correct sentiment" >> button "Negative"`)
	waitForText(p, "Sentiment of 3 posts changed to Negative.")
	waitTexts(p, `.fact:first-child .badge`, "Sentiment: Negative", "Sentiment: Negative", "Sentiment: Negative", "Sentiment: Positive", "Sentiment: Positive")
	checkEqual(t, "negative posts", count("sentiment:negative"), 3)
	p.Click(`button "Undo"`)
	p.WaitUntil(`[...document.querySelectorAll(".fact:first-child .badge")].every(b => b.innerText === "Sentiment: Positive")`)
	checkEqual(t, "corrected posts after undoing it", count("corrected:yes"), 0)

	// With keys: the last two posts.
	p.Press("Escape")
	p.WaitUntil(`document.querySelector(".select:checked") === null`)
	p.Eval(`document.querySelectorAll("article")[2].focus(), 0`, new(int))
	p.Press("j")
	p.Press("x")
	waitSelected(p, "1 post selected", 3)
	p.Press("j")
	p.Press("Shift+X")
	waitSelected(p, "2 posts selected", 3, 4)
	p.Press("s")
	waitForText(p, "Starred 2 posts.")
	checkEqual(t, "starred posts", count("starred:yes"), 2)
	p.Press("t")
	p.WaitFor(`combobox "Add a tag"`)
	p.Write("Press review")
	p.Press("Enter")
	waitForText(p, "Tagged 2 posts: Press review.")
	checkEqual(t, "tagged posts", count("tag:Press review"), 2)
	p.Press("Escape")
	p.WaitHidden(`combobox "Add a tag"`)
	p.Press("a")
	p.Click(`button "Bob Lee"`)
	waitForText(p, "Assigned 2 posts to Bob Lee.")
	p.Press("k")
	p.Press("x")
	waitSelected(p, "1 post selected", 4)
	p.Click(`region "Selected posts" >> button "Select first 5"`)
	waitSelected(p, "5 posts selected", 0, 1, 2, 3, 4)
	p.Click(`region "Selected posts" >> button "Clear selection"`)
	p.WaitUntil(`document.querySelector(".select:checked") === null`)

	p.Press("?")
	waitForText(p, "Select all posts up to this one")
	p.Press("Escape")
	checkRefusedSelection(t, w, tw, p, box)
}

// checkRefusedSelection stars two posts, of which one has just been deleted.
func checkRefusedSelection(t *testing.T, w *environment, tw *teamwork, p *browsertest.Page, box func(int) string) {
	t.Helper()
	w.client(t).send("POST", "/manage/v1/authors/erase", fields{"author": tw.posts[1].Author}, nil)
	tw.waitUntil("the post is deleted", func() bool { return len(tw.postsOf(tw.monitor, "", false)) == 4 })
	p.Click(box(0))
	p.Click(box(1))
	p.Expect(404, fmt.Sprintf("/manage/v1/monitors/%d/posts", tw.monitor))
	p.Click(`region "Selected posts" >> button "Star"`)
	waitForText(p, "does not exist")
	checkEqual(t, "starred posts after the failure", len(tw.postsOf(tw.monitor, "starred:yes", false)), 2)
	p.Click(`region "Selected posts" >> button "Reload posts"`)
	checkList(t, p, append(tw.posts[:1:1], tw.posts[2:]...), 50)
	waitSelected(p, "1 post selected", 0)
}

// waitSelected waits until the bar has a text and the boxes of these posts are checked.
func waitSelected(p *browsertest.Page, text string, posts ...int) {
	p.WaitText(`.selectbar strong`, text)
	p.WaitUntil(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(".select")].flatMap((e, i) => e.checked ? [i] : [])) === JSON.stringify(%s)`, quoteJS(posts)))
}

// TestExcludePosts excludes posts from a monitor by a word that only they have.
func TestExcludePosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "excludable")
	p := tw.open(t, w, tw.page("/posts"))
	checkList(t, p, tw.posts, 50)
	for i := range 2 {
		p.Click(fmt.Sprintf(`checkbox "Select %s"`, tw.posts[i].name(t)))
	}
	p.Click(`button "Not relevant…"`)
	waitForText(p, "Choose at least one.")
	p.WaitFor(`dialog "Exclude posts like these 2"`)
	p.Fill(`textbox "Another word or phrase"`, "number 0")
	p.Press("Enter")
	p.WaitText(`.exclusion-result strong`, "Removes 1 of 2 selected posts and no other posts.")
	p.Fill(`textbox "Another word or phrase"`, "great")
	p.Press("Enter")
	p.WaitText(`.exclusion-result strong`, "Removes 2 of 2 selected posts and 3 other posts.")
	p.Click(`checkbox "great"`)
	p.WaitText(`.exclusion-result code`, tw.keyword+` AND NOT "number 0"`)
	p.AxeInTurn()
	p.Click(`button "Review the query"`)
	waitForText(p, "Saving it also rematches stored posts.")
	checkEqual(t, "posts before saving", len(tw.postsOf(tw.monitor, "", false)), 5)
	p.Click(`button "Save changes"`)
	waitForText(p, "Changes saved.")
	tw.waitUntil("the post is excluded", func() bool { return len(tw.postsOf(tw.monitor, "", false)) == 4 })
	p.WaitUntil(`!location.search.includes("keywords")`)
}
