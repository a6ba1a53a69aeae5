// Package api is the public HTTP API: the list of its endpoints in the order of the specification,
// and the parameters and response of each. Services compute the results; this package defines the
// names and quirks of the wire format.
package api

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/analysis"
	"earshot/internal/content"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/limit"
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/query/filter"
	"earshot/internal/stream"
	"earshot/internal/workspace/postview"
)

// An API serves the public HTTP API.
type API struct {
	Accounts *account.Service
	Monitors *monitor.Service
	Content  *content.Service
	Insight  *insight.Service
	Training *training.Service
	Analysis *analysis.Service
	Streams  *stream.Service
	Filters  *filter.Service
	Posts    *postview.Service
	Now      func() time.Time
	Version  string // program version, shown in the documentation
	Pictures Pictures

	imageRateOnce sync.Once
	imageRate     *limit.Rate // of imageAnalysis; set by imageRateOnce

	ForClients bool // set by the compat setting: adds what some existing programs require
}

// Pictures looks at images.
type Pictures interface {
	Show(ctx context.Context, url string) (*earshot.Picture, error)
}

// Routes returns the routes of the public API in the order of the specification, followed by our
// additions.
func (a *API) Routes() []rest.Route {
	routes := []rest.Route{
		rest.Handle("GET", "/api/authenticate", rest.Public, a.authenticate).SignIn().
			Doc("Authentication", "Returns a token for a user name and password."),

		monitorRoute(a, "/api/monitor/posts", anyMonitor, a.posts).
			Doc("Monitor analysis", "Lists the posts of a monitor, newest first, with their categories and emotions."),
		monitorRoute(a, "/api/monitor/results", anyMonitor, a.results).
			Doc("Monitor analysis", "Counts the posts of each day by category and emotion."),
		monitorRoute(a, "/api/monitor/volume", anyMonitor, a.volume).
			Doc("Monitor analysis", "Counts the posts of a monitor by hour, day, week or month."),
		monitorRoute(a, "/api/monitor/dayandtime", anyMonitor, a.dayAndTime).
			Doc("Monitor analysis", "Counts posts by hour of the day or by day of the week."),
		monitorRoute(a, "/api/monitor/imageresults", anyMonitor, a.imageResults).
			Doc("Monitor analysis", "Counts the posts of each day by objects, scenes, actions and logos in their images."),
		monitorRoute(a, "/api/monitor/sources", anyMonitor, a.sources).
			Doc("Monitor analysis", "Counts the posts of each day by site and source."),
		monitorRoute(a, "/api/monitor/interestaffinities", earshot.RequireMicroblogs, a.affinities).
			Doc("Monitor analysis", "Lists interests that are more common among the authors of a monitor's microblog posts than in general."),
		monitorRoute(a, "/api/monitor/wordcloud", anyMonitor, a.wordCloud).
			Doc("Monitor analysis", "Lists the most frequent words in posts."),
		monitorRoute(a, "/api/monitor/demographics/age", anyMonitor, a.ages).
			Doc("Monitor analysis", "Counts the posts of each day by the age of their authors."),
		monitorRoute(a, "/api/monitor/demographics/gender", anyMonitor, a.genders).
			Doc("Monitor analysis", "Counts the posts of each day by the gender of their authors."),
		monitorRoute(a, "/api/monitor/geography/cities", anyMonitor, a.cities).
			Doc("Monitor analysis", "Counts posts by city, in one country or worldwide."),
		monitorRoute(a, "/api/monitor/geography/states", anyMonitor, a.states).
			Doc("Monitor analysis", "Counts posts by state or province in a country."),
		monitorRoute(a, "/api/monitor/geography/countries", anyMonitor, a.countries).
			Doc("Monitor analysis", "Counts posts by country."),

		monitorRoute(a, "/api/monitor/authors", anyMonitor, a.authors).
			Doc("Microblogs", "Counts the authors of each day's microblog posts and their impressions."),
		monitorRoute(a, "/api/monitor/twittermetrics", anyMonitor, a.twitterMetrics).
			Doc("Microblogs", "Lists the top hashtags and retweets in each day's microblog posts."),
		monitorRoute(a, "/api/monitor/twittersocial/followers", earshot.RequireTwitterSocial, a.twitterFollowers).
			Doc("Microblogs", "Returns the number of followers of an account on each day."),
		monitorRoute(a, "/api/monitor/twittersocial/sentposts", earshot.RequireTwitterSocial, a.sentPosts).
			Doc("Microblogs", "Lists an account's posts on each day with their retweets, replies and impressions."),
		monitorRoute(a, "/api/monitor/twittersocial/totalengagement", earshot.RequireTwitterSocial, a.totalEngagement).
			Doc("Microblogs", "Counts how often others mentioned, replied to and retweeted an account on each day."),

		monitorRoute(a, "/api/monitor/facebook/adminposts", earshot.RequireFacebookSocial, a.adminPosts).
			Doc("Pages", "Lists a page's own posts on each day."),
		monitorRoute(a, "/api/monitor/facebook/pagelikes", earshot.RequireFacebookSocial, a.pageLikes).
			Doc("Pages", "Returns the number of likes of a page on each day."),
		monitorRoute(a, "/api/monitor/facebook/totalactivity", earshot.RequireFacebookSocial, a.pageActivity).
			Doc("Pages", "Counts the posts by a page and by others on it, and the change in their likes, comments and shares, on each day."),

		monitorRoute(a, "/api/monitor/instagram/hashtags", anyMonitor, a.instagramHashtags).
			Doc("Photos", "Lists the hashtags in each day's Instagram posts."),
		monitorRoute(a, "/api/monitor/instagram/followers", earshot.RequireInstagramSocial, a.instagramFollowers).
			Doc("Photos", "Returns the number of followers of an account on each day."),
		monitorRoute(a, "/api/monitor/instagram/sentmedia", earshot.RequireInstagramSocial, a.sentMedia).
			Doc("Photos", "Lists an account's posts on each day."),
		monitorRoute(a, "/api/monitor/instagram/totalactivity", earshot.RequireInstagramSocial, a.photoActivity).
			Doc("Photos", "Counts the posts of an account, and the change in their likes and comments, on each day."),

		rest.Handle("POST", "/api/monitor/train", rest.SignedIn, a.train).
			Doc("Training and metadata", "Adds training posts to a category of an opinion monitor. Adds either all of them or none."),
		monitorRoute(a, "/api/monitor/trainingposts", earshot.RequireOpinion, a.trainingPosts).
			Doc("Training and metadata", "Lists the training posts of an opinion monitor."),
		rest.Handle("GET", "/api/monitor/audit", rest.SignedIn, a.audit).
			Doc("Training and metadata", "Lists the audit log of a monitor, newest entry first. It also works for deleted monitors."),
		monitorRoute(a, "/api/monitor/detail", anyMonitor, a.monitorDetail).
			Doc("Training and metadata", "Returns the settings of a monitor or filter, its categories and its emotions."),
		rest.Handle("GET", "/api/monitor/list", rest.SignedIn, a.monitorList).
			Doc("Training and metadata", "Lists the monitors that the caller may see."),
		rest.Handle("GET", "/api/team/list", rest.SignedIn, a.teamList).
			Doc("Training and metadata", "Lists the caller's teams."),

		rest.Handle("POST", "/api/content/sources", rest.Content, a.addContentSource).
			Doc("Custom content", "Adds a content source to a team."),
		rest.Handle("GET", "/api/content/sources/list", rest.Content, a.contentSourceList).
			Doc("Custom content", "Lists the content sources of a team and the number of documents in each."),
		rest.Handle("DELETE", "/api/content/sources", rest.Content, a.removeContentSource).
			Doc("Custom content", "Deletes a content source and all of its documents."),
		rest.Handle("POST", "/api/content/upload", rest.Content, a.upload).
			Doc("Custom content", "Uploads documents to a content source. Accepts either all of them or none."),
		rest.Handle("POST", "/api/content/delete", rest.Content, a.removeContent).
			Doc("Custom content", "Deletes documents of a content source, by upload batch or by guid or url."),

		rest.Handle("GET", "/api/stream/list", rest.Streams, a.streamList).
			Doc("Realtime streams", "Lists the streams of a team and their monitors."),
		rest.Handle("GET", "/api/stream/{streamid}/posts", rest.Streams, a.streamPosts).Changes().
			Doc("Realtime streams", "Takes the oldest posts off the queue, or reads posts from a cursor without consuming them."),
		rest.Handle("DELETE", "/api/stream/{streamid}/posts", rest.Streams, a.dropStreamPosts).
			Doc("Realtime streams", "Deletes the oldest posts in the queue, or all of them."),

		rest.Handle("POST", "/api/results", rest.SignedIn, a.submitAnalysis).Accepts().
			Doc("Analysis", "Analyzes the posts of up to 24 hours that match a query. The result is in the response or, if it takes longer, available later under an id."),
		rest.Handle("GET", "/api/results/{resultId}", rest.SignedIn, a.analysisResult).
			Doc("Analysis", "Returns the status and result of an analysis."),

		rest.Handle("GET", "/api/geography/info/all", rest.SignedIn, a.geographyAll).
			Doc("Geography", "Lists all countries, states and cities.").
			Responds(geographyResponse{}),
		rest.Handle("GET", "/api/geography/info/countries", rest.SignedIn, a.geographyCountries).
			Doc("Geography", "Lists all countries."),
		rest.Handle("GET", "/api/geography/info/states", rest.SignedIn, a.geographyStates).
			Doc("Geography", "Lists the states or provinces of a country."),
		rest.Handle("GET", "/api/geography/info/cities", rest.SignedIn, a.geographyCities).
			Doc("Geography", "Lists the cities of a country."),

		rest.Handle("POST", "/api/stream", rest.StreamsAdmin, a.addStream).
			Doc("Realtime streams", "Creates a stream without monitors. Administrators only."),
		rest.Handle("POST", "/api/stream/{streamid}", rest.StreamsAdmin, a.renameStream).
			Doc("Realtime streams", "Renames a stream. Administrators only."),
		rest.Handle("DELETE", "/api/stream/{streamid}", rest.StreamsAdmin, a.removeStream).
			Doc("Realtime streams", "Deletes a stream and its queued posts. Administrators only."),
		rest.Handle("POST", "/api/stream/{streamid}/monitor/{monitorid}", rest.StreamsAdmin, a.addStreamMonitor).
			Doc("Realtime streams", "Adds a monitor to a stream, which then receives the monitor's new posts. Administrators only."),
		rest.Handle("DELETE", "/api/stream/{streamid}/monitor/{monitorid}", rest.StreamsAdmin, a.removeStreamMonitor).
			Doc("Realtime streams", "Removes a monitor from a stream. Administrators only."),

		monitorRoute(a, "/api/monitor/demographics/ethnicity", anyMonitor, a.ethnicities).
			Doc("Monitor analysis", "Returns zero counts, for programs that call it: the ethnicity of authors is not inferred."),
		monitorRoute(a, "/api/monitor/topics", anyMonitor, a.topics).
			Doc("Monitor analysis", "Finds topics, which are groups of words that occur together, and counts their posts."),
		monitorRoute(a, "/api/monitor/topicwaves", anyMonitor, a.topicWaves).
			Doc("Monitor analysis", "Finds topics, which are groups of words that occur together, and counts their posts over time."),

		rest.Handle("GET", "/api/imageanalysis", rest.SignedIn, a.imageAnalysis).
			Doc("Image analysis", "Fetches an image and finds out what it shows. Requires the setting images.fetch."),
		rest.Handle("GET", "/api/imageanalysis/resources/classes", rest.SignedIn, a.imageClasses).
			Doc("Image analysis", "Lists what images can show: objects, scenes, actions and logos."),
		rest.Handle("GET", "/api/imageanalysis/resources/classes/type", rest.SignedIn, a.imageClassesOfType).
			Doc("Image analysis", "Lists the objects, scenes, actions or logos that images can show."),
	}
	routes = append(routes, a.realtimeRoutes()...)
	if a.ForClients {
		routes = append(routes,
			monitorMethodRoute(a, "POST", "/api/monitor/posts", anyMonitor, a.postsWithBody).
				Doc("Monitor analysis", "Lists the posts of a monitor. The body contains the fields of the filter."),
			monitorMethodRoute(a, "POST", "/api/monitor/wordcloud", anyMonitor, a.wordCloudWithBody).
				Doc("Monitor analysis", "Lists the most frequent words in posts. The body contains the fields of the filter."))
	}
	return append(routes, a.documentationRoutes(routes)...)
}

// monitorRoute creates a GET route for an endpoint that takes a monitor. The function require
// returns an error if the endpoint does not support a monitor.
func monitorRoute[P monitorParams, R any](a *API, path string, require func(*earshot.Monitor) error,
	fn func(ctx context.Context, m *earshot.Monitor, p P) (R, error)) rest.Route {
	return monitorMethodRoute(a, "GET", path, require, fn)
}

// monitorMethodRoute is monitorRoute for any method.
func monitorMethodRoute[P monitorParams, R any](a *API, method, path string, require func(*earshot.Monitor) error,
	fn func(ctx context.Context, m *earshot.Monitor, p P) (R, error)) rest.Route {
	return rest.Handle(method, path, rest.SignedIn, func(ctx context.Context, c *earshot.Caller, p P) (response R, err error) {
		if err := p.check(); err != nil {
			return response, err
		}
		m, err := a.Monitors.Find(c, p.monitor())
		if err != nil {
			return response, err
		}
		if r, ok := any(&p).(interface{ resolve(*earshot.Monitor) error }); ok {
			if err := r.resolve(m); err != nil {
				return response, err
			}
		}
		if err := require(m); err != nil {
			return response, err
		}
		return fn(ctx, m, p)
	})
}

// anyMonitor accepts every monitor.
func anyMonitor(*earshot.Monitor) error { return nil }

// clientStatus returns the status field of responses that have one only with the compat setting.
func (a *API) clientStatus() *rest.Success {
	if a.ForClients {
		return &rest.Success{}
	}
	return nil
}

// localTime returns t as wall-clock time in the monitor's time zone. See
// docs/decisions/0012-timestamp-time-zones.md.
func localTime(t time.Time, m *earshot.Monitor) earshot.Timestamp {
	return earshot.Timestamp(t.In(m.Location()))
}
