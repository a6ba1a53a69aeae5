package geo

import "strings"

// A role is the function of a word in a location.
type role uint8

const (
	noRole      role = iota
	modifier         // describes a place: north, city, sunny
	preposition      // precedes a place: in, near
	birthplace       // indicates where someone is from: born, native
	residence        // indicates where someone lives: based, now
	notAPlace        // names something that is not in the gazetteer: planet, heart, university
	street           // names a street after the name of a place
)

// roleWords lists the words that have a role.
type roleWords struct {
	role  role
	words string
}

// roleVocabulary covers the most common languages of locations. No word has two roles.
var roleVocabulary = []roleWords{
	{modifier, `
		the city state county area region province prefecture district town village island coast republic country
		north south east west northern southern eastern western northeast northwest southeast southwest central mid
		ne nw se sw n s e w downtown uptown midtown greater metro metropolitan inner outer upper lower upstate
		suburb suburbs suburban outskirts somewhere beautiful sunny rainy cloudy cold windy rural proud mostly mainly
		and of to via x y und et
		la el le les los las il lo o os as das die der den het de del du des da do di
		ciudad cidade estado provincia ville stadt land norte sul este oeste nord sud ost zona centro
		г город область край республика
		市 都 府 県 縣 区 區 省 州 国 國 町 村 の 在 住 民 出 身 人 中 시 도 구 광역시 특별시`},
	{preposition, `
		in at near around outside nr close en em im aus bei nahe a sur dans près desde cerca
		z ve v na no i på fra från uit te dal в из на`},
	{birthplace, `
		from born native originally raised bred grew formerly ex hometown roots made
		nacido nacida nací natural originario originaria née nascido nascida nata nato`},
	{residence, `
		living live lives based now currently residing resident reside resides located staying relocated
		vivo vive viviendo vivendo moro mora morando radicado radicada resido
		wohne wohnhaft lebe habite vis vivant basé basée
		ahora actualmente agora atualmente aktuell derzeit maintenant`},
	{notAPlace, `
		earth planet world worldwide global globe everywhere nowhere anywhere internet online web cyberspace metaverse
		heaven hell paradise eden utopia limbo purgatory void abyss space moon mars pluto saturn venus galaxy universe cosmos
		hogwarts wakanda narnia neverland gotham asgard mordor westeros winterfell konoha atlantis wonderland hyrule azkaban
		tatooine riverdale smallville metropolis heart bed mind head dreams dream dreamland imagination couch sofa bathroom
		kitchen closet basement toilet forest woods jungle beach love home here there bio insta ig snap dm
		university uni college school academy hospital church club cafe hotel
		asia africa europe europa caribbean
		tierra mundo terra monde erde welt casa cama corazón coração maison zuhause`},
	{street, `street road rd avenue ave boulevard blvd lane`},
}

// roles maps normalized words to their roles.
var roles = roleTable(roleVocabulary)

func roleTable(lists []roleWords) map[string]role {
	table := map[string]role{}
	for _, l := range lists {
		for word := range strings.FieldsSeq(l.words) {
			table[Normalize(word)] = l.role
		}
	}
	return table
}

// roleLengths has a bit for the length of each word with a role, by its first byte. Most words have no
// role, and this says so faster than a map.
var roleLengths = func() (lengths [256]uint32) {
	for word := range roles {
		lengths[word[0]] |= 1 << min(len(word), 31)
	}
	return lengths
}()

// mayHaveRole reports whether a normalized word may have a role.
func mayHaveRole(word []byte) bool {
	return len(word) > 0 && roleLengths[word[0]]&(1<<min(len(word), 31)) != 0
}

// rolesAfter are the roles of words that follow a place: London based, Texas native.
var rolesAfter = map[string]role{
	"based": residence, "resident": residence,
	"born": birthplace, "native": birthplace, "raised": birthplace, "bred": birthplace, "made": birthplace,
}
