package main

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"earshot"
)

func TestQueryLine(t *testing.T) {
	rating := 4.5
	tests := []struct {
		name string
		line string
		want earshot.Post
	}{
		{
			name: "a query without a post has an empty post",
			line: `{"query":"q"}`,
			want: earshot.Post{Engagement: earshot.OriginalPost},
		}, {
			name: "every name of an import's line",
			line: `{"query":"q","type":"Twitter","guid":"g","url":"https://www.example.com/1","date":"2026-03-10T12:00:00+02:00","title":"T","contents":"C",
				"author":"ann (Ann)","authorUsername":"ann","authorProfileId":"7","authorGender":"F","authorAge":30,"authorFollowers":1,"authorFollowing":2,
				"authorPosts":3,"authorKlout":4,"authorVerified":true,"bio":"B","language":"en","location":"here",
				"geolocation":{"id":"USA.CA.San Diego","latitude":32.7,"longitude":-117.1,"zipcode":"92101"},
				"engagementType":"REPLY","engagingWith":"bob","parentGuid":"pg","pageId":"pi","likes":5,"shares":6,"comments":7,"replies":8,"retweets":9,"views":10,
				"rating":4.5,"hashtags":["x"],"mentions":["bob"],"mediaUrls":["http://m"],"images":[{"url":"http://i"}],"custom":{"k":"v"}}`,
			want: earshot.Post{
				Source: earshot.Twitter, GUID: "g", URL: "https://www.example.com/1", Site: "example.com",
				Time: time.Date(2026, 3, 10, 10, 0, 0, 0, time.UTC), Title: "T", Contents: "C", Language: "en",
				Author: "ann (Ann)", AuthorUsername: "ann", AuthorProfileID: "7", Bio: "B", Gender: earshot.Female,
				Age: earshot.Counted(30), Followers: earshot.Counted(1), Following: earshot.Counted(2), AuthorPosts: earshot.Counted(3),
				Klout: earshot.Counted(4), Verified: true, Location: "here",
				Place: earshot.Place{Country: "USA", State: "CA", City: "San Diego"}, Point: &earshot.Point{Latitude: 32.7, Longitude: -117.1},
				Zipcode: "92101", Geotagged: true, Engagement: earshot.Reply, EngagingWith: "bob", ParentGUID: "pg", PageID: "pi",
				Likes: earshot.Counted(5), Shares: earshot.Counted(6), Comments: earshot.Counted(7), Replies: earshot.Counted(8),
				Retweets: earshot.Counted(9), Views: earshot.Counted(10), Rating: &rating,
				Hashtags: []string{"x"}, Mentions: []string{"bob"}, MediaURLs: []string{"http://m"}, Custom: map[string]string{"k": "v"},
			},
		}, {
			name: "every name of the query language",
			line: `{"query":"q","title":"T","contents":"C","author":"A B","authorGender":"M","authorFollowers":1,"authorVerified":false,"site":"example.com",
				"url":"http://other.example/","links":["http://l"],"hashtags":["x"],"at_mentions":["bob"],"language":"de","country":"DEU","region":"Bavaria","city":"Munich",
				"continent":"Europe","latitude":48.1,"longitude":11.6,"source":"Blogs","engagementType":"COMMENT","engagingWith":"bob","guid":"g","parentGuid":"pg",
				"pageId":"pi","custom.k":"v","rating":4.5,"bio":"B"}`,
			want: earshot.Post{
				Source: earshot.Blogs, GUID: "g", URL: "http://other.example/", Site: "example.com", Title: "T", Contents: "C", Language: "de",
				Author: "A B", Bio: "B", Gender: earshot.Male, Followers: earshot.Counted(1),
				Place: earshot.Place{Country: "DEU", State: "Bavaria", City: "Munich"}, Point: &earshot.Point{Latitude: 48.1, Longitude: 11.6}, Geotagged: true,
				Engagement: earshot.Comment, EngagingWith: "bob", ParentGUID: "pg", PageID: "pi", Rating: &rating,
				Location: "Europe", Hashtags: []string{"x"}, Mentions: []string{"bob"}, Links: []string{"http://l"}, Custom: map[string]string{"k": "v"},
			},
		}, {
			name: "other types and any case of keys are accepted",
			line: "\xef\xbb\xbf" + `{"query":"q","GUID":12345678901234567890,"authorgender":"female","authorFollowers":"1200","likes":3.0,"authorVerified":"TRUE",
				"rating":"4.5","latitude":"1.5","Longitude":"-2","hashtags":"#a, B","at_mentions":"@ann|@Bob","links":"http://a,b http://c","custom":{"n":5,"t":true,"z":null}}`,
			want: earshot.Post{
				GUID: "12345678901234567890", Gender: earshot.Female, Followers: earshot.Counted(1200), Likes: earshot.Counted(3), Verified: true, Rating: &rating,
				Point: &earshot.Point{Latitude: 1.5, Longitude: -2}, Geotagged: true, Engagement: earshot.OriginalPost,
				Hashtags: []string{"a", "b"}, Mentions: []string{"ann", "bob"}, Links: []string{"http://a,b", "http://c"},
				Custom: map[string]string{"n": "5", "t": "true"},
			},
		}, {
			name: "null and empty values are ignored",
			line: `{"query":"q","title":null,"hashtags":[null,""],"rating":"","authorFollowers":"","authorVerified":"","authorGender":"","date":"","source":"","geolocation":null,"custom":null,"latitude":null}`,
			want: earshot.Post{Engagement: earshot.OriginalPost},
		}, {
			name: "the post is enriched from its text",
			line: `{"query":"q","source":"twitter","url":"https://WWW.twitter.com/ann/status/1","author":"ann (Ann)","contents":"RT @Bob: #Tea https://example.com/"}`,
			want: earshot.Post{
				Source: earshot.Twitter, GUID: "https://WWW.twitter.com/ann/status/1", URL: "https://WWW.twitter.com/ann/status/1", Site: "twitter.com",
				Author: "ann (Ann)", AuthorUsername: "ann", Contents: "RT @Bob: #Tea https://example.com/", Engagement: earshot.Retweet, EngagingWith: "Bob",
				Hashtags: []string{"tea"}, Mentions: []string{"bob"}, Links: []string{"https://example.com/"},
			},
		}, {
			name: "a geography ID is enough, and parts of the place override it",
			line: `{"query":"q","geolocation":"usa.ca","city":"Fresno"}`,
			want: earshot.Post{Place: earshot.Place{Country: "USA", State: "CA", City: "Fresno"}, Geotagged: true, Engagement: earshot.OriginalPost},
		}, {
			name: "unknown keys are ignored, whatever their value",
			line: `{"query":"q","sentiment":{"a":[1]},"":1,"custom.":[]}`,
			want: earshot.Post{Engagement: earshot.OriginalPost},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, got, err := readQueryLine([]byte(tt.line))
			if err != nil || text != "q" {
				t.Fatalf("got query %q, error %v, want q", text, err)
			}
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("\n got %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

func TestQueryLineValues(t *testing.T) {
	f := func(member string, of func(p *earshot.Post) any, want any) {
		t.Helper()
		_, p, err := readQueryLine([]byte(`{"query":"q",` + member + `}`))
		if err != nil {
			t.Errorf("%s: %v", member, err)
			return
		}
		if got := of(p); got != want {
			t.Errorf("%s: got %#v, want %#v", member, got, want)
		}
	}
	source := func(p *earshot.Post) any { return p.Source }
	f(`"source":"GOOGLE_PLUS"`, source, earshot.GooglePlus)
	f(`"type":"blog"`, source, earshot.Blogs)
	f(`"pubType":" news "`, source, earshot.News)
	f(`"source":"Letters"`, source, earshot.Source("Letters"))
	f(`"type":"News","pubType":"Blogs","source":"Reddit"`, source, earshot.Reddit)

	place := func(p *earshot.Post) any { return p.Place }
	f(`"country":"Germany"`, place, earshot.Place{Country: "DEU"})
	f(`"country":"uk"`, place, earshot.Place{Country: "GBR"})
	f(`"country":"日本"`, place, earshot.Place{Country: "JPN"})
	f(`"country":"Atlantis"`, place, earshot.Place{Country: "Atlantis"})
	f(`"country":"us","region":"California"`, place, earshot.Place{Country: "USA", State: "CA"})
	f(`"country":"us","region":"ca"`, place, earshot.Place{Country: "USA", State: "CA"})
	f(`"country":"JAM","region":"St. Elizabeth"`, place, earshot.Place{Country: "JAM", State: "St. Elizabeth"})
	f(`"country":"us","region":"Narnia"`, place, earshot.Place{Country: "USA", State: "Narnia"})
	f(`"region":"California"`, place, earshot.Place{State: "California"})
	f(`"continent":"Europe"`, place, earshot.Place{})
	f(`"continent":"eu"`, func(p *earshot.Post) any { return p.Location }, "Europe")
	f(`"continent":"Asia","country":"France"`, place, earshot.Place{Country: "FRA"})

	gender := func(p *earshot.Post) any { return p.Gender }
	f(`"authorGender":"male"`, gender, earshot.Male)
	f(`"authorGender":"m"`, gender, earshot.Male)
	f(`"authorGender":"unknown"`, gender, earshot.Gender(""))

	language := func(p *earshot.Post) any { return p.Language }
	f(`"language":"en-GB"`, language, "en")
	f(`"language":"PT_br"`, language, "pt")
	f(`"language":"EN"`, language, "en")

	site := func(p *earshot.Post) any { return p.Site }
	f(`"site":"https://www.Example.com/a?b"`, site, "example.com")
	f(`"site":"News.example.com"`, site, "news.example.com")
	f(`"site":"","url":"http://example.com/"`, site, "example.com")

	verified := func(p *earshot.Post) any { return p.Verified }
	f(`"authorVerified":1`, verified, true)
	f(`"authorVerified":"yes"`, verified, true)
	f(`"authorVerified":"no"`, verified, false)

	f(`"engagementType":"reply"`, func(p *earshot.Post) any { return p.Engagement }, earshot.Reply)
	f(`"engagingWith":"@Bob"`, func(p *earshot.Post) any { return p.EngagingWith }, "Bob")
	f(`"custom.Order Number":66`, func(p *earshot.Post) any { return p.Custom["Order Number"] }, "66")
	f(`"Custom.a.b":"c","custom":{"a.b":"d","e":"f"}`, func(p *earshot.Post) any { return p.Custom["a.b"] + p.Custom["e"] }, "cf")
	f(`"title":"old","TITLE":"other"`, func(p *earshot.Post) any { return p.Title }, "old")
	f(`"contents":"  as it is\n"`, func(p *earshot.Post) any { return p.Contents }, "  as it is\n")
}

func TestACoordinateAloneMatchesNoRangeOfTheOther(t *testing.T) {
	_, p, err := readQueryLine([]byte(`{"query":"q","latitude":40.5}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.Point == nil || p.Point.Latitude != 40.5 || !math.IsNaN(p.Point.Longitude) {
		t.Errorf("got %+v, want 40.5 and NaN", p.Point)
	}
}

func TestBadQueryLines(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		text, p, err := readQueryLine([]byte(line))
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: got error %v, want %s", line, err, want)
		}
		if text != "" || p != nil {
			t.Errorf("%.60q: got query %q and post %v in addition to the error", line, text, p)
		}
	}
	f("", "the line is empty")
	f("  ", "the line is empty")
	f("nonsense", "the line is not JSON: invalid character 'o' in literal null (expecting 'u')")
	f(`{"query":"q"`, "the line is not JSON: unexpected EOF")
	f(`{"query":"q"} {}`, "the line is not one JSON object")
	f(`{"query":"q"}]`, "the line is not one JSON object")
	f(`["query"]`, "the line is not one JSON object")
	f("null", "the line is not one JSON object")
	f("{\"query\":\"\xff\"}", "the line is not UTF-8")
	f(strings.Repeat(`{"a":`, 20_000), "the line is not JSON: invalid character '{' exceeded max depth")
	f(`{"title":"T"}`, "query is missing")
	f(`{"query":5}`, "query must be a string")
	f(`{"query":null}`, "query must be a string")

	f(`{"query":"q","title":["T"]}`, "title must be a string")
	f(`{"query":"q","contents":true}`, "contents must be a string")
	f(`{"query":"q","source":{}}`, "source must be a string")
	f(`{"query":"q","site":[]}`, "site must be a string")
	f(`{"query":"q","hashtags":{"a":1}}`, "hashtags must be a list of strings, or a string")
	f(`{"query":"q","at_mentions":[["a"]]}`, "at_mentions must be a list of strings, or a string")
	f(`{"query":"q","links":true}`, "links must be a list of strings, or a string")
	f(`{"query":"q","authorFollowers":-1}`, "authorFollowers must be a whole number of 0 or more")
	f(`{"query":"q","authorFollowers":1.5}`, "authorFollowers must be a whole number of 0 or more")
	f(`{"query":"q","likes":1e300}`, "likes must be a whole number of 0 or more")
	f(`{"query":"q","likes":"many"}`, "likes must be a whole number of 0 or more")
	f(`{"query":"q","rating":"NaN"}`, "rating must be a number")
	f(`{"query":"q","rating":1e999}`, "rating must be a number")
	f(`{"query":"q","rating":true}`, "rating must be a number")
	f(`{"query":"q","authorVerified":"perhaps"}`, "authorVerified must be true or false")
	f(`{"query":"q","authorVerified":[]}`, "authorVerified must be true or false")
	f(`{"query":"q","authorGender":"X"}`, "authorGender 'X' is neither M nor F")
	f(`{"query":"q","date":"yesterday"}`, "date 'yesterday' is not a time like 2024-01-31T08:30:00 or 2024-01-31T08:30:00Z")
	f(`{"query":"q","latitude":91}`, "latitude must be from -90 to 90")
	f(`{"query":"q","longitude":-180.5}`, "longitude must be from -180 to 180")
	f(`{"query":"q","geolocation":5}`, "geolocation must be an object")
	f(`{"query":"q","geolocation":{"Latitude":"north"}}`, "geolocation.latitude must be a number")
	f(`{"query":"q","geolocation":{"id":"Narnia"}}`, "geolocation.id 'Narnia' is not a geography id like USA, USA.CA or USA.CA.San Diego")
	f(`{"query":"q","custom":[]}`, "custom must be an object")
	f(`{"query":"q","custom":{"b":1,"a":[]}}`, "custom.a must be a string")
	f(`{"query":"q","custom.a":{}}`, "custom.a must be a string")
}

func FuzzQueryLine(f *testing.F) {
	f.Add([]byte(`{"query":"q","source":"News","contents":"a #b @c","country":"us","region":"ca","latitude":"1","custom.x":1,"hashtags":"a,b"}`))
	f.Add([]byte(`{"query":"q","geolocation":{"id":"USA"},"custom":{"a":null},"rating":"1e3"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		text, p, err := readQueryLine(line)
		if (err == nil) != (p != nil) || err != nil && text != "" {
			t.Errorf("got query %q, post %v, error %v", text, p, err)
		}
	})
}
