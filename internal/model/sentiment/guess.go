package sentiment

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MinGuessTexts is the number of texts from which [GuessDomain] makes a guess.
const MinGuessTexts = 50

// guessMargin is how much greater the mean logarithm of the probability of a guess must be than that of
// each other domain. Below it, nothing is clear. TestMeasure measures how often guesses are right.
const guessMargin = 0.3

// GuessDomain guesses the domain of a collection of texts from what they look like, or reports false if it is
// not clear. Each text has some of the clues, and each clue speaks for or against each domain.
func GuessDomain(texts []string) (Domain, bool) {
	if len(texts) < MinGuessTexts {
		return Social, false
	}
	var mean [Domains]float64
	for _, text := range texts {
		for d, p := range domainScores(text) {
			mean[d] += p / float64(len(texts))
		}
	}
	best := Social
	for d := range Domain(Domains) {
		if mean[d] > mean[best] {
			best = d
		}
	}
	for d := range Domain(Domains) {
		if d != best && mean[best]-mean[d] < guessMargin {
			return Social, false
		}
	}
	return best, true
}

// domainScores returns the logarithms of the probabilities of the domains of a text.
func domainScores(text string) (scores [Domains]float64) {
	has := clues(text)
	sum := 0.0
	for d := range scores {
		for i, clue := range has {
			if clue {
				scores[d] += clueWeights[i][d]
			}
		}
		sum += math.Exp(scores[d])
	}
	for d := range scores {
		scores[d] -= math.Log(sum)
	}
	return scores
}

// Clues about the domain of a text.
const (
	always = iota
	clueHashtag
	clueMention // of an account, or a repost
	clueURL
	clueEmoji
	clueQuote // quotation marks in pairs
	clueExclaim
	clueQuestion
	clueRepeated   // letters or marks, as in "soooo" and "!!!"
	clueSentence   // begins with a capital letter and ends with a period
	clueUnfinished // ends without a mark
	clueNumber
	clueNames  // several capitalized words inside
	clueFirst  // first person
	clueSecond // second person
	clueRating // words about products, services and works, and how good they are
	clueReport // words that report what others said or did
	clueDateline
	clueThread // words of discussions: questions, answers, edits
	clueLaugh
	clueShort
	clueMedium
	clueLong
	clueArticle
	clueCount = iota
)

// clueWeights is what each clue adds to the score of each domain: social, review, news, forum. They are
// those of a multinomial logistic regression on labeled texts, in which each data set counts alike within
// its domain. Clues that a text does not have add nothing.
var clueWeights = [clueCount][Domains]float64{
	always:         {0.25, 0.15, -0.47, 0.06},
	clueHashtag:    {1.66, -0.57, -0.33, -0.74},
	clueMention:    {1.81, -0.74, -0.30, -0.76},
	clueURL:        {1.38, -0.58, -0.53, -0.26},
	clueEmoji:      {1.02, -0.41, -0.53, -0.07},
	clueQuote:      {0.03, -0.83, 0.65, 0.16},
	clueExclaim:    {0.12, 0.34, -0.19, -0.26},
	clueQuestion:   {-0.08, -0.90, -0.59, 1.52},
	clueRepeated:   {0.65, 0.11, -0.77, 0.02},
	clueSentence:   {-0.93, 0.41, 0.70, -0.16},
	clueUnfinished: {0.39, -0.59, 0.02, 0.19},
	clueNumber:     {-0.00, 0.03, 0.42, -0.45},
	clueNames:      {0.01, -0.67, 0.98, -0.34},
	clueFirst:      {0.00, -0.07, -0.18, 0.25},
	clueSecond:     {-0.22, -0.39, 0.11, 0.50},
	clueRating:     {-1.05, 1.94, -0.61, -0.68},
	clueReport:     {-0.52, -0.67, 1.65, -0.57},
	clueDateline:   {0.05, -0.14, 0.37, -0.28},
	clueThread:     {-0.89, -0.71, 0.27, 1.33},
	clueLaugh:      {-0.06, -0.08, -0.03, 0.17},
	clueShort:      {-0.18, 0.31, -0.52, 0.38},
	clueMedium:     {-0.28, 0.47, 0.10, -0.29},
	clueLong:       {-0.74, 0.30, 0.08, 0.36},
	clueArticle:    {-0.85, -0.38, 1.73, -0.51},
}

var (
	hashtagPattern  = regexp.MustCompile(`(^|\s)[#＃][\pL\d_]`)
	mentionPattern  = regexp.MustCompile(`(^|\W)@\w|^RT\b`)
	urlPattern      = regexp.MustCompile(`(?i)https?:|www\.|\{link\}|\burl\b`)
	emojiPattern    = regexp.MustCompile(`[\x{1F300}-\x{1FAFF}\x{2600}-\x{27BF}]|[:;]'?-?[()DPp]|<3|\^\^`)
	quotePattern    = regexp.MustCompile(`["“«„「『][^"”»“」』]{3,}["”»“」』]`)
	namesPattern    = regexp.MustCompile(`[\p{Ll},] \p{Lu}\p{Ll}+( \p{Lu}\p{Ll}+|.*[\p{Ll},] \p{Lu}\p{Ll}+)`)
	datelinePattern = regexp.MustCompile(`^[\p{Lu}][\p{Lu}\p{Ll} .,]{2,40}(\([\pL .]{2,20}\) ?)?\s?(—|–|--|-)\s|(?i)\b(reuters|afp|associated press)\b`)
	laughPattern    = regexp.MustCompile(`(?i)\b(a?(ha){2,}h?|lo+l|lmf?ao|rofl|xd+|jaja|kkk|5{4,})|ㅋㅋ|ㅎㅎ|哈哈|[wｗ]{3,}|笑|555`)
)

// clueWords are words by clue, and unspacedWords those of languages without spaces.
var clueWords, unspacedWords = wordsOf(map[int]string{
	clueFirst: `i i'm i've my me we our us im ich mir mein wir yo mi mis je j'ai j mon ma eu meu minha io mio ho я мне меня мой мы ben bana bu benim
		jag mig min vi jeg мен маған aku saya gue میں من ja mój mi az én nekem jaz moj ja εγώ אני לי मैं मैंने मेरे tôi`,
	clueSecond: `you your you're u ur ya du dir dich tú te tu vous toi você te ты тебе вы вас sen sana siz dig kamu kau anda ty cię ti אתה तुम आप`,
	clueRating: `recommend recommended quality product price excellent amazing perfect clean comfortable host stay room service worth buy bought purchased
		ordered delivery stars star movie film films acting plot food restaurant staff disappointed waste battery location works phone comedy
		screenplay characters story performances dialogue cast drama empfehlen qualität produkt preis kaufen gekauft film série épisode acteurs
		recommande qualité produit prix saison série recomiendo calidad producto precio película qualidade produto preço filme recomendo
		качество товар цена рекомендую фильм приложение купил заказ отличное film filmi izle tavsiye ürün kaliteli oyuncu senaryo fiyat urun
		makan makanan enak tempat restoran harga pelayanan menu rasa bra nöjd snabb pris rekommenderar kund bemötande köpt film filmet színész
		vígjáték történet алдым қолданба керемет жақсы ойын عالی کیفیت قیمت گوشی دوربین خرید उत्पाद अच्छा खरीदा गुणवत्ता कीमत क्वालिटी`,
	clueReport: `said says told according reported reportedly announced spokesman spokeswoman officials government president minister percent administration
		campaign senate department agency federal official committee policy police court company's sagte laut teilte dijo según gobierno presidente
		dit selon gouvernement disse segundo governo ha detto secondo governo сообщил сообщает заявил заявила отметил сказал президент министр
		словам правительство söyledi açıkladı başkanı sade enligt regeringen ifølge regeringen kommissionen parlament`,
	clueThread: `thread question questions answer answers edit op reddit sub subreddit anyone anybody upvote forum post posted try code users site
		imo fwiw tl;dr actually example problem issue closed mods moderator 笑 スレ`,
}, map[int]string{
	clueFirst:  `我 俺 私 僕 나는 내가 저는 제가 ฉัน ผม เรา หนู`,
	clueSecond: `你 您 あなた お前 너 당신 คุณ`,
	clueRating: `买 购 质量 不错 酒店 房间 好吃 味道 送餐 外卖 服务 快递 客服 性价比 商品 物流 電影 电影 購入 商品 使い 値段 製品 買い 使用 영화 연기 배우 감독 스토리
		평점 재미 구매 제품`,
	clueReport: `表示 记者 报道 述べ 発表 によると 前年 前期 当期 連結 億円 百万円 営業利益 売上高 により 政府 会社 밝혔다 말했다 정부 กล่าว`,
	clueThread: `スレ 草 やろ ワイ やん ンゴ レス`,
})

func wordsOf(spaced, unspaced map[int]string) (map[string][]int, map[int][]string) {
	words, parts := map[string][]int{}, map[int][]string{}
	for clue, list := range spaced {
		for _, word := range strings.Fields(list) {
			words[word] = append(words[word], clue)
		}
	}
	for clue, list := range unspaced {
		parts[clue] = strings.Fields(list)
	}
	return words, parts
}

// maxClueBytes is how much of a text clues are looked for in.
const maxClueBytes = 2000

// clues returns which clues a text has.
func clues(text string) (has [clueCount]bool) {
	text = strings.TrimSpace(text)
	size := utf8.RuneCountInString(text)
	if len(text) > maxClueBytes {
		text = strings.ToValidUTF8(text[:maxClueBytes], "")
	}
	has[always] = true
	has[clueHashtag] = hashtagPattern.MatchString(text)
	has[clueMention] = mentionPattern.MatchString(text)
	has[clueURL] = urlPattern.MatchString(text)
	has[clueEmoji] = emojiPattern.MatchString(text)
	has[clueQuote] = quotePattern.MatchString(text)
	has[clueExclaim] = strings.ContainsAny(text, "!！")
	has[clueQuestion] = strings.ContainsAny(text, "?？")
	has[clueRepeated] = hasRepeated(text)
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, `"”»)`))
	has[clueSentence] = (unicode.IsUpper(first) || unicode.Is(unicode.Lo, first)) && strings.ContainsRune(".。।", last)
	has[clueUnfinished] = unicode.IsLetter(last) || unicode.IsDigit(last)
	has[clueNumber] = strings.ContainsAny(text, "0123456789")
	has[clueNames] = namesPattern.MatchString(text)
	has[clueDateline] = datelinePattern.MatchString(text)
	has[clueLaugh] = laughPattern.MatchString(text)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '\''
	}) {
		for _, clue := range clueWords[word] {
			has[clue] = true
		}
	}
	for clue, list := range unspacedWords {
		for _, word := range list {
			has[clue] = has[clue] || strings.Contains(text, word)
		}
	}
	if len(text) > 2*utf8.RuneCountInString(text)*5/4 && unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
		size *= 2 // fewer letters say as much
	}
	switch {
	case size < 50:
		has[clueShort] = true
	case size > 1000:
		has[clueArticle] = true
	case size > 320:
		has[clueLong] = true
	case size > 160:
		has[clueMedium] = true
	}
	return has
}

// hasRepeated reports whether a text has the same letter or mark three times in a row.
func hasRepeated(text string) bool {
	var last rune
	run := 0
	for _, r := range text {
		if r != last || unicode.IsDigit(r) || unicode.IsSpace(r) {
			last, run = r, 0
		}
		if run++; run >= 3 && r != '-' && r != '_' && r != '=' {
			return true
		}
	}
	return false
}
