package api

import (
	"path"
	"slices"
	"strings"

	"earshot/internal/http/reference"
	"earshot/internal/http/rest"
)

// failures are the errors of endpoints, as the documentation lists them. The messages themselves
// are defined where they occur. A test of package app checks that scenarios contain the ones listed
// here.
var failures = []reference.Failure{
	{Status: 400, Message: "Required String parameter '<name>' is not present", AppliesTo: requiresParameter},
	{Status: 400, Message: "Invalid value '<value>' for parameter '<name>': <what is allowed>", AppliesTo: hasParameters},
	{Status: 400, Message: "Invalid keywords at position <n>: <what is wrong>", AppliesTo: hasKeywords},
	{Status: 400, Message: "Invalid request body: <what is wrong and where>", AppliesTo: hasBody},
	{Status: 400, Message: "No results available for monitor <id> on <date>", AppliesTo: hasPrefix("/api/monitor/volume", "/api/monitor/dayandtime")},
	{Status: 400, Message: "The selected range contains no full week", AppliesTo: hasParameter("groupBy")},
	{Status: 400, Message: "The selected range contains no full month", AppliesTo: hasParameter("groupBy")},
	{Status: 400, Message: "Interest affinities are only available for monitors with Twitter content.", AppliesTo: hasPrefix("/api/monitor/interestaffinities")},
	{Status: 400, Message: "Interest affinities need at least 250 posts with <source> content in the selected range, found <n>", AppliesTo: hasPrefix("/api/monitor/interestaffinities")},
	{Status: 400, Message: "No interest has at least 5 posts and an average of 5 authors per day in the selected range", AppliesTo: hasPrefix("/api/monitor/interestaffinities")},
	{Status: 400, Message: "Monitor <id> is not a Twitter Social Monitor", AppliesTo: hasPrefix("/api/monitor/twittersocial/")},
	{Status: 400, Message: "Monitor <id> is not a Facebook Social Monitor", AppliesTo: hasPrefix("/api/monitor/facebook/")},
	{Status: 400, Message: "Monitor <id> is not an Instagram Social Monitor", AppliesTo: hasPrefix("/api/monitor/instagram/followers", "/api/monitor/instagram/sentmedia", "/api/monitor/instagram/totalactivity")},
	{Status: 400, Message: "Selected monitor is not an opinion monitor", AppliesTo: hasPrefix("/api/monitor/train")},
	{Status: 400, Message: "Monitor <id> needs more training: <what is missing>", AppliesTo: hasPrefix("/api/monitor/results", "/api/monitor/posts", "/api/monitor/wordcloud", "/api/realtime/monitor/volumebysentiment")},
	{Status: 400, Message: "Monitor <id> is not enabled for realtime data", AppliesTo: requiresRealtime},
	{Status: 400, Message: "Earshot does not fetch pictures. An administrator can turn it on with the setting images.fetch", AppliesTo: isImageAnalysis},
	{Status: 401, Message: "Invalid credentials", AppliesTo: hasPrefix("/api/authenticate")},
	{Status: 401, Message: "Unauthorized", AppliesTo: hasPrefix("/api/authenticate")},
	{Status: 401, Message: "Required parameter 'auth' not provided", AppliesTo: hasPrefix("/api/stream", "/api/realtime/")},
	{Status: 401, Message: "Full authentication is required to access this resource", AppliesTo: requiresToken},
	{Status: 403, Message: "Access is denied", AppliesTo: requiresPermission},
	{Status: 404, Message: "Monitor <id> does not exist", AppliesTo: hasMonitor},
	{Status: 404, Message: "Category <id> does not exist", AppliesTo: hasPrefix("/api/monitor/train")},
	{Status: 404, Message: "Content source <id> does not exist", AppliesTo: hasParameter("documentType")},
	{Status: 404, Message: "Stream cannot be accessed. Reason is 'Stream does not exist'", AppliesTo: hasPrefix("/api/stream/{streamid}")},
	{Status: 404, Message: "Result <id> does not exist", AppliesTo: hasParameter("resultId")},
	{Status: 405, Message: "Method <METHOD> is not supported for <path>. Please use: <methods>", AppliesTo: anyEndpoint},
	{Status: 413, Message: "The request body is larger than <n> MB. Please split it into several requests", AppliesTo: hasBody},
	{Status: 413, Message: "The request has <n> documents; send at most 1000 in one request", AppliesTo: hasPrefix("/api/content/upload", "/api/monitor/train")},
	{Status: 400, Message: "A monitor can have at most 20000 training posts with <n> MB of text; remove the less useful ones first", AppliesTo: hasPrefix("/api/monitor/train")},
	{Status: 429, Message: "The limit of <n> requests a minute is reached. Please try again in <n> s", AppliesTo: anyEndpoint},
	{Status: 422, Message: "The picture could not be fetched: <what is wrong>", AppliesTo: isImageAnalysis},
	{Status: 429, Message: "The contract allows <n> documents in 24 hours, <n> were uploaded and <n> more do not fit; nothing was taken. Try again later", AppliesTo: hasPrefix("/api/content/upload")},
	{Status: 429, Message: "The contract allows <n> analysis queries from <date> to before <date> and all of them are used; nothing was computed. Ask for more or try again later", AppliesTo: isSubmission},
	{Status: 500, Message: "Internal error", AppliesTo: anyEndpoint},
	{Status: 503, Message: "The monitor is learning from its training posts; try again in a moment", AppliesTo: hasPrefix("/api/monitor/results", "/api/monitor/posts", "/api/monitor/wordcloud", "/api/realtime/monitor/volumebysentiment")},
	{Status: 507, Message: "The disk is full. Free some space or add storage, then try again", AppliesTo: writes},
}

// The functions below report whether an error applies to an endpoint.

func anyEndpoint(rest.Description) bool { return true }

func isImageAnalysis(d rest.Description) bool { return d.Path == "/api/imageanalysis" }

func requiresToken(d rest.Description) bool { return d.Access != rest.Public }

func hasParameters(d rest.Description) bool { return len(d.Params) > 0 }

// writes reports whether the endpoint stores something.
func writes(d rest.Description) bool { return d.Method != "GET" || hasPrefix("/api/authenticate")(d) }

func hasBody(d rest.Description) bool { return d.Body != nil }

// isSubmission reports whether the endpoint submits analyses.
func isSubmission(d rest.Description) bool { return d.Method == "POST" && d.Path == "/api/results" }

// hasKeywords reports whether the endpoint takes a query.
func hasKeywords(d rest.Description) bool { return hasParameter("filter")(d) || isSubmission(d) }

func requiresParameter(d rest.Description) bool {
	return slices.ContainsFunc(d.Params, func(f rest.Field) bool { return f.Required && f.In == "query" })
}

// requiresPermission reports whether the endpoint needs a permission or checks team membership.
func requiresPermission(d rest.Description) bool {
	return d.Access > rest.SignedIn || hasParameter("team")(d)
}

func hasMonitor(d rest.Description) bool {
	return hasPrefix("/api/monitor/", "/api/realtime/monitor/")(d) && hasParameter("id")(d)
}

// requiresRealtime reports whether the endpoint needs a monitor that is enabled for realtime data.
func requiresRealtime(d rest.Description) bool {
	return hasPrefix("/api/realtime/monitor/")(d) && hasParameter("id")(d) && !slices.Contains(alwaysRealtime, path.Base(d.Path))
}

// alwaysRealtime lists the realtime endpoints that also accept monitors that are not enabled for
// realtime data.
var alwaysRealtime = []string{"configure", "enable", "disable", "detail"}

// hasParameter returns a function that reports whether an endpoint has the named parameter.
func hasParameter(name string) func(rest.Description) bool {
	return func(d rest.Description) bool {
		return slices.ContainsFunc(d.Params, func(f rest.Field) bool { return f.Name == name })
	}
}

// hasPrefix returns a function that reports whether an endpoint's path starts with one of the
// prefixes.
func hasPrefix(paths ...string) func(rest.Description) bool {
	return func(d rest.Description) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(d.Path, p) })
	}
}
