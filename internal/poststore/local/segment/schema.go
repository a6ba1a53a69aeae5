package segment

// The sections of a segment. docs/segment-format.md describes the format.
//
// The first string of every dictionary is empty, so id 0 in a column means that the post does not
// state a value. In columns of counts, 0 also means not stated, and any other number is the count
// plus 1.
const (
	colTime     = "time"    // see Seconds
	colNanos    = "nanos"   // nanoseconds within the second
	colKeyHigh  = "key"     // first 8 bytes of the Key, big-endian
	colKeyLow   = "key2"    // last 4 bytes of the Key, big-endian
	colArrived  = "arrived" // journal position of the post's entry
	colIngested = "taken"   // ingest day, in days since 1970

	colSource        = "source" // ids in dictSource, and likewise for all columns with a dictionary
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
	colSurname       = "surname" // from the author's display name (enginekit.Surname)

	colAge       = "age" // this and the following columns are counts
	colFollowers = "followers"
	colLikes     = "likes"
	colShares    = "shares"
	colComments  = "comments"
	colReplies   = "replies"
	colRetweets  = "retweets"
	colViews     = "views"

	colAgeGroup      = "agegroup"      // earshot.AgeGroup
	colSentiment     = "sentiment"     // index of the assigned sentiment plus 1, or 0
	colEmotion       = "emotion"       // index of the assigned emotion plus 1, or 0
	colSentimentCell = "sentimentcell" // cell of the sentiment's scores
	colEmotionCell   = "emotioncell"   // cell of the emotion's scores
	colModels        = "models"        // version of the models that inferred the attributes
	colPictures      = "pictures"      // 1 for a post with images, otherwise 0

	dictSource     = "source.names"
	dictBatch      = "batch.names"
	dictSite       = "site.names"
	dictLanguage   = "language.names"
	dictPlace      = "place.names" // country \0 state \0 city, or "" without a place
	dictGender     = "gender.names"
	dictEngagement = "engagement.names"
	dictParent     = "parent.names"
	dictPage       = "page.names"
	dictAuthor     = "author.names" // username \0 display name, or "" without either
	dictSurname    = "surname.names"
	dictHashtag    = "hashtag.names"
	dictCashtag    = "cashtag.names"
	dictMention    = "mention.names"
	dictInterest   = "interest.names" // decimal ids
	dictImageClass = "imageclass.names"
	dictBrand      = "brand.names"
	dictTerm       = "terms" // keys of tokens (query.Document.AppendKey)

	listHashtags = "hashtags" // ids in dictHashtag, in the order of the post
	listCashtags = "cashtags"
	listMentions = "mentions"
	listInterest = "interests"
	listClasses  = "imageclasses"
	listBrands   = "brands"
	listTokens   = "words"     // see query.Document.AppendTokenIDs
	listURLRuns  = "addresses" // see query.Document.AppendURLRuns

	setPostings = "postings" // posting lists: rows by term id
	setMonitors = "monitors" // rows by poststore.SetID
	setFlags    = "flags"    // rows by flag

	blobPosts = "posts" // the posts, encoded by journal.AppendPost
)

// Flags of rows.
const (
	flagGeotagged uint64 = iota
	flagVerified
	flagHashtags    // post has hashtags
	flagMentions    // post has mentions
	flagEverMatched // a monitor or filter has ever matched the post
	flagInterests
	flagClasses
	flagBrands
)
