package clickhouse

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
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

// newVersion returns a version of a post in its sets.
func newVersion(p *earshot.Post, sets []poststore.SetID, row, id uint64, at earshot.Position) version {
	v := version{Post: p, Row: row, ID: id, Position: at, Sum: poststore.SumOf(p.Key()), Shard: shardOf(p)}
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
func shardOf(p *earshot.Post) uint64 {
	name := enginekit.AuthorKey(p)
	if name == "" {
		name = p.GUID
	}
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:])
}

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

// A postBlock collects rows of table posts. The order of its columns is that of postColumns.
type postBlock struct {
	set, sec, contentSource, team                                        proto.ColInt64
	followers, likes, shares, comments, replies, retweets, views         proto.ColInt64
	gen, row, post, position, shard, print1, print2                      proto.ColUInt64
	nanos, models, sentimentCell, emotionCell                            proto.ColUInt32
	sentiment, emotion, picture, clock, geotagged, stated                proto.ColUInt8
	key                                                                  proto.ColUInt128
	source, site, host, language, country, state, city, gender, age      proto.ColStr
	author, handle, surname, engagement, parent, guid, url, page, batch  proto.ColStr
	authorWords, words, body                                             proto.ColStr
	names, accounts, hashtags, cashtags, interests, imageClasses, brands *proto.ColArr[string]
	fields, marks                                                        *proto.ColArr[string]

	doc     query.Document
	scratch []byte
}

func newPostBlock() *postBlock {
	strings := func() *proto.ColArr[string] { return proto.NewArray[string](new(proto.ColStr)) }
	return &postBlock{
		names: strings(), accounts: strings(), hashtags: strings(), cashtags: strings(),
		interests: strings(), imageClasses: strings(), brands: strings(), fields: strings(), marks: strings(),
	}
}

// add adds the rows of a version: one in set 0, and one in each of its sets. gens has the
// generations of the sets.
func (b *postBlock) add(v *version, gens map[poststore.SetID]uint64) {
	b.addCopy(v, 0, 0)
	for _, set := range v.Sets {
		b.addCopy(v, set, gens[set])
	}
}

// addCopy adds the row of a version in a set.
func (b *postBlock) addCopy(v *version, set poststore.SetID, gen uint64) {
	p := v.Post
	b.set.Append(int64(set))
	b.gen.Append(gen)
	b.sec.Append(p.Time.Unix())
	b.nanos.Append(uint32(p.Time.Nanosecond()))
	b.row.Append(v.Row)
	b.post.Append(v.ID)
	b.position.Append(uint64(v.Position))
	b.shard.Append(v.Shard)
	b.key.Append(keyNumber(v.Sum))
	b.models.Append(p.InferredBy)
	print1, print2 := fingerprint(v)
	b.print1.Append(print1)
	b.print2.Append(print2)
	b.addDimensions(p)
	b.addMeasures(p)
	b.addText(p, set == 0)
}

// fingerprint returns what a version adds to the two sums of [poststore.Fingerprint].
func fingerprint(v *version) (print1, print2 uint64) {
	data := binary.BigEndian.AppendUint64(v.Sum[:], uint64(v.Position))
	data = binary.BigEndian.AppendUint32(data, v.Post.InferredBy)
	hash := sha256.Sum256(data) // sums of weaker hashes may cancel out
	return binary.BigEndian.Uint64(hash[:]), binary.BigEndian.Uint64(hash[8:])
}

func (b *postBlock) addDimensions(p *earshot.Post) {
	single := func(column *proto.ColStr, d poststore.Dim) {
		var buffer [1]string
		if keys := enginekit.AppendKeys(buffer[:0], d, p, time.UTC); len(keys) > 0 {
			column.Append(keys[0])
			return
		}
		column.Append("")
	}
	single(&b.source, poststore.BySource)
	b.contentSource.Append(int64(p.ContentSource))
	single(&b.site, poststore.BySite)
	b.host.Append(lowerASCII(p.Site))
	single(&b.language, poststore.ByLanguage)
	single(&b.country, poststore.ByCountry)
	single(&b.state, poststore.ByState)
	single(&b.city, poststore.ByCity)
	single(&b.gender, poststore.ByGender)
	single(&b.age, poststore.ByAge)
	single(&b.author, poststore.ByAuthor)
	single(&b.engagement, poststore.ByEngagement)
	single(&b.parent, poststore.ByParent)
	b.names.Append(authorNames(p))
	b.handle.Append(earshot.AccountName(p.Handle()))
	b.accounts.Append(slices.Collect(p.AccountNames()))
	b.surname.Append(enginekit.Surname(p.Author))
	several := func(column *proto.ColArr[string], d poststore.Dim) {
		column.Append(enginekit.AppendKeys(nil, d, p, time.UTC))
	}
	several(b.hashtags, poststore.ByHashtag)
	several(b.cashtags, poststore.ByCashtag)
	several(b.interests, poststore.ByInterest)
	several(b.imageClasses, poststore.ByImageClass)
	several(b.brands, poststore.ByBrand)
	b.sentiment.Append(uint8(p.Sentiment.Assigned() + 1))
	b.emotion.Append(uint8(p.Emotion.Assigned() + 1))
	b.sentimentCell.Append(uint32(p.Sentiment.Cell()))
	b.emotionCell.Append(uint32(p.Emotion.Cell()))
	b.picture.Append(bit(len(p.Images) > 0))
	b.clock.Append(localClock(p))
	b.geotagged.Append(bit(p.Geotagged))
}

// authorNames returns the folded names that Selection.Authors may give.
func authorNames(p *earshot.Post) (names []string) {
	shown := earshot.Post{Author: p.Author} // the handle in the display name, regardless of the username
	for _, name := range []string{p.AuthorUsername, p.Author, shown.Handle()} {
		if name = foldKey(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// foldKey returns the same string for all strings that are equal under strings.EqualFold.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}

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

// localClock returns the weekday and hour of a post in the time zone of its author, as hours since
// the beginning of Sunday.
func localClock(p *earshot.Post) uint8 {
	if p.Place.IsZero() {
		return unknownClock
	}
	name, ok := geo.TimeZone(p.Place)
	if !ok {
		return unknownClock
	}
	zone, err := earshot.Zone(name)
	if err != nil {
		return unknownClock
	}
	local := p.Time.In(zone)
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

// addText adds the columns that only the copy in set 0 has.
func (b *postBlock) addText(p *earshot.Post, full bool) {
	if !full {
		b.team.Append(0)
		for _, c := range []*proto.ColStr{&b.guid, &b.url, &b.page, &b.batch, &b.authorWords, &b.words, &b.body} {
			c.Append("")
		}
		b.fields.Append(nil)
		b.marks.Append(nil)
		return
	}
	b.team.Append(int64(p.Team))
	b.guid.Append(p.GUID)
	b.url.Append(p.URL)
	b.page.Append(p.PageID)
	b.batch.Append(p.Batch)
	b.doc.Reset(p)
	b.scratch = appendWords(b.scratch[:0], &b.doc)
	b.words.AppendBytes(b.scratch)
	b.marks.Append(marksOf(&b.doc))
	b.fields.Append(appendFields(nil, &b.doc))
	b.scratch = appendAuthorWords(b.scratch[:0], &b.doc, p)
	b.authorWords.AppendBytes(b.scratch)
	b.scratch = journal.AppendPost(b.scratch[:0], p)
	b.body.AppendBytes(b.scratch)
}

// rows returns the number of rows.
func (b *postBlock) rows() int { return b.set.Rows() }

// input returns the columns for an insert.
func (b *postBlock) input() proto.Input {
	return proto.Input{
		{Name: "set", Data: &b.set}, {Name: "gen", Data: &b.gen}, {Name: "sec", Data: &b.sec}, {Name: "nanos", Data: &b.nanos},
		{Name: "row", Data: &b.row}, {Name: "post", Data: &b.post}, {Name: "position", Data: &b.position}, {Name: "shard", Data: &b.shard},
		{Name: "key", Data: &b.key}, {Name: "models", Data: &b.models}, {Name: "print1", Data: &b.print1}, {Name: "print2", Data: &b.print2},
		{Name: "source", Data: &b.source}, {Name: "contentSource", Data: &b.contentSource}, {Name: "site", Data: &b.site}, {Name: "host", Data: &b.host},
		{Name: "language", Data: &b.language}, {Name: "country", Data: &b.country}, {Name: "state", Data: &b.state}, {Name: "city", Data: &b.city},
		{Name: "gender", Data: &b.gender}, {Name: "age", Data: &b.age}, {Name: "author", Data: &b.author}, {Name: "names", Data: b.names},
		{Name: "handle", Data: &b.handle}, {Name: "accounts", Data: b.accounts}, {Name: "surname", Data: &b.surname},
		{Name: "hashtags", Data: b.hashtags}, {Name: "cashtags", Data: b.cashtags}, {Name: "interests", Data: b.interests},
		{Name: "imageClasses", Data: b.imageClasses}, {Name: "brands", Data: b.brands}, {Name: "engagement", Data: &b.engagement}, {Name: "parent", Data: &b.parent},
		{Name: "sentiment", Data: &b.sentiment}, {Name: "emotion", Data: &b.emotion}, {Name: "sentimentCell", Data: &b.sentimentCell}, {Name: "emotionCell", Data: &b.emotionCell},
		{Name: "picture", Data: &b.picture}, {Name: "clock", Data: &b.clock}, {Name: "geotagged", Data: &b.geotagged},
		{Name: "followers", Data: &b.followers}, {Name: "likes", Data: &b.likes}, {Name: "shares", Data: &b.shares}, {Name: "comments", Data: &b.comments},
		{Name: "replies", Data: &b.replies}, {Name: "retweets", Data: &b.retweets}, {Name: "views", Data: &b.views}, {Name: "stated", Data: &b.stated},
		{Name: "team", Data: &b.team}, {Name: "guid", Data: &b.guid}, {Name: "url", Data: &b.url}, {Name: "page", Data: &b.page}, {Name: "batch", Data: &b.batch},
		{Name: "fields", Data: b.fields}, {Name: "authorWords", Data: &b.authorWords}, {Name: "words", Data: &b.words}, {Name: "marks", Data: b.marks}, {Name: "body", Data: &b.body},
	}
}
