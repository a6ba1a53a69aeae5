package incident_test

import (
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
	"earshot/internal/workspace/incident"
)

// A story is an event in the posts about a brand. Its posts are filled with the brand ({b}) and random
// details ({n}: a number, {p}: a person, {t}: a town).
type story struct {
	brand, zone string
	perHour     float64 // posts of an average hour before it
	begins      string  // local time
	hours       int
	times       float64  // posts of its first hour, as a multiple of perHour
	first       string   // who noticed it
	spread      string   // whose post gets the most engagement
	cause       []string // one of these names it
	posts       []string
}

// stories are different from those of the demo: in cause, size, length, time zone, time of day and language.
var stories = []story{
	{"Halvorsen", "Europe/Oslo", 12, "2025-06-11 09:00", 14, 8, "ingrid_l", "nordnytt", []string{"strike", "drivers"}, []string{
		"{b} drivers are on strike since this morning", "no bus today, the {b} strike has begun", "stuck in {t} because {b} drivers strike",
		"the union says {n} drivers joined the strike at {b}", "solidarity with the striking drivers of {b}", "how long will this {b} strike last? asking from {t}",
		"{p} says the strike at {b} will go on", "walked {n} km to work, thanks {b}", "cannot get home from {t}, thanks {b}",
	}},
	{"Quillmark", "America/Chicago", 15, "2025-06-17 16:00", 9, 6, "devnull_dana", "securityweekly_", []string{"data breach", "breach", "passwords", "leaked"}, []string{
		"{b} confirms a data breach of {n} thousand accounts", "change your passwords, {b} had a data breach", "just got the email about the {b} data breach",
		"{b} leaked my passwords, deleting my account", "why does {b} store passwords in plain text? that breach is on them", "{p} explains what was leaked in the {b} breach",
		"the {b} breach includes addresses from {t}", "so {b} knew about it for {n} weeks", "goodbye {b}",
	}},
	{"Banyan Air", "Asia/Tokyo", 6, "2025-06-03 06:00", 20, 9, "kenjitravels", "skywatch", []string{"runway", "engine fire", "fire"}, []string{
		"engine fire on a {b} plane at {t}", "{b} flight stopped on the runway with an engine fire", "everyone is safe after the {b} engine fire, says {p}",
		"video of the {b} fire on the runway", "my {b} flight to {t} is canceled because the runway is closed", "runway closed for {n} hours after the {b} fire",
		"thank you to the crew of {b}", "{n} passengers left the {b} plane on slides",
	}},
	{"Lumenor", "Europe/Berlin", 8, "2025-06-20 13:00", 10, 7, "strom_stefan", "verbraucherblick", []string{"Preiserhöhung", "Preise", "Strompreis", "preis"}, []string{
		"{b} kündigt eine Preiserhöhung um {n} Prozent an", "schon wieder eine Preiserhöhung bei {b}", "nach der Preiserhöhung von {b} wechsle ich den Anbieter",
		"Preiserhöhung bei {b}: was Kunden in {t} jetzt tun können", "{b} begründet die Preiserhöhung mit den Netzkosten", "{p} kritisiert die Preiserhöhung von {b}",
		"Sonderkündigungsrecht bei {b} wegen der Preiserhöhung nutzen", "{n} Euro mehr im Monat an {b}, nein danke",
	}},
	{"Casa Verano", "Europe/Madrid", 5, "2025-06-07 21:00", 12, 11, "maria_gp", "laura_estrella", []string{"canción", "concierto", "anuncio"}, []string{
		"la canción del anuncio de {b} es increíble", "no dejo de escuchar la canción del anuncio de {b}", "¿quién canta en el anuncio de {b}?",
		"{p} canta en el anuncio de {b} y estoy llorando", "el anuncio de {b} con esa canción, qué maravilla", "en {t} todos cantan la canción de {b}",
		"{n} veces he visto ya el anuncio de {b}", "bravo {b}",
	}},
	{"Pendrake", "America/Los_Angeles", 20, "2025-06-24 10:00", 6, 5, "lineup_lee", "buildguide", []string{"#pendrakefold", "fold", "foldable"}, []string{
		"{b} just announced a foldable for {n} dollars #pendrakefold", "the new {b} foldable looks great #pendrakefold", "ordering the {b} fold today",
		"who needs a foldable from {b}? #pendrakefold", "{p} tried the {b} fold: thin but heavy", "#pendrakefold is sold out in {t}", "{b} fold or not, the battery is still small #pendrakefold",
	}},
	{"Osterly", "Europe/London", 10, "2025-06-13 07:00", 10, 7, "priya_reads", "thecourtreporter", []string{"fined", "fine", "regulator"}, []string{
		"{b} fined {n} million pounds by the regulator", "the regulator has fined {b} over hidden fees", "{b} fined again, nothing will change",
		"will {b} customers in {t} get any of that fine?", "{p} on why the regulator fined {b}", "a record fine for {b}", "hidden fees, finally someone noticed. shame on {b}",
	}},
	{"Tamarack", "America/Toronto", 15, "2025-06-18 19:00", 5, 9, "rinkside_ray", "canuckclips", []string{"commercial", "halftime", "goose"}, []string{
		"that {b} goose commercial was the best part of the game", "the goose in the {b} commercial!!!", "I need a plush of the {b} goose", "crying at the {b} goose commercial",
		"{p} voiced the {b} goose", "everyone in {t} is talking about the {b} goose", "{n} times I rewound the {b} goose commercial", "well played {b}",
	}},
	{"Nimbus Foods", "Australia/Sydney", 9, "2025-06-10 11:00", 16, 6, "mumof3_syd", "foodsafetywatch", []string{"salmonella", "oats", "recall"}, []string{
		"salmonella found in {b} oats", "throw away your {b} oats, salmonella", "{b} recalls oats after {n} people got salmonella", "my kids ate {b} oats this morning, should I worry about salmonella?",
		"shops in {t} take {b} oats off the shelves", "{p}: wash your hands after touching those {b} oats", "never buying {b} again",
	}},
	{"Veloria", "Europe/Paris", 7, "2025-06-26 08:00", 9, 8, "cycliste_paul", "inforoute", []string{"panne", "application"}, []string{
		"l'application de {b} est en panne", "panne chez {b}, impossible de rendre mon vélo", "encore une panne de l'application {b} à {t}", "{b} en panne depuis {n} minutes",
		"{b} me facture {n} euros à cause de la panne", "{p} bloqué par la panne de {b}", "merci {b}, je marche",
	}},
}

// small are subjects that people always talk about, in the language of the zone.
var smallTalk = map[string][]string{
	"": {
		"{b} in {t} was fine today", "anyone tried {b} lately?", "my {n}th visit to {b}", "{p} recommended {b} to me", "I like the new colors of {b}", "customer service at {b} answered after {n} minutes",
		"{b} has friendly people in {t}", "got a voucher for {b}", "waiting for my {b} order", "the {b} newsletter is too long", "is {b} open on Sunday in {t}?", "{b} opened a store in {t}",
		"lunch near {b} with {p}", "{b} shares are up {n} percent", "another day, another {b} coupon", "I work at {b} since {n} months", "parking at {b} in {t} is hard", "the {b} website is slow on my phone",
	},
	"Europe/Berlin": {
		"{b} in {t} war heute in Ordnung", "hat jemand Erfahrung mit {b}?", "mein {n}. Besuch bei {b}", "{p} hat mir {b} empfohlen", "die neuen Farben von {b} gefallen mir", "{b} hat einen Laden in {t} eröffnet",
		"der Kundendienst von {b} war freundlich", "warte auf meine Bestellung von {b}", "Gutschein für {b} bekommen", "hat {b} am Sonntag in {t} offen?", "die Webseite von {b} lädt langsam", "ich arbeite seit {n} Monaten bei {b}",
	},
	"Europe/Madrid": {
		"{b} en {t} estuvo bien hoy", "¿alguien conoce {b}?", "mi visita número {n} a {b}", "{p} me recomendó {b}", "me gustan los colores nuevos de {b}", "{b} abrió una tienda en {t}", "espero mi pedido de {b}",
		"tengo un cupón de {b}", "¿abre {b} el domingo en {t}?", "trabajo en {b} desde hace {n} meses", "la web de {b} va lenta", "comimos cerca de {b} con {p}",
	},
	"Europe/Paris": {
		"{b} à {t} c'était bien aujourd'hui", "quelqu'un connaît {b} ?", "ma {n}e visite chez {b}", "{p} m'a conseillé {b}", "j'aime les nouvelles couleurs de {b}", "{b} ouvre une boutique à {t}", "j'attends ma commande {b}",
		"un bon de réduction chez {b}", "{b} est ouvert dimanche à {t} ?", "le site de {b} est lent", "déjeuner près de {b} avec {p}", "je travaille chez {b} depuis {n} mois",
	},
}

// languages are those of zones in which people do not post in English.
var languages = map[string]string{"Europe/Berlin": "de", "Europe/Madrid": "es", "Europe/Paris": "fr"}

const historyDays = 42

// A world is the posts about a brand.
type world struct {
	*testing.T
	*story
	r       *rand.Rand
	loc     *time.Location
	start   time.Time
	end     time.Time
	store   *memory.Store
	service *incident.Service
	monitor *earshot.Monitor
	posts   []poststore.MatchedPost
}

// newWorld makes six weeks of small talk before the beginning of a story, and ten days after.
func newWorld(t *testing.T, s *story, seed uint64) *world {
	t.Helper()
	w := &world{T: t, story: s, r: rand.New(rand.NewPCG(seed, 7)), store: memory.New()}
	var err error
	if w.loc, err = time.LoadLocation(s.zone); err != nil {
		t.Fatal(err)
	}
	begins := w.beginning()
	w.start = earshot.DateOf(begins).AddDays(-historyDays).Start(w.loc)
	w.end = earshot.DateOf(begins).AddDays(10).Start(w.loc)
	templates := smallTalk[s.zone]
	if templates == nil {
		templates = smallTalk[""]
	}
	for hour := w.start; hour.Before(w.end); hour = hour.Add(time.Hour) {
		w.add(hour, w.count(s.perHour*w.profile(hour)), templates, 400)
	}
	records, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return w.end }
	w.service = &incident.Service{Insight: &insight.Service{Store: w.store, Now: now}, Filters: &filter.Service{}, Catalog: records, Now: now, Log: slog.New(slog.DiscardHandler)}
	w.monitor = &earshot.Monitor{
		ID: 1, Team: 3, Name: s.brand, Type: earshot.Buzz, Timezone: s.zone, Start: earshot.DateOf(w.start), Enabled: true, Criteria: earshot.Criteria{Keywords: fmt.Sprintf("%q", s.brand)},
	}
	return w
}

func (w *world) beginning() time.Time {
	at, err := time.ParseInLocation("2006-01-02 15:04", w.begins, w.loc)
	if err != nil {
		w.Fatal(err)
	}
	return at
}

// profile is how busy an hour is: quiet at night, half as busy on weekends, with a mean of about 1.
func (w *world) profile(hour time.Time) float64 {
	busy := 1 - 0.8*math.Cos(2*math.Pi*(float64(hour.Hour())-3)/24)
	if day := hour.Weekday(); day == time.Saturday || day == time.Sunday {
		busy /= 2
	}
	return busy
}

// count returns a random number of posts, whose variance is about twice the mean.
func (w *world) count(mean float64) (n int) {
	for left := mean * (1 + 0.3*w.r.NormFloat64()/max(1, math.Sqrt(mean)/2)); left > 0; n++ {
		left -= w.r.ExpFloat64()
	}
	return max(0, n-1)
}

// add adds posts in an hour by random authors.
func (w *world) add(hour time.Time, n int, templates []string, authors int) {
	for range n {
		w.post(fmt.Sprintf("user%d", w.r.IntN(authors)), hour.Add(time.Duration(w.r.Int64N(int64(time.Hour)))), templates[w.r.IntN(len(templates))])
	}
}

func (w *world) post(author string, at time.Time, template string) *earshot.Post {
	pick := func(list ...string) string { return list[w.r.IntN(len(list))] }
	text := strings.NewReplacer("{b}", w.brand, "{n}", fmt.Sprint(2+w.r.IntN(90)),
		"{p}", pick("Alma", "Boris", "Chiara", "Dmitri", "Esme", "Farid", "Greta", "Hugo")+" "+pick("Lindqvist", "Okafor", "Petrov", "Rossi", "Tanaka", "Weber"),
		"{t}", pick("Ashford", "Brixton Bay", "Corvale", "Dunmore", "Eastgate", "Fernhill", "Grantley", "Holmwood")).Replace(template)
	p := earshot.Post{Source: earshot.Twitter, GUID: fmt.Sprintf("%08d", len(w.posts)), AuthorUsername: author, Language: languages[w.zone], Contents: text + pick("", ".", "!", " 🙂", "..."), Time: at, Likes: earshot.Counted(w.r.Int64N(4))}
	w.posts = append(w.posts, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(1)}})
	return &w.posts[len(w.posts)-1].Post
}

// tell adds the posts of the story, which fade over its hours.
func (w *world) tell() {
	begins := w.beginning()
	w.post(w.first, begins.Add(2*time.Minute), w.story.posts[0])
	w.post(w.spread, begins.Add(50*time.Minute), w.story.posts[1]).Likes = earshot.Counted(30_000)
	for h := range w.hours {
		n := int(w.perHour * w.times * math.Pow(0.25, float64(h)/float64(w.hours)))
		for range n {
			hour := begins.Add(time.Duration(h)*time.Hour + 3*time.Minute)
			w.post(fmt.Sprintf("user%d", w.r.IntN(2000)), hour.Add(time.Duration(w.r.Int64N(int64(57*time.Minute)))), w.story.posts[w.r.IntN(len(w.story.posts))])
		}
	}
}

// summarize returns the incidents and the summary of the last 30 days.
func (w *world) summarize() (incident.List, incident.Summary) {
	w.Helper()
	if err := w.store.Append(w.Context(), 1, w.posts); err != nil {
		w.Fatal(err)
	}
	q := incident.Query{Caller: &earshot.Caller{}, Monitor: w.monitor, Days: earshot.Days{Start: earshot.DateOf(w.end).AddDays(-30), End: earshot.DateOf(w.end)}}
	list, err := w.service.Find(w.Context(), q)
	if err != nil {
		w.Fatal(err)
	}
	sum, err := w.service.Summary(w.Context(), q, w.end.AddDate(0, 0, -30), w.end)
	if err != nil {
		w.Fatal(err)
	}
	return list, sum
}

// A verdict is what was found in the world of a story.
type verdict struct {
	incidents         int // that should be one
	isDated, isCaused bool
	areAuthors        bool // who noticed and who spread it
	title, text       string
	from              time.Time
}

// judge compares what is found with what was planted.
func (w *world) judge() (v verdict) {
	w.Helper()
	w.tell()
	list, sum := w.summarize()
	v.incidents, v.text = len(list.Incidents), sum.Text
	v.areAuthors = containsAny(v.text, w.first) && containsAny(v.text, w.spread)
	for _, i := range list.Incidents {
		v.title, v.from = i.Title, i.From
		v.isDated = i.From.Equal(w.beginning())
		v.isCaused = containsAny(v.title, w.cause...) && containsAny(v.text, w.cause...)
	}
	return v
}

// TestStories finds planted stories: nothing else, at the hour in which they begin. Their titles and
// summaries name the cause, and who noticed and spread it.
func TestStories(t *testing.T) {
	for i := range stories {
		t.Run(stories[i].brand, func(t *testing.T) {
			t.Parallel()
			if v := newWorld(t, &stories[i], uint64(i)).judge(); v.incidents != 1 || !v.isDated || !v.isCaused || !v.areAuthors {
				t.Errorf("got %+v, want one at %s about %q, noticed by %s, spread by %s", v, stories[i].begins, stories[i].cause, stories[i].first, stories[i].spread)
			}
		})
	}
}

// TestQuiet finds no incidents where there are none.
func TestQuiet(t *testing.T) {
	for i := range stories {
		t.Run(stories[i].brand, func(t *testing.T) {
			t.Parallel()
			list, sum := newWorld(t, &stories[i], uint64(100+i)).summarize()
			if len(list.Incidents) > 0 || !strings.HasPrefix(sum.Text, "Nothing unusual happened ") {
				t.Errorf("got %+v, %q", list.Incidents, sum.Text)
			}
		})
	}
}

var (
	repeat = flag.Int("repeat", 10, "`number` of times that each story is told")
	seed   = flag.Uint64("seed", 1, "random seed: each `number` makes other posts")
)

// TestMeasure counts how many stories are found, dated and explained, and how many incidents are found
// where there are none, in posts other than those of the tests.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	var r struct{ Stories, Single, Dated, Caused, Authors, Quiet, False int }
	for k := range *repeat {
		for i := range stories {
			from := *seed<<32 + uint64(k*len(stories)+i)
			v := newWorld(t, &stories[i], from).judge()
			r.Stories++
			for _, c := range []struct {
				n  *int
				ok bool
			}{{&r.Single, v.incidents == 1}, {&r.Dated, v.isDated}, {&r.Caused, v.isCaused}, {&r.Authors, v.areAuthors}} {
				if c.ok {
					*c.n++
				}
			}
			if v.incidents != 1 || !v.isDated || !v.isCaused || !v.areAuthors {
				t.Logf("%s: %+v", stories[i].begins, v)
			}
			list, _ := newWorld(t, &stories[i], from+1<<31).summarize()
			r.Quiet++
			r.False += len(list.Incidents)
		}
	}
	testenv.LogJSON(t, r)
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(word)) })
}

// period returns the summary of a period.
func (w *world) period(filter string, from, to time.Time) incident.Summary {
	w.Helper()
	s, err := w.service.Summary(w.Context(), incident.Query{Caller: &earshot.Caller{}, Monitor: w.monitor, Filter: filter}, from, to)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// TestOtherPeriods sums up periods without incidents.
func TestOtherPeriods(t *testing.T) {
	w := newWorld(t, &stories[1], 3)
	w.tell()
	list, _ := w.summarize()
	day := func(n int) time.Time { return earshot.DateOf(w.start).AddDays(n).Start(w.loc) }
	for _, c := range []struct{ filter, text, prefix string }{
		{"", w.period("", day(20), day(21)).Text, "Nothing unusual happened on May 26: Quillmark had "},
		{"", w.period("", day(20), day(27)).Text, "Nothing unusual happened from May 26 to Jun 1: Quillmark had "},
		{"", w.period("", day(20).Add(7*time.Hour), day(20).Add(9*time.Hour)).Text, "Nothing unusual happened on May 26 from 7 AM to 9 AM: Quillmark had "},
		{"", w.period("", day(1), day(2)).Text, "Quillmark had "},
		{"", w.period("", day(-3), day(-2)).Text, "Quillmark had no posts on May 3"},
		{"keywords:breach", w.period("keywords:breach", w.end.AddDate(0, 0, -30), w.end).Text, "From Jun 17 at 4 PM to Jun 18 at 1 AM, Quillmark had 318 posts, where none were expected; 100% of the additional posts are about “breach”."},
	} {
		if !strings.HasPrefix(c.text, c.prefix) || strings.Contains(c.text, "NaN") {
			t.Errorf("%q: got %q, want %q", c.filter, c.text, c.prefix)
		}
	}
	if got := w.period("", day(1), day(2)).Text; !strings.Contains(got, "Earshot knows what is usual for it after a few weeks of posts") {
		t.Errorf("young monitor: got %q", got)
	}
	shown := list.Incidents[0].ForVisitors()
	if shown.Monitor.ID != 0 || len(shown.Signals) > 0 || shown.Topics[0].Filter != "" || shown.Topics[0].Name == "" {
		t.Errorf("got %+v for visitors", shown)
	}
	if _, err := w.service.Summary(t.Context(), incident.Query{Caller: &earshot.Caller{}, Monitor: w.monitor, Filter: "nonsense"}, day(20), day(21)); err == nil {
		t.Error("a malformed filter was accepted")
	}
}

// TestHostileNames checks that what others wrote stays part of one line.
func TestHostileNames(t *testing.T) {
	hostile := stories[3]
	hostile.first = "evil\u202e\n\x00<b>one</b>"
	hostile.spread = strings.Repeat("long", 200)
	w := newWorld(t, &hostile, 9)
	w.monitor.Name = "Bad\nname\u2066 \x07" + strings.Repeat("x", 300)
	w.tell()
	list, sum := w.summarize()
	for _, text := range []string{sum.Text, list.Incidents[0].Title} {
		if strings.ContainsAny(text, "\n\x00\x07\u202e\u2066") || len(text) > 1200 {
			t.Errorf("got %q", text)
		}
	}
	if !strings.Contains(sum.Text, "evil <b>one</b>") {
		t.Errorf("got %q, want the first author", sum.Text)
	}
}
