package people

import "strings"

// A class is a set of meanings that a word may have in a bio.
type class uint64

const (
	femaleRole class = 1 << iota // role of the author: mother, actress
	maleRole
	wifely        // the author's partner is a woman: my wife
	husbandly     // the author's partner is a man: my husband
	possessive    // my
	introduction  // precedes one's own name: I'm, call me
	shePronoun    // in she/her
	hePronoun     // in he/him
	theyPronoun   // in they/them
	femaleTitle   // precedes a name: Mrs
	maleTitle     // Mr
	title         // title without a gender: Dr
	companyForm   // occurs in company names: GmbH
	companyOnly   // occurs in display names of companies, rarely of people: garage
	newsWord      // occurs in handles of news media, rarely of people: gazette
	cityName      // a first name that is also a city with news media: charlotte
	brandName     // a brand that reads like a first name, written as one word
	commonWord    // a word that is rarely a name
	parentWord    // precedes "of three": mom
	severalWord   // three and more
	olderWord     // implies an age of 35 or older: grandma, retired
	highWord      // precedes school
	schoolWord    // follows high
	pupilWord     // implies an age under 18 on its own: highschooler
	collegeWord   // university
	studentWord   // student, freshman
	undergradWord // implies a student of 18 to 24 on its own
	doctoralWord  // precedes student: PhD
	gradeWord     // follows 8th
	classWord     // precedes "of 2024"
	ofWord        // of
	bornWord      // precedes a year of birth
	ageWord       // precedes an age
	amWord        // I am, precedes an age
	turningWord   // precedes the next age
	yearWord      // precedes old
	oldWord       // follows years
	yearsOldWord  // years old in one word: yo, años
	spentWord     // follows years that were spent on something, so they are not an age
	seasonedWord  // occurs with a number of years: experience, married
	smallWord     // may occur between these: of, in
	othersWord    // the following age is not the author's: my, son
	articleWord   // a, in "of a"
	scriptureWord // precedes a chapter number
	shortForm     // short first name; its bearers are as old as those of the long form
	sinceWord     // precedes the year in which a company was founded
	weWord        // the author is more than one person
	meWord        // the author is one person
)

// lexicon lists words by class, in folded letters. A word may have several classes.
var lexicon = []struct {
	class class
	words string
}{
	{femaleRole, `mother mom mum mummy mommy mama mamma momma mam wife girl woman lady queen princess daughter sister
		actress grandma grandmother granny aunt auntie female goddess housewife businesswoman bride fiancee sorority
		ballerina heroine waitress hostess duchess countess baroness gal chick girlfriend lesbian girly
		mami madre esposa hija mujer chica actriz abuela reina hermana profesora escritora 
		mae mulher menina filha atriz rainha maman femme fille mere actrice reine soeur
		mutter frau madchen tochter schauspielerin autorin studentin lehrerin journalistin
		moglie donna ragazza figlia attrice moeder vrouw meisje mamma kvinna tjej zona kobieta dziewczyna matka
		anneyim kadin мама жена девушка женщина мать дочь актриса бабушка`},
	{maleRole, `father dad daddy husband guy man king prince son brother actor grandpa grandfather granddad uncle male
		gentleman businessman hubby boy bachelor groom dude bro fraternity duke baron fella lad bloke waiter boyfriend
		papa padre esposo marido hijo hombre chico abuelo rey hermano profesor escritor
		pai homem menino filho ator rei mari homme garcon pere acteur roi frere
		vater mann ehemann schauspieler autor lehrer marito uomo ragazzo figlio attore vader jongen
		kille pappa maz mezczyzna chlopak ojciec babayim erkek папа муж парень мужчина отец сын актер дедушка`},
	{wifely, `wife wifey girlfriend gf missus fiancee esposa novia femme frau freundin moglie ragazza`},
	{husbandly, `husband hubby boyfriend bf fiance esposo marido novio mari mann freund marito ragazzo`},
	{possessive, `my mi meine mein mon ma mia mio moya minha meu`},
	{introduction, `im am is named call called me its hi hey hello name soy yo llamo suis appelle bin heisse sono`},
	{shePronoun, `she her hers ella elle sie lei ela она`},
	{hePronoun, `he him his el il er lui ele он`},
	{theyPronoun, `they them theirs elles ellx iel xe xem ze zir`},
	{femaleTitle, `mrs ms miss mz madam lady sra srta senora senorita mme mlle frau signora dona dame`},
	{maleTitle, `mr mister sir lord sr senor don herr monsieur signor master`},
	{title, `dr prof professor doctor doc rev reverend capt captain col sgt the real iam its im`},
	{companyForm, `inc llc ltd gmbh plc corp corporation co ag sa srl bv oy ab pty limited company group holdings
		foundation association institute university college ministry department council official news times radio tv
		magazine store shop restaurant hotel bank agency studio studios consulting solutions services media church
		club fc museum library academy`},
	{companyOnly, `inc llc ltd gmbh plc corp corporation srl bv pty limited company holdings foundation association
		institute university ministry department council news radio tv magazine store shop restaurant hotel bank agency
		studio studios consulting solutions services media club fc afc cf sc museum library academy garage motors
		bakery cafe pizzeria pharmacy airlines insurance records brewery gym salon dealership
		online times today gazette tribune newspaper observer chronicle weekly`},
	{newsWord, `news online post daily magazine gazette tribune herald newspaper observer chronicle journal weekly press
		media network`},
	{cityName, `austin brooklyn charlotte chelsea dallas denver florence houston jackson kent lincoln london madison paris
		phoenix savannah sydney trenton vienna`},
	{brandName, `mercedesbenz mercedesamg wendys benjerrys victoriassecret jackdaniels johnniewalker jimbeam samueladams
		captainmorgan josecuervo papajohns jimmyjohns traderjoes arbys carlsjr macys kohls lowes dillards levis
		barnesnoble anntaylor eddiebauer bettycrocker auntjemima unclebens littledebbie saralee marykay esteelauder
		elizabetharden bobbibrown charlottetilbury paulmitchell johndeere harleydavidson astonmartin alfaromeo rollsroyce
		morganstanley jpmorgan charlesschwab bensherman fredperry hugoboss jimmychoo louisvuitton christiandior
		yvessaintlaurent calvinklein tommyhilfiger ralphlauren michaelkors marcjacobs katespade toryburch dolcegabbana
		giorgioarmani harveynichols marksspencer jackwills drmartens stellaartois jackinthebox ferrerorocher`},
	{commonWord, `able any can case con dare else even ever forever free general given great hence less little long man
		million minus my name non novel ok other per ran said saw say see seven shed shell shown so soon tell than tip
		truly via welcome will won wonder young`},
	{parentWord, `mother mom mum mummy mommy mama momma dad daddy father parent papa madre padre maman mutter vater`},
	{severalWord, `three four five six seven eight tres cuatro cinco trois quatre drei vier`},
	{olderWord, `grandma grandmother granny grandpa grandfather granddad grandparent grandkids grandchildren
		granddaughters grandsons retired retiree pensioner abuela abuelo grossmutter grossvater rentner rentnerin
		retraite retraitee jubilado jubilada aposentado aposentada pensionato бабушка дедушка пенсионер пенсионерка`},
	{highWord, `high middle secondary`},
	{schoolWord, `school hs`},
	{pupilWord, `highschooler schoolgirl schoolboy gymnasiast lyceenne lyceen школьник школьница`},
	{collegeWord, `college university uni univ universidad universite universitat`},
	{studentWord, `student candidate freshman sophomore junior senior estudiante etudiant etudiante studentin`},
	{undergradWord, `undergrad undergraduate`},
	{doctoralWord, `phd doctoral dphil`},
	{gradeWord, `grade grader`},
	{classWord, `class`},
	{ofWord, `of de di von`},
	{bornWord, `born b bday birthday nacido nacida geboren nato nata nascido nascida`},
	{ageWord, `age aged edad idade alter eta возраст`},
	{amWord, `im am`},
	{turningWord, `turning almost nearly`},
	{yearWord, `year years yr yrs`},
	{oldWord, `old young`},
	{yearsOldWord, `yo yearold yearsold anos ans jahre anni jaar lat лет года tahun yasinda vuotta`},
	{spentWord, `of de d in experience as with together and on doing working playing dans di in im als nel`},
	{seasonedWord, `experience married`},
	{smallWord, `of in the my for to and`},
	{othersWord, `my our your their son sons daughter daughters kid kids child children baby brother sister nephew niece
		grandson granddaughter wife husband hubby dad daddy father mum mom mommy mummy mother parent
		mi mis mein meine meiner meines unser unsere mon ma mes notre mio mia minha meu
		hijo hija sohn tochter fils fille figlio figlia filho filha мой моя мои сын дочь дочка`},
	{articleWord, `a an un una ein eine einer eines um uma`},
	{scriptureWord, `psalm psalms salmo salmos psaume psaumes proverbs proverbios romans romanos corinthians corintios
		genesis exodus leviticus deuteronomy ecclesiastes isaiah jeremiah ezekiel philippians ephesians galatians
		colossians thessalonians hebrews hebreos revelation revelations apocalypse gospel bible quran koran surah sura`},
	{sinceWord, `since est established founded seit depuis desde dal sinds`},
	{weWord, `we us our ours wir uns unser unsere nous notre nos nosotros nuestro nuestra noi nostro nostra`},
	{meWord, `i im me my mine ich mein meine je mon ma mes yo mi mio mia`},
	{shortForm, `al andy angie barb ben beth betsy bill billy bob bobby brad cathy charlie chris chuck cindy dan danny dave
		deb debbie don ed eddie fran frank fred gene greg hank jack jan jeff jen jenny jerry jim jimmy joe joey johnny jon
		josh judy kathy katie ken kim kris larry liz lou maggie mandy marge matt meg mick mickey mike mindy nancy
		nate ned nick pam pat patty pete peggy phil randy ray rick ricky rob rod ron ronnie russ sally sam sandy sherry
		stan steve sue suzy ted terry tim toby tom tommy tony trish vic vicky walt will`},
}

// lexiconSlots is a power of two and several times the number of words.
const lexiconSlots = 2048

// classes is a hash table of words and their classes.
type classes [lexiconSlots]struct {
	hash  uint32
	class class
}

func newClasses() *classes {
	c := new(classes)
	for _, entry := range lexicon {
		for _, w := range strings.Fields(entry.words) {
			c.add(hashWord(w), entry.class)
		}
	}
	return c
}

func (c *classes) add(hash uint32, class class) {
	i := c.slot(hash)
	c[i].hash = hash
	c[i].class |= class
}

// of returns the classes of a word. Most words have none.
func (c *classes) of(hash uint32) class { return c[c.slot(hash)].class }

// slot returns the slot where a hash is stored or would be inserted.
func (c *classes) slot(hash uint32) uint32 {
	i := scatter(hash) % lexiconSlots
	for c[i].class != 0 && c[i].hash != hash {
		i = (i + 1) % lexiconSlots
	}
	return i
}
