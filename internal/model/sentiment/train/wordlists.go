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
	{"ja", "ない ません なかった"},
	{"ko", "안 못 없다 없어 없는 없음 않다 않아 않는 아니"},
	{"kk", "емес жоқ"},
	{"ur", "نہیں نہ"},
}

// contrasts lists words that contrast two clauses, by language: 1 if the following one counts more.
var contrasts = []struct {
	language string
	contrast float32
	words    string
}{
	{"en", 1, "but however yet nevertheless nonetheless"},
	{"en", -1, "although though despite albeit"},
	{"de", 1, "aber doch jedoch dennoch trotzdem"},
	{"de", -1, "obwohl trotz"},
	{"fr", 1, "mais pourtant cependant"},
	{"fr", -1, "malgré quoique"},
	{"es", 1, "pero sino"},
	{"es", -1, "aunque pese"},
	{"pt", 1, "mas porém contudo"},
	{"pt", -1, "embora apesar"},
	{"it", 1, "ma però tuttavia"},
	{"it", -1, "nonostante sebbene benché"},
	{"nl", 1, "maar echter toch"},
	{"nl", -1, "hoewel ondanks"},
	{"sv", 1, "men dock"},
	{"sv", -1, "trots fast"},
	{"da", 1, "men dog"},
	{"no", 1, "men likevel"},
	{"fi", 1, "mutta kuitenkin"},
	{"pl", 1, "ale jednak lecz"},
	{"pl", -1, "chociaż choć pomimo mimo"},
	{"cs", 1, "ale však"},
	{"sk", 1, "ale však avšak"},
	{"sl", 1, "ampak vendar a"},
	{"hr", 1, "ali no međutim"},
	{"sr", 1, "ali no međutim али међутим"},
	{"bg", 1, "но обаче ала"},
	{"ru", 1, "но однако зато"},
	{"ru", -1, "хотя несмотря"},
	{"ro", 1, "dar însă insa"},
	{"hu", 1, "de viszont azonban ám"},
	{"hu", -1, "bár habár"},
	{"tr", 1, "ama fakat ancak lakin"},
	{"tr", -1, "rağmen"},
	{"el", 1, "αλλά αλλα όμως ομως"},
	{"he", 1, "אבל אך"},
	{"ar", 1, "لكن ولكن بس"},
	{"fa", 1, "اما ولی"},
	{"hi", 1, "but lekin magar par लेकिन मगर पर"},
	{"id", 1, "tapi tetapi namun"},
	{"ms", 1, "tapi tetapi namun"},
	{"ca", 1, "però"},
	{"zh", 1, "但 但是 可是 不过 然而"},
	{"ja", 1, "けど でも しかし だが"},
	{"th", 1, "แต่"},
	{"kk", 1, "бірақ алайда"},
	{"ur", 1, "لیکن مگر"},
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
