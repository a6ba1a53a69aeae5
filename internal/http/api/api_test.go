package api

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// endpoints are the 46 method and path pairs of the specification, in its order.
const endpoints = `
GET    /api/authenticate
GET    /api/monitor/posts
GET    /api/monitor/results
GET    /api/monitor/volume
GET    /api/monitor/dayandtime
GET    /api/monitor/imageresults
GET    /api/monitor/sources
GET    /api/monitor/interestaffinities
GET    /api/monitor/wordcloud
GET    /api/monitor/demographics/age
GET    /api/monitor/demographics/gender
GET    /api/monitor/geography/cities
GET    /api/monitor/geography/states
GET    /api/monitor/geography/countries
GET    /api/monitor/authors
GET    /api/monitor/twittermetrics
GET    /api/monitor/twittersocial/followers
GET    /api/monitor/twittersocial/sentposts
GET    /api/monitor/twittersocial/totalengagement
GET    /api/monitor/facebook/adminposts
GET    /api/monitor/facebook/pagelikes
GET    /api/monitor/facebook/totalactivity
GET    /api/monitor/instagram/hashtags
GET    /api/monitor/instagram/followers
GET    /api/monitor/instagram/sentmedia
GET    /api/monitor/instagram/totalactivity
POST   /api/monitor/train
GET    /api/monitor/trainingposts
GET    /api/monitor/audit
GET    /api/monitor/detail
GET    /api/monitor/list
GET    /api/team/list
POST   /api/content/sources
GET    /api/content/sources/list
DELETE /api/content/sources
POST   /api/content/upload
POST   /api/content/delete
GET    /api/stream/list
GET    /api/stream/{streamid}/posts
DELETE /api/stream/{streamid}/posts
POST   /api/results
GET    /api/results/{resultId}
GET    /api/geography/info/all
GET    /api/geography/info/countries
GET    /api/geography/info/states
GET    /api/geography/info/cities
`

// beyond lists the endpoints that are not in the specification, in the order of Routes.
const beyond = `
POST   /api/stream
POST   /api/stream/{streamid}
DELETE /api/stream/{streamid}
POST   /api/stream/{streamid}/monitor/{monitorid}
DELETE /api/stream/{streamid}/monitor/{monitorid}
GET    /api/monitor/demographics/ethnicity
GET    /api/monitor/topics
GET    /api/monitor/topicwaves
GET    /api/imageanalysis
GET    /api/imageanalysis/resources/classes
GET    /api/imageanalysis/resources/classes/type
GET    /api/realtime/monitor/list
POST   /api/realtime/monitor/configure
GET    /api/realtime/monitor/enable
GET    /api/realtime/monitor/disable
GET    /api/realtime/monitor/detail
GET    /api/realtime/monitor/details
GET    /api/realtime/monitor/volume
GET    /api/realtime/monitor/volumebysentiment
GET    /api/realtime/monitor/volumebyemotion
GET    /api/realtime/monitor/hashtags
GET    /api/realtime/monitor/cashtags
GET    /api/realtime/monitor/tweets
GET    /api/realtime/monitor/fulltweets
GET    /api/realtime/monitor/retweets
GET    /api/realtime/monitor/fullretweets
GET    /api/realtime/monitor/socialguids
GET    /api/documentation
GET    /api/openapi.json
GET    /api/docs
`

func TestRoutesMatchSpecification(t *testing.T) {
	var want []string
	for line := range strings.Lines(strings.TrimSpace(endpoints)) {
		want = append(want, strings.Join(strings.Fields(line), " "))
	}
	if len(want) != 46 {
		t.Fatalf("the list has %d endpoints, the specification 46", len(want))
	}
	var extra []string
	for line := range strings.Lines(strings.TrimSpace(beyond)) {
		extra = append(extra, strings.Join(strings.Fields(line), " "))
	}
	var got, gotExtra []string
	for _, r := range (&API{}).Routes() {
		name := r.Method + " " + r.Path
		if slices.Contains(extra, name) {
			gotExtra = append(gotExtra, name)
		} else {
			got = append(got, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("routes differ from the list\nserved %v\nlisted %v", got, want)
	}
	if !slices.Equal(gotExtra, extra) {
		t.Errorf("routes differ from the list of additions to the specification\nserved %v\nlisted %v", gotExtra, extra)
	}
}

// TestPathSyntax guards against a typo that is both in the list above and in Routes.
func TestPathSyntax(t *testing.T) {
	path := regexp.MustCompile(`^/api(/[a-z]+|/\{[a-zA-Z]+\})+$`)
	for _, r := range (&API{}).Routes() {
		if !path.MatchString(r.Path) && !strings.Contains(beyond, r.Path+"\n") {
			t.Errorf("%s %s does not match the path syntax of the specification", r.Method, r.Path)
		}
	}
}
