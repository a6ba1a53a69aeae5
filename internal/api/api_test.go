package api

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// endpoints are the 46 method and path pairs of the specification, in its order.
// Those marked "later" are not served yet.
const endpoints = `
GET    /api/authenticate
GET    /api/monitor/posts
GET    /api/monitor/results                        later
GET    /api/monitor/volume
GET    /api/monitor/dayandtime                     later
GET    /api/monitor/imageresults                   later
GET    /api/monitor/sources                        later
GET    /api/monitor/interestaffinities             later
GET    /api/monitor/wordcloud                      later
GET    /api/monitor/demographics/age               later
GET    /api/monitor/demographics/gender            later
GET    /api/monitor/geography/cities               later
GET    /api/monitor/geography/states               later
GET    /api/monitor/geography/countries            later
GET    /api/monitor/authors                        later
GET    /api/monitor/twittermetrics                 later
GET    /api/monitor/twittersocial/followers        later
GET    /api/monitor/twittersocial/sentposts        later
GET    /api/monitor/twittersocial/totalengagement  later
GET    /api/monitor/facebook/adminposts            later
GET    /api/monitor/facebook/pagelikes             later
GET    /api/monitor/facebook/totalactivity         later
GET    /api/monitor/instagram/hashtags             later
GET    /api/monitor/instagram/followers            later
GET    /api/monitor/instagram/sentmedia            later
GET    /api/monitor/instagram/totalactivity        later
POST   /api/monitor/train                          later
GET    /api/monitor/trainingposts                  later
GET    /api/monitor/audit
GET    /api/monitor/detail
GET    /api/monitor/list
GET    /api/team/list
POST   /api/content/sources
GET    /api/content/sources/list
DELETE /api/content/sources
POST   /api/content/upload
POST   /api/content/delete
GET    /api/stream/list                            later
GET    /api/stream/{streamid}/posts                later
DELETE /api/stream/{streamid}/posts                later
POST   /api/results                                later
GET    /api/results/{resultId}                     later
GET    /api/geography/info/all
GET    /api/geography/info/countries
GET    /api/geography/info/states
GET    /api/geography/info/cities
`

func TestRoutesAreTheSpecifications(t *testing.T) {
	var specified, want []string
	for line := range strings.Lines(strings.TrimSpace(endpoints)) {
		fields := strings.Fields(line)
		specified = append(specified, fields[0]+" "+fields[1])
		if len(fields) == 2 {
			want = append(want, fields[0]+" "+fields[1])
		}
	}
	if len(specified) != 46 {
		t.Fatalf("the list has %d endpoints, the specification 46", len(specified))
	}
	var got []string
	for _, r := range (&API{}).Routes() {
		got = append(got, r.Method+" "+r.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the route table and the list differ\nserved %v\nlisted %v", got, want)
	}
	t.Logf("%d of %d endpoints are served", len(got), len(specified))
}

// TestPathsAreSpelledAsInTheSpecification guards against a typing error that
// both the list and the table share.
func TestPathsAreSpelledAsInTheSpecification(t *testing.T) {
	path := regexp.MustCompile(`^/api(/[a-z]+|/\{[a-zA-Z]+\})+$`)
	for _, r := range (&API{}).Routes() {
		if !path.MatchString(r.Path) {
			t.Errorf("%s %s is not spelled as the specification spells paths", r.Method, r.Path)
		}
	}
}
