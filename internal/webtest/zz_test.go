package webtest
import "testing"
func TestZZ(t *testing.T) {
	w := here(t)
	p := w.signedIn(t, "/admin?tab=users")
	p.Click(`button "New user"`)
	p.Fill(`textbox "User name"`, "zz")
	p.Eval(`(window.ev=[], ["keydown","keypress","keyup","submit","input"].forEach(k => addEventListener(k, e => { const d=e.defaultPrevented; setTimeout(()=>ev.push(k+" "+(e.key??"")+" "+d+" "+e.defaultPrevented+" "+(e.target.getAttribute("role")||e.target.tagName)),0) }, true)), 0)`, nil)
	p.Fill(`combobox "Teams"`, "oth")
	p.WaitFor(`option "Other"`)
	p.Press("Enter")
	p.WaitFor(`button "Remove Other"`)
	var ev []string
	p.Eval(`ev`, &ev)
	t.Logf("%q", ev)
	t.Log(p.Texts(`checkbox /Own/`), p.Count("dialog"))
	p.Click(`checkbox /^Own content/`)
	p.Eval(`ev`, &ev)
	t.Logf("%q", ev)
}
