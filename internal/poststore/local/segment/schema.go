package segment

// The sections of a file. docs/segment-format.md says what they are for readers who
// have no Go.
//
// Every dictionary has the empty string, as its first, so number 0 in a column of
// numbers into a dictionary means that the post does not say. In the columns of
// figures 0 means the same, and any other number is the figure plus one.
const (
	colTime     = "time"    // seconds as Seconds gives them
	colNanos    = "nanos"   // of the second
	colKeyHigh  = "key"     // the first 8 bytes of the Key, big-endian
	colKeyLow   = "key2"    // the other 4
	colArrived  = "arrived" // journal position of the entry that the post came with
	colIngested = "taken"   // day on which the store took it, days since 1970

	colSource        = "source" // numbers into dictSource; the same for all that have a dictionary
	colContentSource = "contentsource"
	colTeam          = "team"
	colBatch         = "batch"
	colURL           = "url" // urlHash of custom content, 0 for other posts
	colSite          = "site"
	colLanguage      = "language"
	colPlace         = "place"
	colGender        = "gender"
	colEngagement    = "engagement"
	colParent        = "parent"
	colPage          = "page"
	colAuthor        = "author"
	colSurname       = "surname" // of the author as shown, as enginekit.Surname reads it

	colAge       = "age" // figures
	colFollowers = "followers"
	colLikes     = "likes"
	colShares    = "shares"
	colComments  = "comments"
	colReplies   = "replies"
	colRetweets  = "retweets"
	colViews     = "views"

	colAgeGroup  = "agegroup"  // earshot.AgeGroup
	colSentiment = "sentiment" // place of the assigned one plus one, 0: none
	colEmotion   = "emotion"   // likewise
	colModels    = "models"    // version of the models that have seen the post
	colPictures  = "pictures"  // 1 for a post that has images, else 0

	dictSource     = "source.names"
	dictBatch      = "batch.names"
	dictSite       = "site.names"
	dictLanguage   = "language.names"
	dictPlace      = "place.names" // country, 0, state, 0, city; "" for no place at all
	dictGender     = "gender.names"
	dictEngagement = "engagement.names"
	dictParent     = "parent.names"
	dictPage       = "page.names"
	dictAuthor     = "author.names" // user name, 0, author as shown; "" for neither
	dictSurname    = "surname.names"
	dictHashtag    = "hashtag.names"
	dictCashtag    = "cashtag.names"
	dictMention    = "mention.names"
	dictInterest   = "interest.names" // decimal
	dictImageClass = "imageclass.names"
	dictBrand      = "brand.names"
	dictTerm       = "terms" // keys of tokens, as query.Document.AppendKey gives them

	listHashtags = "hashtags" // numbers into dictHashtag, as the post has them
	listCashtags = "cashtags"
	listMentions = "mentions"
	listInterest = "interests"
	listClasses  = "imageclasses"
	listBrands   = "brands"
	listTokens   = "words"     // as query.Document.AppendTokenIDs gives them
	listURLRuns  = "addresses" // as query.Document.AppendURLRuns gives them

	setPostings = "postings" // rows by number of the term
	setMonitors = "monitors" // rows by id of the monitor or filter
	setFlags    = "flags"    // rows by flag

	blobPosts = "posts" // the post, as journal.AppendPost writes it
)

// Flags of rows.
const (
	flagGeotagged uint64 = iota
	flagVerified
	flagHashtags    // has any
	flagMentions    // has any
	flagEverMatched // some monitor or filter has matched it once
	flagInterests
	flagClasses
	flagBrands
)
