package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"earshot"
)

// overviewParts are the parts of the overview that cards show.
var overviewParts = map[earshot.CardKind]string{
	earshot.FiguresCard: "days,categories,previous,authors", earshot.VolumeCard: "days,hours,previous,unusual",
	earshot.SentimentCard: "days,hours,categories", earshot.EmotionsCard: "days,hours,emotions", earshot.SourcesCard: "sources",
	earshot.SitesCard: "sites", earshot.LanguagesCard: "languages", earshot.PlacesCard: "places", earshot.AgesCard: "ages",
	earshot.GendersCard: "genders", earshot.HashtagsCard: "hashtags", earshot.WordsCard: "words", earshot.AuthorsCard: "authors",
	earshot.InterestsCard: "interests", earshot.ClockCard: "clock",
}

// TestCardsEqualTheirPages checks that a card that is counted together with others has exactly the
// numbers that the page of its monitor has.
func TestCardsEqualTheirPages(t *testing.T) {
	a, err := Open(context.Background(), testConfig(t), accessOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ready(t, a)
	w := newAccessWorld(t, a)
	for _, monitor := range []string{"monitor", "opinion"} {
		var cards []string
		for _, kind := range earshot.CardKinds {
			switch kind {
			case earshot.ComparisonCard:
				cards = append(cards, w.fill(fmt.Sprintf(`{"kind":"comparison","rows":[{"monitor":{%s}}]}`, monitor)))
			case earshot.TextCard:
				cards = append(cards, `{"kind":"text","text":"t"}`)
			default:
				cards = append(cards, w.fill(fmt.Sprintf(`{"kind":"%s","monitor":{%s}}`, kind, monitor)))
			}
		}
		id := w.create("dashboards", w.fill(`{"name":"All {n}","team":{team},"cards":[`+strings.Join(cards, ",")+`]}`))
		const days = "start=2026-03-01&end=2026-03-08"
		var all struct{ Items []map[string]json.RawMessage }
		w.decode(w.admin("GET", "/manage/v1/dashboards/"+id+"/cards?"+days, ""), &all)
		for i, kind := range earshot.CardKinds {
			item := all.Items[i]
			if got, want := string(item["id"])+string(item["error"]), fmt.Sprint(i+1, `""`); got != want {
				t.Fatalf("%s of %s: got %s, want %s", kind, monitor, got, want)
			}
			var alone map[string]json.RawMessage
			w.decode(w.admin("GET", fmt.Sprintf("/manage/v1/dashboards/%s/cards/%d?%s", id, i+1, days), ""), &alone)
			for name, value := range alone {
				if !bytes.Equal(value, item[name]) {
					t.Errorf("%s of %s: got %s %s with other cards, and %s alone", kind, monitor, name, item[name], value)
				}
			}
			if kind == earshot.UnusualCard {
				page := w.admin("GET", w.fill(fmt.Sprintf("/manage/v1/monitors/{%s}/incidents?%s", monitor, days)), "")
				if want := bytes.TrimSpace(page.Body.Bytes()); !bytes.Equal(item["incidents"], want) {
					t.Errorf("incidents of %s: got %s, want %s as on the page", monitor, item["incidents"], want)
				}
			}
			if overviewParts[kind] == "" {
				continue
			}
			page := w.admin("GET", w.fill(fmt.Sprintf("/manage/v1/monitors/{%s}/overview?%s&parts=%s", monitor, days, overviewParts[kind])), "")
			if want := bytes.TrimSpace(page.Body.Bytes()); !bytes.Equal(item["overview"], want) {
				t.Errorf("%s of %s: got %s, want %s as on the page", kind, monitor, item["overview"], want)
			}
		}
	}
}
