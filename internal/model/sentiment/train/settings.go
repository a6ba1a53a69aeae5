package train

// settings are what the learning depends on. They were chosen, in a few coarse steps, on
// texts held back from the training sets and on the dev sets.
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
	UMSAB, Reviews, News, GoSentiment, XEDEnglish, XED, XEDSentiment, SMILE, Neutral, Posts, Phrases float64

	// How far a teacher's judgement replaces the label: of sentiment, of emotion.
	TrustSentiment, TrustEmotion float64
}

var defaults = settings{
	Seed: 1, Epochs: 4,
	RateWeights: 0.1, RateHead: 0.02, RateFilters: 0.002, RateVectors: 0.01,
	DropFeatures: 0.5, DropWords: 0.1, DropFilters: 0.2,
	BalanceSentiment: 1, BalanceEmotion: 0.5,
	UMSAB: 2, Reviews: 0.5, News: 0.1, GoSentiment: 0.6, XEDEnglish: 0.3, XED: 0.4, XEDSentiment: 0.1, SMILE: 0.5, Neutral: 0.2, Posts: 0.4, Phrases: 3,
	TrustSentiment: 0.6, TrustEmotion: 0.7,
}
