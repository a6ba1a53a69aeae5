package train

// negations lists negating words by language.
var negations = []struct{ language, words string }{
	{"en", `not no never n't cannot nothing nobody none neither nor without hardly barely rarely nowhere lack lacks lacking
		dont cant wont didnt doesnt isnt wasnt aint arent shouldnt wouldnt couldnt havent hasnt hadnt`},
	{"de", "nicht nich kein keine keinen keinem keiner keines nie niemals nichts ohne weder"},
	{"fr", "pas ne jamais rien aucun aucune sans ni non"},
	{"es", "no nunca jamás nada nadie ni sin tampoco ningún ninguna"},
	{"pt", "não nao nem nunca jamais nada ninguém nenhum nenhuma sem"},
	{"it", "non mai niente nulla nessuno nessuna né senza"},
	{"hi", "nahi nahin nai mat na nhi not no never n't नहीं मत ना"},
	{"ar", "لا ما لم لن ليس ليست مش مو غير بدون"},
	{"ru", "не нет ни никогда без"},
	{"nl", "niet geen nooit niets zonder"},
	{"sv", "inte aldrig ingen inget utan"},
	{"da", "ikke aldrig ingen intet uden"},
	{"no", "ikke aldri ingen ikkje uten"},
	{"fi", "ei en et emme ette eivät älä ilman"},
	{"pl", "nie nigdy żaden bez"},
	{"cs", "ne není nikdy žádný bez"},
	{"sk", "nie nikdy žiadny bez"},
	{"sl", "ne ni nikoli brez"},
	{"hr", "ne nije nikad bez nisam"},
	{"sr", "ne nije nikad bez nisam не није никад без нисам"},
	{"bg", "не няма никога без"},
	{"ro", "nu niciodată fără nimic"},
	{"hu", "nem ne soha nincs nélkül"},
	{"tr", "değil yok asla hiç"},
	{"el", "δεν μην όχι ποτέ χωρίς"},
	{"he", "לא אין אל בלי"},
	{"id", "tidak bukan jangan tak tanpa"},
	{"ms", "tidak bukan jangan tak tanpa"},
	{"ca", "no mai cap sense"},
	{"fa", "نه نیست هرگز بدون"},
	{"zh", "不 没 没有 别"},
	{"th", "ไม่"},
	{"ja", "ない ません"},
}

// strengths lists words that strengthen or weaken the next rating, by language.
var strengths = []struct {
	language string
	strength float32
	words    string
}{
	{"en", 0.3, `absolutely amazingly awfully completely considerably deeply enormously entirely especially exceptionally extremely
		fabulously fucking fully greatly hella highly hugely incredibly intensely majorly more most particularly purely quite really
		remarkably so substantially thoroughly totally tremendously uber unbelievably unusually utterly very too such`},
	{"en", -0.3, "almost kinda less little marginally occasionally partly scarcely slightly somewhat sorta"},
	{"de", 0.3, "sehr so total echt richtig mega super voll extrem absolut"},
	{"de", -0.3, "etwas kaum wenig bisschen"},
	{"fr", 0.3, "très tres trop tellement vraiment super si"},
	{"fr", -0.3, "peu"},
	{"es", 0.3, "muy tan super demasiado más bien"},
	{"es", -0.3, "poco"},
	{"pt", 0.3, "muito tão demais super mais"},
	{"pt", -0.3, "pouco"},
	{"it", 0.3, "molto troppo così assai davvero più"},
	{"it", -0.3, "poco"},
	{"hi", 0.3, "bahut bohot very so really"},
	{"nl", 0.3, "heel erg zeer zo echt"},
	{"sv", 0.3, "mycket väldigt så"},
	{"ru", 0.3, "очень так самый"},
}
