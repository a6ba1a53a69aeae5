package segment

// The sections of a segment, which docs/segment-format.md describes.
//
// The first string of every dictionary is the empty one, so id 0 in a column means that the post
// does not state the value. In columns of counts 0 means the same, and any other number is the
// count plus one.
const (
	colTime     = "time"    // as Seconds returns it
	colNanos    = "nanos"   // of the second
	colKeyHigh  = "key"     // the first 8 bytes of the Key, big-endian
	colKeyLow   = "key2"    // the other 4
	colArrived  = "arrived" // journal position of the post's entry
	colIngested = "taken"   // ingest day, in days since 1970

	colSource        = "source" // ids of dictSource; likewise for all that have a dictionary
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
	colSurname       = "surname" // of the author's display name, as enginekit.Surname returns it

	colAge       = "age" // counts
	colFollowers = "followers"
	colLikes     = "likes"
	colShares    = "shares"
	colComments  = "comments"
	colReplies   = "replies"
	colRetweets  = "retweets"
	colViews     = "views"

	colAgeGroup  = "agegroup"  // earshot.AgeGroup
	colSentiment = "sentiment" // index of the assigned one, plus one; 0: none
	colEmotion   = "emotion"   // likewise
	colModels    = "models"    // version of the models that inferred the attributes
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
	dictAuthor     = "author.names" // user name, 0, display name; "" for neither
	dictSurname    = "surname.names"
	dictHashtag    = "hashtag.names"
	dictCashtag    = "cashtag.names"
	dictMention    = "mention.names"
	dictInterest   = "interest.names" // decimal
	dictImageClass = "imageclass.names"
	dictBrand      = "brand.names"
	dictTerm       = "terms" // keys of tokens, as query.Document.AppendKey gives them

	listHashtags = "hashtags" // ids of dictHashtag, in the order of the post
	listCashtags = "cashtags"
	listMentions = "mentions"
	listInterest = "interests"
	listClasses  = "imageclasses"
	listBrands   = "brands"
	listTokens   = "words"     // as query.Document.AppendTokenIDs returns them
	listURLRuns  = "addresses" // as query.Document.AppendURLRuns returns them

	setPostings = "postings" // posting lists: rows by id of the term
	setMonitors = "monitors" // rows by poststore.SetID
	setFlags    = "flags"    // rows by flag

	blobPosts = "posts" // the post, as journal.AppendPost writes it
)

// Flags of rows.
const (
	flagGeotagged uint64 = iota
	flagVerified
	flagHashtags    // has any
	flagMentions    // has any
	flagEverMatched // a monitor or filter has ever matched it
	flagInterests
	flagClasses
	flagBrands
)
