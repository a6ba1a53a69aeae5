package train

// settings are what the learning depends on. They were chosen on texts held back from
// the training sets.
type settings struct {
	Seed   uint64
	Epochs int

	// Rates of learning: of weights of words and letters, of the last layer, of filters,
	// of word vectors. They fall to a twentieth towards the end.
	RateWeights, RateHead, RateFilters, RateVectors float64

	// What is left out at random while learning, so that no single thing is relied on:
	// features, words under filters, filters.
	DropFeatures, DropWords, DropFilters float64

	// Balance is how far rare classes are made up for, from 0 to 1.
	BalanceSentiment, BalanceEmotion float64

	// How much a text of a set counts.
	UMSAB, Reviews, News, GoSentiment, XEDEnglish, XED, XEDSentiment, SMILE, Neutral float64
}

var defaults = settings{
	Seed: 1, Epochs: 4,
	RateWeights: 0.1, RateHead: 0.02, RateFilters: 0.001, RateVectors: 0.01,
	DropFeatures: 0.5, DropWords: 0.1, DropFilters: 0.2,
	BalanceSentiment: 1, BalanceEmotion: 0.5,
	UMSAB: 1, Reviews: 0.5, News: 0.1, GoSentiment: 0.3, XEDEnglish: 0.3, XED: 0.2, XEDSentiment: 0.1, SMILE: 0.5, Neutral: 0.2,
}
