// Package manage is Earshot's own HTTP API under /manage/v1, for the command-line tool, the web
// app, connectors and scripts. It does what the public API cannot: create users, teams, monitors,
// filters and streams, and import posts. Administrators may do everything. Members of a team manage
// that team's monitors, which are invisible to everyone else.
package manage

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/analysis"
	"earshot/internal/cluster"
	"earshot/internal/connector"
	"earshot/internal/content"
	"earshot/internal/http/rest"
	"earshot/internal/ingest/rematch"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/notify/delivery"
	"earshot/internal/notify/digest"
	"earshot/internal/notify/signal"
	"earshot/internal/operate/erasure"
	"earshot/internal/patch"
	"earshot/internal/picture"
	"earshot/internal/query/filter"
	"earshot/internal/stream"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/correction"
	"earshot/internal/workspace/dashboard"
	"earshot/internal/workspace/export"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/label"
	"earshot/internal/workspace/mark"
	"earshot/internal/workspace/postview"
	"earshot/internal/workspace/share"
)

// An API serves /manage/v1.
type API struct {
	Accounts    *account.Service
	Monitors    *monitor.Service
	Content     *content.Service
	Insight     *insight.Service
	Training    *training.Service
	Streams     *stream.Service
	Analysis    *analysis.Service
	Filters     *filter.Service
	Posts       *postview.Service
	Cards       *card.Service
	Incidents   *incident.Service
	Sources     Sources
	Erasure     *erasure.Service
	Dashboards  *dashboard.Service
	Marks       *mark.Service
	Corrections *correction.Service
	Labels      *label.Service
	Exports     *export.Service
	Shares      *share.Service
	Digest      *digest.Service
	Composer    *digest.Composer
	Deliveries  *delivery.Service
	Signals     *signal.Service
	Pictures    *picture.Service
	Contract    ContractStore
	Status      func(ctx context.Context) (Status, error)

	// Cluster returns the state of all nodes. RemoveNode removes a node that has been stopped, by ID
	// or name.
	Cluster    func(ctx context.Context) (cluster.Status, error)
	RemoveNode func(ctx context.Context, node string) error

	Backup  func(ctx context.Context, w io.Writer) error // writes a tar file
	Rematch Rematcher
	Ready   func() error // an error until results are complete
	Now     func() time.Time
	Log     *slog.Logger
	Version string     // program version
	Demo    *DemoLogin // nil unless this is the demo

	SourceKinds []connector.Kind
	OPML        OPML

	// ModelVersions maps the models that process posts to their versions.
	ModelVersions map[string]int

	listeners listeners // open event streams
}

// A Rematcher keeps stored posts up to date with changed monitors and newer models.
type Rematcher interface {
	Progress(id earshot.MonitorID) rematch.Progress
	Reinfer(ctx context.Context, all bool) error
	ReinferProgress() rematch.Progress
}

// A ContractStore stores the contract.
type ContractStore interface {
	Contract(ctx context.Context) (earshot.Contract, error)
	SetContract(ctx context.Context, c earshot.Contract) error
}

// Routes returns the routes of the management API.
func (a *API) Routes() []rest.Route {
	const v1 = "/manage/v1"
	return []rest.Route{
		rest.Handle("POST", v1+"/tokens", rest.Public, a.addToken).SignIn(),
		rest.Handle("DELETE", v1+"/tokens", rest.SignedIn, a.endTokens),

		rest.Handle("POST", v1+"/session", rest.Public, a.startSession).SameOrigin().SignIn(),
		rest.Handle("GET", v1+"/session", rest.SignedIn, a.showSession).Guests().TemporaryPassword(),
		rest.Handle("DELETE", v1+"/session", rest.SignedIn, a.endSession).TemporaryPassword(),
		rest.Handle("POST", v1+"/session/token", rest.SignedIn, a.addSessionToken),
		rest.Handle("POST", v1+"/session/password", rest.SignedIn, a.changePassword).TemporaryPassword(),

		rest.Handle("GET", v1+"/teams", rest.SignedIn, a.listTeams),
		rest.Handle("POST", v1+"/teams", rest.Admin, a.addTeam),
		rest.Handle("GET", v1+"/teams/{id}", rest.SignedIn, find(a.Accounts.FindTeam, newTeam)),
		rest.Handle("PATCH", v1+"/teams/{id}", rest.Admin, a.editTeam),
		rest.Handle("DELETE", v1+"/teams/{id}", rest.Admin, a.removeTeam),
		rest.Handle("GET", v1+"/teams/{id}/members", rest.SignedIn, a.listMembers),
		rest.Handle("GET", v1+"/teams/{id}/tags", rest.SignedIn, a.listTags),
		rest.Handle("PATCH", v1+"/teams/{id}/tags/{tag}", rest.SignedIn, a.renameTag),
		rest.Handle("DELETE", v1+"/teams/{id}/tags/{tag}", rest.SignedIn, a.removeTag),

		rest.Handle("GET", v1+"/users", rest.Admin, a.listUsers),
		rest.Handle("POST", v1+"/users", rest.Admin, a.addUser),
		rest.Handle("GET", v1+"/users/{id}", rest.Admin, a.showUser),
		rest.Handle("PATCH", v1+"/users/{id}", rest.Admin, a.editUser),
		rest.Handle("DELETE", v1+"/users/{id}", rest.Admin, a.removeUser),

		rest.Handle("GET", v1+"/invitations", rest.Admin, a.listInvitations),
		rest.Handle("POST", v1+"/invitations", rest.Admin, a.addInvitation),
		rest.Handle("DELETE", v1+"/invitations/{id}", rest.Admin, remove(a.Accounts.RevokeInvitation)),
		rest.Handle("POST", v1+"/invitations/open", rest.Public, a.openInvitation).SameOrigin().SignIn(),
		rest.Handle("POST", v1+"/invitations/accept", rest.Public, a.acceptInvitation).SameOrigin().SignIn(),

		rest.Handle("GET", v1+"/monitors", rest.SignedIn, list(a.Monitors.List, func(m *earshot.Monitor) int64 { return int64(m.ID) }, newMonitor)),
		rest.Handle("POST", v1+"/monitors", rest.SignedIn, a.addMonitor),
		rest.Handle("POST", v1+"/monitors/preview", rest.SignedIn, a.previewMonitor),
		rest.Handle("GET", v1+"/monitors/{id}", rest.SignedIn, find(a.monitor, newMonitor)),
		rest.Handle("PATCH", v1+"/monitors/{id}", rest.SignedIn, a.editMonitor),
		rest.Handle("DELETE", v1+"/monitors/{id}", rest.SignedIn, remove(a.Monitors.Remove)),
		rest.Handle("POST", v1+"/monitors/{id}/enable", rest.SignedIn, act(a.Monitors.Enable, newMonitor)),
		rest.Handle("POST", v1+"/monitors/{id}/disable", rest.SignedIn, act(a.Monitors.Disable, newMonitor)),
		rest.Handle("POST", v1+"/monitors/{id}/reset", rest.SignedIn, a.resetMonitor),
		rest.Handle("GET", v1+"/monitors/{id}/progress", rest.SignedIn, a.showProgress),
		rest.Handle("POST", v1+"/monitors/{id}/snapshots", rest.SignedIn, a.addSnapshots),
		rest.Handle("GET", v1+"/monitors/{id}/overview", rest.SignedIn, a.showOverview),
		rest.Handle("GET", v1+"/monitors/{id}/explanation", rest.SignedIn, a.showExplanation),
		rest.Handle("GET", v1+"/monitors/{id}/incidents", rest.SignedIn, a.listMonitorIncidents),
		rest.Handle("GET", v1+"/monitors/{id}/summary", rest.SignedIn, a.summarize),
		rest.Handle("GET", v1+"/monitors/{id}/voices", rest.SignedIn, a.showVoices),
		rest.Handle("GET", v1+"/monitors/{id}/topics", rest.SignedIn, a.showTopics),
		rest.Handle("GET", v1+"/monitors/{id}/changes", rest.SignedIn, a.showChanges),
		rest.Handle("GET", v1+"/monitors/{id}/account", rest.SignedIn, a.showAccount),
		rest.Handle("GET", v1+"/monitors/{id}/report", rest.SignedIn, a.reportMonitor),
		rest.Handle("GET", v1+"/summary", rest.SignedIn, a.showSummary),
		rest.Handle("GET", v1+"/incidents", rest.SignedIn, a.listIncidents),
		rest.Handle("POST", v1+"/compare", rest.SignedIn, a.compare),
		rest.Handle("GET", v1+"/author", rest.SignedIn, a.showAuthor),
		rest.Handle("GET", v1+"/author/posts", rest.SignedIn, a.listAuthorPosts),

		rest.Handle("GET", v1+"/monitors/{id}/posts", rest.SignedIn, a.listPosts),
		rest.Handle("PATCH", v1+"/monitors/{id}/posts", rest.SignedIn, a.editPosts),
		rest.Handle("POST", v1+"/monitors/{id}/exclusions", rest.SignedIn, a.excludeTerms),
		rest.Handle("GET", v1+"/monitors/{id}/posts/{key}", rest.SignedIn, a.showPost),
		rest.Handle("GET", v1+"/monitors/{id}/pictures", rest.SignedIn, a.listPictures),
		rest.Handle("GET", v1+"/monitors/{id}/pictures/{hash}/posts", rest.SignedIn, a.listPicturePosts),
		rest.Handle("GET", v1+"/pictures/{hash}", rest.SignedIn, a.showPicture),
		rest.Handle("GET", v1+"/monitors/{id}/export", rest.SignedIn, a.exportPosts),
		rest.Handle("PUT", v1+"/monitors/{id}/posts/{key}/correction", rest.SignedIn, a.setCorrection),
		rest.Handle("PATCH", v1+"/monitors/{id}/posts/{key}/correction", rest.SignedIn, a.editCorrection),
		rest.Handle("DELETE", v1+"/monitors/{id}/posts/{key}/correction", rest.SignedIn, a.removeCorrection),
		rest.Handle("GET", v1+"/monitors/{id}/labels", rest.SignedIn, a.showLabels),
		rest.Handle("GET", v1+"/monitors/{id}/labels/next", rest.SignedIn, a.listUnlabeled),
		rest.Handle("POST", v1+"/monitors/{id}/samples", rest.SignedIn, a.drawSample),
		rest.Handle("DELETE", v1+"/samples/{id}", rest.SignedIn, remove(a.Labels.RemoveSample)),
		rest.Handle("PUT", v1+"/monitors/{id}/posts/{key}/label", rest.SignedIn, a.setLabel),
		rest.Handle("DELETE", v1+"/monitors/{id}/posts/{key}/label", rest.SignedIn, a.removeLabel),
		rest.Handle("GET", v1+"/monitors/{id}/corrections", rest.SignedIn, a.listCorrections),
		rest.Handle("GET", v1+"/monitors/{id}/corrections/export", rest.SignedIn, a.exportCorrections),
		rest.Handle("GET", v1+"/monitors/{id}/posts/{key}/mark", rest.SignedIn, a.showMark),
		rest.Handle("PATCH", v1+"/monitors/{id}/posts/{key}/mark", rest.SignedIn, a.editMark),
		rest.Handle("POST", v1+"/monitors/{id}/posts/{key}/notes", rest.SignedIn, a.addNote),
		rest.Handle("PATCH", v1+"/monitors/{id}/posts/{key}/notes/{note}", rest.SignedIn, a.editNote),
		rest.Handle("DELETE", v1+"/monitors/{id}/posts/{key}/notes/{note}", rest.SignedIn, a.removeNote),

		rest.Handle("GET", v1+"/monitors/{id}/training", rest.SignedIn, a.listTraining),
		rest.Handle("POST", v1+"/monitors/{id}/training", rest.SignedIn, a.addTraining),
		rest.Handle("GET", v1+"/monitors/{id}/training/suggestions", rest.SignedIn, a.listSuggestions),
		rest.Handle("PATCH", v1+"/monitors/{id}/training/{post}", rest.SignedIn, a.editTraining),
		rest.Handle("DELETE", v1+"/monitors/{id}/training/{post}", rest.SignedIn, a.removeTraining),
		rest.Handle("GET", v1+"/monitors/{id}/model", rest.SignedIn, a.showModel),
		rest.Handle("GET", v1+"/monitors/{id}/proportions", rest.SignedIn, a.showProportions),

		rest.Handle("GET", v1+"/monitors/{id}/filters", rest.SignedIn, a.listFilters),
		rest.Handle("POST", v1+"/monitors/{id}/filters", rest.SignedIn, a.addFilter),
		rest.Handle("GET", v1+"/filters/{id}", rest.SignedIn, a.showFilter),
		rest.Handle("PATCH", v1+"/filters/{id}", rest.SignedIn, a.editFilter),
		rest.Handle("DELETE", v1+"/filters/{id}", rest.SignedIn, remove(a.Monitors.RemoveFilter)),

		rest.Handle("GET", v1+"/marked", rest.SignedIn, a.listMarked),

		rest.Handle("GET", v1+"/annotations", rest.SignedIn, a.listAnnotations),
		rest.Handle("POST", v1+"/annotations", rest.SignedIn, a.addAnnotation),
		rest.Handle("GET", v1+"/annotations/{id}", rest.SignedIn, find(a.Marks.FindAnnotation, card.NewAnnotation)),
		rest.Handle("PATCH", v1+"/annotations/{id}", rest.SignedIn, a.editAnnotation),
		rest.Handle("DELETE", v1+"/annotations/{id}", rest.SignedIn, remove(a.Marks.RemoveAnnotation)),

		rest.Handle("GET", v1+"/views", rest.SignedIn, a.listViews),
		rest.Handle("POST", v1+"/views", rest.SignedIn, a.addView),
		rest.Handle("GET", v1+"/views/{id}", rest.SignedIn, find(a.Marks.FindView, newSavedView)),
		rest.Handle("PATCH", v1+"/views/{id}", rest.SignedIn, a.editView),
		rest.Handle("DELETE", v1+"/views/{id}", rest.SignedIn, remove(a.Marks.RemoveView)),

		rest.Handle("GET", v1+"/dashboards", rest.SignedIn, list(a.Dashboards.List, func(d *earshot.Dashboard) int64 { return int64(d.ID) }, newDashboardInfo)),
		rest.Handle("POST", v1+"/dashboards", rest.SignedIn, a.addDashboard),
		rest.Handle("GET", v1+"/dashboards/{id}", rest.SignedIn, find(a.Dashboards.Find, a.newDashboard)),
		rest.Handle("PATCH", v1+"/dashboards/{id}", rest.SignedIn, a.editDashboard),
		rest.Handle("DELETE", v1+"/dashboards/{id}", rest.SignedIn, remove(a.Dashboards.Remove)),
		rest.Handle("GET", v1+"/dashboards/{id}/report", rest.SignedIn, a.reportDashboard),
		rest.Handle("GET", v1+"/dashboards/{id}/cards", rest.SignedIn, a.listCards),
		rest.Handle("GET", v1+"/dashboards/{id}/cards/{card}", rest.SignedIn, a.showCard),
		rest.Handle("POST", v1+"/cards", rest.SignedIn, a.tryCard),

		rest.Handle("GET", v1+"/signals", rest.SignedIn, a.listSignals),
		rest.Handle("GET", v1+"/signals/{id}", rest.SignedIn, a.showSignal),
		rest.Handle("PATCH", v1+"/signals/{id}", rest.SignedIn, a.editSignal),
		rest.Handle("GET", v1+"/signals/{id}/hours", rest.SignedIn, a.listSignalHours),
		rest.Handle("POST", v1+"/signals/{id}/comments", rest.SignedIn, a.addSignalComment),
		rest.Handle("DELETE", v1+"/signals/{id}/comments/{comment}", rest.SignedIn, a.removeSignalComment),

		rest.Handle("GET", v1+"/rules", rest.SignedIn, a.listRules),
		rest.Handle("POST", v1+"/rules", rest.SignedIn, a.addRule),
		rest.Handle("POST", v1+"/rules/preview", rest.SignedIn, a.previewRule),
		rest.Handle("GET", v1+"/rules/{id}", rest.SignedIn, a.showRule),
		rest.Handle("PATCH", v1+"/rules/{id}", rest.SignedIn, a.editRule),
		rest.Handle("DELETE", v1+"/rules/{id}", rest.SignedIn, remove(a.Signals.RemoveRule)),
		rest.Handle("GET", v1+"/monitors/{id}/detection", rest.SignedIn, a.showDetection),
		rest.Handle("PUT", v1+"/monitors/{id}/detection", rest.SignedIn, a.setDetection),
		rest.Handle("DELETE", v1+"/monitors/{id}/detection", rest.SignedIn, remove(a.Signals.ResetDetection)),

		rest.Handle("GET", v1+"/streams", rest.SignedIn, list(a.Streams.List, func(st *earshot.Stream) int64 { return int64(st.ID) }, a.newStream)),
		rest.Handle("POST", v1+"/streams", rest.SignedIn, a.addStream),
		rest.Handle("GET", v1+"/streams/{id}", rest.SignedIn, find(a.Streams.Find, a.newStream)),
		rest.Handle("PATCH", v1+"/streams/{id}", rest.SignedIn, a.editStream),
		rest.Handle("DELETE", v1+"/streams/{id}", rest.SignedIn, remove(a.Streams.Remove)),
		rest.Handle("PUT", v1+"/streams/{id}/monitors/{monitor}", rest.SignedIn, a.addStreamMonitor),
		rest.Handle("DELETE", v1+"/streams/{id}/monitors/{monitor}", rest.SignedIn, a.removeStreamMonitor),
		rest.Handle("GET", v1+"/streams/{id}/queue", rest.Streams, a.showStreamQueue),
		rest.Handle("GET", v1+"/streams/{id}/events", rest.Streams, a.streamEvents),

		rest.Handle("GET", v1+"/source-kinds", rest.SignedIn, a.listSourceKinds),
		rest.Handle("GET", v1+"/sources", rest.SignedIn, a.listSources),
		rest.Handle("POST", v1+"/sources", rest.Content, a.addSource),
		rest.Handle("POST", v1+"/sources/test", rest.Content, a.testSource),
		rest.Handle("POST", v1+"/sources/rules", rest.Content, a.showSourceRules),
		rest.Handle("GET", v1+"/sources/{id}", rest.SignedIn, a.showSource),
		rest.Handle("PATCH", v1+"/sources/{id}", rest.Content, a.editSource),
		rest.Handle("DELETE", v1+"/sources/{id}", rest.Content, a.removeSource),
		rest.Handle("GET", v1+"/sources/{id}/opml", rest.SignedIn, a.exportFeeds),
		rest.Handle("POST", v1+"/sources/{id}/opml", rest.Content, a.importFeeds),
		rest.Handle("POST", "/ingest/v1/{id}", rest.Public, a.ingest),

		rest.Handle("GET", v1+"/channel-kinds", rest.SignedIn, a.listChannelKinds),
		rest.Handle("GET", v1+"/channels", rest.SignedIn, a.listChannels),
		rest.Handle("POST", v1+"/channels", rest.SignedIn, a.addChannel),
		rest.Handle("POST", v1+"/channels/template", rest.SignedIn, a.showTemplate),
		rest.Handle("GET", v1+"/channels/{id}", rest.SignedIn, a.showChannel),
		rest.Handle("PATCH", v1+"/channels/{id}", rest.SignedIn, a.editChannel),
		rest.Handle("DELETE", v1+"/channels/{id}", rest.SignedIn, remove(a.Deliveries.Remove)),
		rest.Handle("POST", v1+"/channels/{id}/test", rest.SignedIn, act(a.Deliveries.Test, delivery.NewInfo)),
		rest.Handle("POST", v1+"/channels/{id}/secret", rest.SignedIn, a.rotateChannel),
		rest.Handle("GET", v1+"/channels/{id}/deliveries", rest.SignedIn, a.listDeliveries),
		rest.Handle("POST", v1+"/deliveries/{id}/retry", rest.SignedIn, act(a.Deliveries.Retry, delivery.NewInfo)),

		rest.Handle("GET", v1+"/shares", rest.SignedIn, a.listShares),
		rest.Handle("POST", v1+"/shares", rest.SignedIn, a.addShare),
		rest.Handle("PATCH", v1+"/shares/{id}", rest.SignedIn, a.editShare),
		rest.Handle("DELETE", v1+"/shares/{id}", rest.SignedIn, remove(a.Shares.Revoke)),
		rest.Handle("GET", v1+"/shares/{id}/uses", rest.SignedIn, a.listShareUses),
		rest.Handle("GET", "/share/v1/{token}", rest.Public, a.openShare).Visitors(),
		rest.Handle("POST", "/share/v1/{token}/unlock", rest.Public, a.unlockShare).SameOrigin().Visitors(),
		rest.Handle("GET", "/share/v1/{token}/cards/{card}", rest.Public, a.showSharedCard).Visitors(),
		rest.Handle("GET", "/share/v1/{token}/report", rest.Public, a.reportShare).Visitors(),

		rest.Handle("GET", v1+"/reports", rest.SignedIn, a.listReports),
		rest.Handle("POST", v1+"/reports", rest.SignedIn, a.addReport),
		rest.Handle("POST", v1+"/reports/schedule", rest.SignedIn, a.showSchedule),
		rest.Handle("GET", v1+"/reports/{id}", rest.SignedIn, a.showReport),
		rest.Handle("PATCH", v1+"/reports/{id}", rest.SignedIn, a.editReport),
		rest.Handle("DELETE", v1+"/reports/{id}", rest.SignedIn, remove(a.Digest.Remove)),
		rest.Handle("GET", v1+"/reports/{id}/runs", rest.SignedIn, a.listReportRuns),
		rest.Handle("GET", v1+"/reports/{id}/preview", rest.SignedIn, a.previewReport),
		rest.Handle("POST", v1+"/reports/{id}/send", rest.SignedIn, a.sendReport),
		rest.Handle("GET", v1+"/clients", rest.SignedIn, list(a.Digest.Clients, func(c *earshot.Client) int64 { return int64(c.ID) }, newClient)),
		rest.Handle("POST", v1+"/clients", rest.SignedIn, a.addClient),
		rest.Handle("GET", v1+"/clients/{id}", rest.SignedIn, find(a.Digest.FindClient, newClient)),
		rest.Handle("PATCH", v1+"/clients/{id}", rest.SignedIn, a.editClient),
		rest.Handle("DELETE", v1+"/clients/{id}", rest.SignedIn, remove(a.Digest.RemoveClient)),
		rest.Handle("GET", v1+"/clients/{id}/logo", rest.SignedIn, a.showLogo),
		rest.Handle("GET", v1+"/feeds", rest.SignedIn, list(a.Digest.Feeds, func(l *earshot.FeedLink) int64 { return int64(l.ID) }, a.Digest.DescribeFeed)),
		rest.Handle("POST", v1+"/feeds", rest.SignedIn, a.addFeed),
		rest.Handle("DELETE", v1+"/feeds/{id}", rest.SignedIn, remove(a.Digest.RemoveFeed)),
		rest.Handle("GET", feedPath+"{token}", rest.Public, a.showFeed).Visitors(),

		rest.Handle("POST", v1+"/query/lint", rest.SignedIn, a.lintQuery),
		rest.Handle("POST", v1+"/query/form", rest.SignedIn, a.showQueryForm),
		rest.Handle("POST", v1+"/query/build", rest.SignedIn, a.buildQuery),
		rest.Handle("POST", v1+"/query/suggestions", rest.SignedIn, a.suggestTerms),

		rest.Handle("GET", v1+"/choices", rest.SignedIn, a.showChoices),
		rest.Handle("GET", v1+"/places", rest.SignedIn, a.findPlaces),
		rest.Handle("GET", v1+"/content-sources", rest.Content, a.listContentSources),
		rest.Handle("POST", v1+"/content-sources", rest.Content, a.addContentSource),
		rest.Handle("GET", v1+"/content-sources/{id}", rest.Content, a.showContentSource),
		rest.Handle("PATCH", v1+"/content-sources/{id}", rest.Content, a.editContentSource),
		rest.Handle("POST", v1+"/content/check", rest.Content, a.checkContent),
		rest.Handle("GET", v1+"/analyses", rest.SignedIn, a.listAnalyses),
		rest.Handle("GET", v1+"/analyses/{id}", rest.SignedIn, a.showAnalysis),
		rest.Handle("GET", v1+"/analyses/{id}/volume", rest.SignedIn, a.showAnalysisVolume),
		rest.Handle("GET", v1+"/analyses/{id}/posts", rest.SignedIn, a.listAnalysisPosts),
		rest.Handle("GET", v1+"/analyses/{id}/posts/{key}", rest.SignedIn, a.showAnalysisPost),
		rest.Handle("GET", v1+"/usage", rest.SignedIn, a.showUsage),

		rest.Handle("GET", v1+"/contract", rest.Admin, a.showContract),
		rest.Handle("PUT", v1+"/contract", rest.Admin, a.setContract),
		rest.Handle("POST", v1+"/posts", rest.Admin, a.importPosts),
		rest.Handle("POST", v1+"/pictures", rest.Admin, a.uploadPicture),
		rest.Handle("POST", v1+"/authors/erase", rest.Admin, a.eraseAuthor),
		rest.Handle("GET", v1+"/status", rest.Admin, a.status),
		rest.Handle("GET", v1+"/monitor-costs", rest.Admin, a.listCosts),
		rest.Handle("GET", v1+"/cluster", rest.Admin, a.showCluster),
		rest.Handle("DELETE", v1+"/cluster/nodes/{id}", rest.Admin, a.removeNode),
		rest.Handle("GET", v1+"/models", rest.Admin, a.showModels),
		rest.Handle("POST", v1+"/models/refresh", rest.Admin, a.reinferModels),
		rest.Handle("POST", v1+"/backup", rest.Admin, a.backup),
	}
}

// An idPath has the ID of a record in the path of a request.
type idPath[ID ~int64] struct {
	ID ID `path:"id"`
}

// find returns the handler of requests for one record.
func find[ID ~int64, T, R any](find func(*earshot.Caller, ID) (*T, error), show func(*T) R) func(context.Context, *earshot.Caller, idPath[ID]) (R, error) {
	return func(_ context.Context, c *earshot.Caller, p idPath[ID]) (R, error) {
		return toResponse(show)(find(c, p.ID))
	}
}

// act returns the handler of requests that do something with one record and respond with a record.
func act[ID ~int64, T, R any](do func(context.Context, *earshot.Caller, ID) (*T, error), show func(*T) R) func(context.Context, *earshot.Caller, idPath[ID]) (R, error) {
	return func(ctx context.Context, c *earshot.Caller, p idPath[ID]) (R, error) {
		return toResponse(show)(do(ctx, c, p.ID))
	}
}

// list returns the handler of requests for the records of all or one of the caller's teams.
func list[T, R any](list func(*earshot.Caller, earshot.TeamID) []*T, id func(*T) int64, show func(*T) R) func(context.Context, *earshot.Caller, teamPage) (page[R], error) {
	return func(_ context.Context, c *earshot.Caller, p teamPage) (page[R], error) {
		return paginate(p.pageParams, list(c, p.Team), id, show)
	}
}

// remove returns the handler of requests to delete one record.
func remove[ID ~int64](remove func(context.Context, *earshot.Caller, ID) error) func(context.Context, *earshot.Caller, idPath[ID]) (rest.NoContent, error) {
	return func(ctx context.Context, c *earshot.Caller, p idPath[ID]) (rest.NoContent, error) {
		return rest.NoContent{}, remove(ctx, c, p.ID)
	}
}

// pageParams are the parameters of every paginated list.
type pageParams struct {
	Limit  *int   `query:"limit"`
	Cursor string `query:"cursor"`
}

// teamPage are the parameters of a list of records that teams own.
type teamPage struct {
	pageParams
	Team earshot.TeamID `query:"team"` // 0: all teams of the caller
}

// A page is part of a list and the cursor of the next page.
type page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

const (
	defaultPageSize = 100
	maxPageSize     = 1000
)

// limit returns the maximum number of items on the page.
func (p pageParams) limit() (int, error) {
	return parseLimit(p.Limit, defaultPageSize, maxPageSize)
}

// parseLimit returns the value of the limit parameter, or a default if it is not given.
func parseLimit(given *int, standard, max int) (int, error) {
	limit := standard
	patch.Set(&limit, given)
	if limit < 1 || limit > max {
		return 0, earshot.InvalidParameter("limit", strconv.Itoa(limit), fmt.Sprintf("a whole number from 1 to %d", max))
	}
	return limit, nil
}

// paginate returns a page of a list that is sorted by ID. The cursor is the last ID of the previous
// page, so items that are added or removed between requests do not shift the pages.
func paginate[T, R any](p pageParams, list []T, id func(T) int64, show func(T) R) (page[R], error) {
	limit, err := p.limit()
	if err != nil {
		return page[R]{}, err
	}
	if p.Cursor != "" {
		after, err := strconv.ParseInt(p.Cursor, 10, 64)
		if err != nil {
			return page[R]{}, earshot.InvalidParameter("cursor", p.Cursor, "the value of next from an earlier response")
		}
		i, _ := slices.BinarySearchFunc(list, after+1, func(v T, after int64) int { return cmp.Compare(id(v), after) })
		list = list[i:]
	}
	return firstPage(list, limit, id, show), nil
}

// firstPage returns up to limit items of a list, and the ID of the last one as a cursor if there are
// more.
func firstPage[T, R any](list []T, limit int, id func(T) int64, show func(T) R) page[R] {
	response := page[R]{Items: jsonvalue.Map(list[:min(limit, len(list))], show)}
	if len(list) > limit {
		response.Next = strconv.FormatInt(id(list[limit-1]), 10)
	}
	return response
}
