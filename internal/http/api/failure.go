package api

import (
	"path"
	"slices"
	"strings"

	"earshot/internal/http/reference"
	"earshot/internal/http/rest"
)

// failures are the errors that endpoints answer with, as documents tell of them. The
// messages themselves stand where they are made; a test of app finds these in scenarios.
var failures = []reference.Failure{
	{Status: 400, Message: "Required String parameter '<name>' is not present", Of: needsParameter},
	{Status: 400, Message: "Invalid value '<value>' for parameter '<name>': <what is allowed>", Of: takesParameters},
	{Status: 400, Message: "Invalid keywords at position <n>: <what is wrong>", Of: takesKeywords},
	{Status: 400, Message: "Invalid request body: <what is wrong and where>", Of: takesBody},
	{Status: 400, Message: "No results available for monitor <id> on <date>", Of: under("/api/monitor/volume", "/api/monitor/dayandtime")},
	{Status: 400, Message: "The selected range contains no full week", Of: takes("groupBy")},
	{Status: 400, Message: "The selected range contains no full month", Of: takes("groupBy")},
	{Status: 400, Message: "Interest affinities are only available for monitors with Twitter content.", Of: under("/api/monitor/interestaffinities")},
	{Status: 400, Message: "Interest affinities need at least 250 posts with Twitter content in the selected range, found <n>", Of: under("/api/monitor/interestaffinities")},
	{Status: 400, Message: "No interest has at least 5 posts and an average of 5 authors per day in the selected range", Of: under("/api/monitor/interestaffinities")},
	{Status: 400, Message: "Monitor <id> is not a Twitter Social Monitor", Of: under("/api/monitor/twittersocial/")},
	{Status: 400, Message: "Monitor <id> is not a Facebook Social Monitor", Of: under("/api/monitor/facebook/")},
	{Status: 400, Message: "Monitor <id> is not an Instagram Social Monitor", Of: under("/api/monitor/instagram/followers", "/api/monitor/instagram/sentmedia", "/api/monitor/instagram/totalactivity")},
	{Status: 400, Message: "Selected monitor is not an opinion monitor", Of: under("/api/monitor/train")},
	{Status: 400, Message: "Monitor <id> needs more training: <what is missing>", Of: under("/api/monitor/results", "/api/monitor/posts", "/api/monitor/wordcloud", "/api/realtime/monitor/volumebysentiment")},
	{Status: 400, Message: "Monitor <id> is not enabled for realtime data", Of: needsRealtime},
	{Status: 401, Message: "Invalid credentials", Of: under("/api/authenticate")},
	{Status: 401, Message: "Unauthorized", Of: under("/api/authenticate")},
	{Status: 401, Message: "Required parameter 'auth' not provided", Of: under("/api/stream", "/api/realtime/")},
	{Status: 401, Message: "Full authentication is required to access this resource", Of: needsToken},
	{Status: 403, Message: "Access is denied", Of: needsPermission},
	{Status: 404, Message: "Monitor <id> does not exist", Of: aboutAMonitor},
	{Status: 404, Message: "Category <id> does not exist", Of: under("/api/monitor/train")},
	{Status: 404, Message: "Content source <id> does not exist", Of: takes("documentType")},
	{Status: 404, Message: "Stream cannot be accessed. Reason is 'Stream does not exist'", Of: under("/api/stream/{streamid}")},
	{Status: 404, Message: "Result <id> does not exist", Of: takes("resultId")},
	{Status: 413, Message: "The request body is larger than <n> MB. Please split it into several requests", Of: takesBody},
	{Status: 413, Message: "The request has <n> documents; send at most 1000 in one request", Of: under("/api/content/upload", "/api/monitor/train")},
	{Status: 400, Message: "A monitor may have 20000 training posts with <n> MB of text; remove some that are of little use first", Of: under("/api/monitor/train")},
	{Status: 429, Message: "The limit of <n> requests a minute is reached. Please try again in <n> s", Of: anyEndpoint},
	{Status: 429, Message: "The contract allows <n> documents in 24 hours, <n> were uploaded and <n> more do not fit; nothing was taken. Try again later", Of: under("/api/content/upload")},
	{Status: 429, Message: "The contract allows <n> analysis queries from <date> to before <date> and all of them are used; nothing was computed. Ask for more or try again later", Of: submits},
	{Status: 503, Message: "The monitor is learning from its training posts; try again in a moment", Of: under("/api/monitor/results", "/api/monitor/posts", "/api/monitor/wordcloud", "/api/realtime/monitor/volumebysentiment")},
}

func anyEndpoint(rest.Description) bool { return true }

func needsToken(d rest.Description) bool { return d.Access != rest.Public }

func takesParameters(d rest.Description) bool { return len(d.Params) > 0 }

func takesBody(d rest.Description) bool { return d.Body != nil }

// submits is for the endpoint that takes analyses.
func submits(d rest.Description) bool { return d.Method == "POST" && d.Path == "/api/results" }

// takesKeywords is for endpoints that are given a query.
func takesKeywords(d rest.Description) bool { return takes("filter")(d) || submits(d) }

func needsParameter(d rest.Description) bool {
	return slices.ContainsFunc(d.Params, func(f rest.Field) bool { return f.Required && f.In == "query" })
}

// needsPermission is for endpoints that not everyone with a token may call, or not for every team.
func needsPermission(d rest.Description) bool {
	return d.Access > rest.SignedIn || takes("team")(d)
}

func aboutAMonitor(d rest.Description) bool {
	return under("/api/monitor/", "/api/realtime/monitor/")(d) && takes("id")(d)
}

// needsRealtime is for endpoints that ask for realtime data.
func needsRealtime(d rest.Description) bool {
	return under("/api/realtime/monitor/")(d) && takes("id")(d) && !slices.Contains(alwaysRealtime, path.Base(d.Path))
}

// alwaysRealtime are endpoints for monitors that need not be enabled for realtime data.
var alwaysRealtime = []string{"configure", "enable", "disable", "detail"}

// takes is for endpoints that have a parameter.
func takes(name string) func(rest.Description) bool {
	return func(d rest.Description) bool {
		return slices.ContainsFunc(d.Params, func(f rest.Field) bool { return f.Name == name })
	}
}

// under is for endpoints whose path begins so.
func under(paths ...string) func(rest.Description) bool {
	return func(d rest.Description) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(d.Path, p) })
	}
}
