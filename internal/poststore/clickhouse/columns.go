package clickhouse

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/journal"
)

// A version is a version of a post that is about to be stored.
type version struct {
	Post     *earshot.Post
	Sets     []poststore.SetID // without category sets
	Labels   []poststore.SetID // category sets
	Row      uint64
	ID       uint64 // column post
	Position earshot.Position
	Sum      poststore.KeySum
	Shard    uint64
}

func newVersion(p *earshot.Post, sum poststore.KeySum, sets []poststore.SetID, row, id uint64, at earshot.Position) *version {
	v := &version{Post: p, Row: row, ID: id, Position: at, Sum: sum, Shard: shardOf(p, sum)}
	for i, set := range sets {
		switch {
		case slices.Contains(sets[:i], set):
		case set.IsCategory():
			v.Labels = append(v.Labels, set)
		default:
			v.Sets = append(v.Sets, set)
		}
	}
	return v
}

// shardOf returns the number that decides on which shard a post is: all posts of an author are on
// the same one, so that numbers of authors add up.
func shardOf(p *earshot.Post, sum poststore.KeySum) uint64 {
	name := enginekit.AuthorKey(p)
	if name == "" {
		return keyNumber(sum).Low
	}
	return uint64(crc32.ChecksumIEEE([]byte(name)))
}

// shardOfPost is shardOf in SQL, for a row of table posts.
const shardOfPost = "if(author = '', toUInt64(key), CRC32(author))"

// keyNumber returns a key as a number with the same order.
func keyNumber(k poststore.KeySum) proto.UInt128 {
	return proto.UInt128{Low: binary.BigEndian.Uint64(k[4:]), High: uint64(binary.BigEndian.Uint32(k[:4]))}
}

// sumOfKey is the inverse of keyNumber.
func sumOfKey(n proto.UInt128) (k poststore.KeySum) {
	binary.BigEndian.PutUint32(k[:4], uint32(n.High))
	binary.BigEndian.PutUint64(k[4:], n.Low)
	return k
}

// A postBlock collects rows of table posts: first the row of each version in set 0, then, with finish,
// their copies in other sets.
type postBlock struct {
	set, sec, contentSource, team                                     proto.ColInt64
	followers, likes, shares, comments, replies, retweets, views      proto.ColInt64
	gen, row, post, position                                          proto.ColUInt64
	nanos, models, sentimentCell, emotionCell                         proto.ColUInt32
	sentiment, emotion, picture, clock, geotagged, stated             proto.ColUInt8
	key                                                               proto.ColUInt128
	source, site, host, language, country, state, city, gender, age   termColumn
	surname, engagement, batch                                        termColumn
	author, handle, parent, guid, url, page, authorWords, words, body textColumn
	names, accounts, marks                                            *listColumn[*textColumn]
	hashtags, cashtags, interests, imageClasses, brands               *listColumn[*textColumn]
	fields                                                            *listColumn[*termColumn]

	copies      map[copySet][]int // rows to copy
	doc         query.Document
	authorDoc   query.Document
	wordEncoder wordEncoder
	fieldWriter *fieldWriter
	shared      sharedTerms
	scratch     []byte
	keys        []string
}

// A copySet is a set, and the generation of its copies.
type copySet struct {
	set poststore.SetID
	gen uint64
}

func newPostBlock() *postBlock {
	texts := func() *listColumn[*textColumn] { return newList(new(textColumn)) }
	b := &postBlock{
		copies: map[copySet][]int{}, shared: newSharedTerms(),
		names: texts(), accounts: texts(), marks: texts(),
		hashtags: texts(), cashtags: texts(), interests: texts(), imageClasses: texts(), brands: texts(),
		fields: newList(new(termColumn)),
	}
	b.fieldWriter = newFieldWriter(b.fields)
	return b
}

// add adds the row of a version in set 0, and remembers its copies in other sets. gens has the
// generations of the sets.
func (b *postBlock) add(v *version, gens map[poststore.SetID]uint64) {
	for _, set := range v.Sets {
		to := copySet{set, gens[set]}
		b.copies[to] = append(b.copies[to], b.rows())
	}
	p := v.Post
	b.set.Append(0)
	b.gen.Append(0)
	b.sec.Append(p.Time.Unix())
	b.nanos.Append(uint32(p.Time.Nanosecond()))
	b.row.Append(v.Row)
	b.post.Append(v.ID)
	b.position.Append(uint64(v.Position))
	b.key.Append(keyNumber(v.Sum))
	b.models.Append(p.InferredBy)
	b.doc.Tokenize(p)
	of, at, on, by := b.traitTerms(), b.placeTerms(), b.siteTerms(), b.addAuthor()
	b.source.AppendNumber(of.source)
	b.language.AppendNumber(of.language)
	b.gender.AppendNumber(of.gender)
	b.engagement.AppendNumber(of.engagement)
	b.country.AppendNumber(at.country)
	b.state.AppendNumber(at.state)
	b.city.AppendNumber(at.city)
	b.clock.Append(localClock(p.Time, at.zone))
	b.site.AppendNumber(on.site)
	b.host.AppendNumber(on.host)
	b.fieldWriter.write(&b.doc, of, at, on, by)
	b.addDimensions(p)
	b.addMeasures(p)
	b.addText(p)
}

// finish adds the copies of rows in other sets. They are in the order of the table if the versions
// were added in the order of their time, which saves the server from sorting them.
func (b *postBlock) finish() {
	sets := slices.SortedFunc(maps.Keys(b.copies), func(x, y copySet) int {
		return cmp.Or(cmp.Compare(x.set, y.set), cmp.Compare(x.gen, y.gen))
	})
	var rows []int
	for _, s := range sets {
		copied := b.copies[s]
		rows = append(rows, copied...)
		repeatValue(&b.set, int64(s.set), len(copied))
		repeatValue(&b.gen, s.gen, len(copied))
	}
	clear(b.copies)
	for _, c := range b.columns() {
		if c.copy != nil {
			c.copy(rows)
		}
	}
}

// reset removes all rows.
func (b *postBlock) reset() {
	clear(b.copies)
	b.input().Reset()
	b.shared.reset()
	b.wordEncoder.author = earshot.Post{}
	b.doc.Tokenize(new(earshot.Post))
	b.authorDoc.Tokenize(new(earshot.Post))
}

// addDimensions adds the dimensions that posts do not share.
func (b *postBlock) addDimensions(p *earshot.Post) {
	b.contentSource.Append(int64(p.ContentSource))
	b.age.Append(key(poststore.ByAge, p))
	b.parent.Append(key(poststore.ByParent, p))
	b.addKeys(b.hashtags, poststore.ByHashtag, p)
	b.addKeys(b.cashtags, poststore.ByCashtag, p)
	b.addKeys(b.interests, poststore.ByInterest, p)
	b.addKeys(b.imageClasses, poststore.ByImageClass, p)
	b.addKeys(b.brands, poststore.ByBrand, p)
	b.sentiment.Append(uint8(p.Sentiment.Assigned() + 1))
	b.emotion.Append(uint8(p.Emotion.Assigned() + 1))
	b.sentimentCell.Append(uint32(p.Sentiment.Cell()))
	b.emotionCell.Append(uint32(p.Emotion.Cell()))
	b.picture.Append(bit(len(p.Images) > 0))
	b.geotagged.Append(bit(p.Geotagged))
}

// addKeys adds the values of a post in a dimension with several.
func (b *postBlock) addKeys(column *listColumn[*textColumn], d poststore.Dim, p *earshot.Post) {
	b.keys = enginekit.AppendKeys(b.keys[:0], d, p, time.UTC)
	column.Append(b.keys)
}

// foldKey returns the same string for all strings that are equal under strings.EqualFold.
func foldKey(s string) string { return watchlist.HandleKey(s) }

// lowerASCII returns s with the letters A to Z in lower case, and all others unchanged.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// unknownClock is the clock of a post whose author's time zone is unknown.
const unknownClock = 255

// localClock returns the weekday and hour of a time in the time zone of its author, as hours since the
// beginning of Sunday.
func localClock(t time.Time, zone *time.Location) uint8 {
	if zone == nil {
		return unknownClock
	}
	local := t.In(zone)
	return uint8(int(local.Weekday())*24 + local.Hour())
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// addMeasures adds the counters of a post, and which of them it states.
func (b *postBlock) addMeasures(p *earshot.Post) {
	var stated uint8
	for i, m := range []struct {
		column *proto.ColInt64
		count  earshot.Count
	}{ // in the order of poststore.Measures, without Authors
		{&b.followers, p.Followers}, {&b.likes, p.Likes}, {&b.shares, p.Shares}, {&b.comments, p.Comments},
		{&b.replies, p.Replies}, {&b.retweets, p.Retweets}, {&b.views, p.Views},
	} {
		m.column.Append(m.count.Int())
		stated |= bit(!m.count.IsZero()) << i
	}
	b.stated.Append(stated)
}

// addText adds the columns that only the row in set 0 has.
func (b *postBlock) addText(p *earshot.Post) {
	b.team.Append(int64(p.Team))
	b.guid.Append(p.GUID)
	if p.ContentSource != 0 {
		b.url.Append(p.URL)
	} else {
		b.url.Append("") // only deletions of posts in content sources list URLs
	}
	b.page.Append(p.PageID)
	b.batch.Append(p.Batch)
	b.scratch = b.wordEncoder.appendWords(b.scratch[:0], &b.doc)
	b.words.AppendBytes(b.scratch)
	b.wordEncoder.writeMarks(b.marks, &b.doc)
	b.scratch = journal.AppendPost(b.scratch[:0], p)
	b.body.AppendBytes(b.scratch)
}

func (b *postBlock) rows() int { return b.set.Rows() }

// A postColumn is a column of a block.
type postColumn struct {
	name string
	data proto.ColInput
	copy func(rows []int) // adds what the copies of some rows have in the column
}

// input returns the columns for an insert.
func (b *postBlock) input() proto.Input {
	columns := b.columns()
	in := make(proto.Input, len(columns))
	for i, c := range columns {
		in[i] = proto.InputColumn{Name: c.name, Data: c.data}
	}
	return in
}

func (b *postBlock) columns() []postColumn {
	noTeam := func(rows []int) { repeatValue(&b.team, 0, len(rows)) }
	return []postColumn{
		{"set", &b.set, nil},
		{"gen", &b.gen, nil},
		{"sec", &b.sec, numbers(&b.sec)},
		{"nanos", &b.nanos, numbers(&b.nanos)},
		{"row", &b.row, numbers(&b.row)},
		{"post", &b.post, numbers(&b.post)},
		{"position", &b.position, numbers(&b.position)},
		{"key", &b.key, numbers(&b.key)},
		{"models", &b.models, numbers(&b.models)},
		{"source", &b.source, b.source.repeat},
		{"contentSource", &b.contentSource, numbers(&b.contentSource)},
		{"site", &b.site, b.site.repeat},
		{"host", &b.host, b.host.repeat},
		{"language", &b.language, b.language.repeat},
		{"country", &b.country, b.country.repeat},
		{"state", &b.state, b.state.repeat},
		{"city", &b.city, b.city.repeat},
		{"gender", &b.gender, b.gender.repeat},
		{"age", &b.age, b.age.repeat},
		{"author", &b.author, b.author.repeat},
		{"names", b.names, b.names.repeat},
		{"handle", &b.handle, b.handle.repeat},
		{"accounts", b.accounts, b.accounts.repeat},
		{"surname", &b.surname, b.surname.repeat},
		{"hashtags", b.hashtags, b.hashtags.repeat},
		{"cashtags", b.cashtags, b.cashtags.repeat},
		{"interests", b.interests, b.interests.repeat},
		{"imageClasses", b.imageClasses, b.imageClasses.repeat},
		{"brands", b.brands, b.brands.repeat},
		{"engagement", &b.engagement, b.engagement.repeat},
		{"parent", &b.parent, b.parent.repeat},
		{"sentiment", &b.sentiment, numbers(&b.sentiment)},
		{"emotion", &b.emotion, numbers(&b.emotion)},
		{"sentimentCell", &b.sentimentCell, numbers(&b.sentimentCell)},
		{"emotionCell", &b.emotionCell, numbers(&b.emotionCell)},
		{"picture", &b.picture, numbers(&b.picture)},
		{"clock", &b.clock, numbers(&b.clock)},
		{"geotagged", &b.geotagged, numbers(&b.geotagged)},
		{"followers", &b.followers, numbers(&b.followers)},
		{"likes", &b.likes, numbers(&b.likes)},
		{"shares", &b.shares, numbers(&b.shares)},
		{"comments", &b.comments, numbers(&b.comments)},
		{"replies", &b.replies, numbers(&b.replies)},
		{"retweets", &b.retweets, numbers(&b.retweets)},
		{"views", &b.views, numbers(&b.views)},
		{"stated", &b.stated, numbers(&b.stated)},
		{"team", &b.team, noTeam},
		{"guid", &b.guid, b.guid.omit},
		{"url", &b.url, b.url.omit},
		{"page", &b.page, b.page.omit},
		{"batch", &b.batch, b.batch.omit},
		{"fields", b.fields, b.fields.omit},
		{"authorWords", &b.authorWords, b.authorWords.omit},
		{"words", &b.words, b.words.omit},
		{"marks", b.marks, b.marks.omit},
		{"body", &b.body, b.body.omit},
	}
}

// numbers returns the function that copies rows of a column of numbers.
func numbers[S ~[]E, E any](column *S) func(rows []int) {
	return func(rows []int) { repeat(column, rows) }
}
