package app

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"earshot/internal/config"
	"earshot/internal/limit"
)

// contentLimits are the limits on what requests contain: the file and the constant that define each,
// and its row in docs/limits.md with %s for the value.
var contentLimits = []struct{ file, constant, row string }{
	{"account/penalty.go", "maxPenalties", "| delayed sign-ins of a username with a good record in the network | %s | 429 |"},
	{"http/rest/json_read.go", "maxValues", "| values in a JSON body | %s | 400 |"},
	{"http/rest/json_read.go", "maxElements", "| elements of a list in a JSON body that has no lower limit | %s | 400 |"},
	{"http/rest/json_read.go", "maxDepth", "| lists and objects inside each other in a JSON body | %s | 400 |"},
	{"http/rest/json_read.go", "maxText", "| bytes of a text or a key in a JSON body | %s | 400 |"},
	{"http/rest/json_read.go", "maxScalar", "| bytes of a number, ID, date or time in a JSON body | %s | 400 |"},
	{"http/rest/idempotency.go", "maxIdempotencyKey", "| bytes of an `Idempotency-Key` | %s | 400 |"},
	{"http/rest/idempotency.go", "maxKeptAnswer", "| bytes of a response that is kept for an `Idempotency-Key` | %s | it is not kept |"},
	{"state/catalog/answer.go", "maxAnswers", "| `Idempotency-Key`s of a user in 24 hours | %s | 429 |"},
	{"content/content.go", "MaxItems", "| documents per upload | %s | 413 |"},
	{"ingest/item/check.go", "MaxContents", "| characters of the contents of a document | %s | 400 |"},
	{"ingest/item/check.go", "MaxText", "| characters of other texts of a document | %s | 400 |"},
	{"ingest/item/check.go", "MaxList", "| hashtags, mentions, media or images of a document | %s | 400 |"},
	{"ingest/item/check.go", "MaxFields", "| custom field names per content source | %s | 400 |"},
	{"ingest/item/check.go", "maxKey", "| characters of a custom field name | %s | 400 |"},
	{"ingest/item/check.go", "MaxValue", "| characters of a custom field value | %s | 400 |"},
	{"model/training/document.go", "MaxDocuments", "| training posts per request | %s | 413 |"},
	{"ingest/item/record/record.go", "MaxBytes", "| bytes of a line of an import | %s | the line is rejected |"},
	{"content/import_lines.go", "maxUseless", "| lines of an import without a valid post, if they are more than nine tenths | %s | 400 |"},
	{"content/import_lines.go", "maxErrors", "| errors that an import reports | %s | the others are only counted |"},
	{"query/query.go", "maxCharacters", "| characters of a query | %s | 400 |"},
	{"query/query.go", "maxTerms", "| words and phrases of a query | %s | 400 |"},
	{"query/query.go", "maxDepth", "| nested parentheses of a query | %s | 400 |"},
	{"monitor/check.go", "maxName", "| characters of the name of a monitor | %s | 400 |"},
	{"monitor/check.go", "maxValues", "| values per list of a monitor: places, sources, tags | %s | 400 |"},
	{"monitor/check.go", "maxFilters", "| filters per monitor | %s | 429 |"},
	{"../dashboard.go", "MaxDashboards", "| dashboards per team | %s | 400 |"},
	{"../dashboard.go", "MaxCards", "| cards per dashboard | %s | 400 |"},
	{"../scheduled_report.go", "MaxScheduledReports", "| scheduled reports per team | %s | 400 |"},
	{"../scheduled_report.go", "MaxReportParts", "| monitors and dashboards of a scheduled report | %s | 400 |"},
	{"../scheduled_report.go", "MaxReportChannels", "| channels of a scheduled report | %s | 400 |"},
	{"../scheduled_report.go", "MaxFeedLinks", "| feeds per team | %s | 400 |"},
	{"account/invitation.go", "maxInvitations", "| invitations per team that no one has accepted yet | %s | 400 |"},
	{"../scheduled_report.go", "MaxClients", "| clients per team | %s | 400 |"},
	{"workspace/dashboard/card.go", "maxText", "| characters of a text on a dashboard | %s | 400 |"},
	{"../channel.go", "MaxChannels", "| channels per team | %s | 400 |"},
	{"../channel.go", "MaxRecipients", "| recipients of an email channel | %s | 400 |"},
	{"notify/delivery/enqueue.go", "maxWaiting", "| messages that wait for a channel | %s | the oldest fail |"},
	{"notify/delivery/enqueue.go", "maxTeamWaiting", "| messages that wait for all channels of a team | %s | the oldest fail |"},
	{"notify/delivery/test.go", "maxTests", "| test messages to a channel within an hour | %s | 429 |"},
	{"notify/delivery/test.go", "maxTeamTests", "| test messages to the channels of a team within an hour | %s | 429 |"},
	{"stream/stream.go", "MaxMonitors", "| monitors per stream | %s | 400 |"},
	{"stream/stream.go", "MaxStreams", "| streams per team | %s | 400 |"},
	{"http/manage/stream_events.go", "maxListeners", "| open event streams | %s | 503 |"},
	{"http/manage/stream_events.go", "maxUserListeners", "| open event streams per user | %s | 429 |"},
	{"http/api/monitor_posts.go", "maxPosts", "| posts per response | %s | the newest ones |"},
	{"http/api/monitor_posts.go", "maxExtendedPosts", "| posts per response with `extendLimit=true` | %s | the newest ones |"},
	{"http/manage/manage.go", "maxPageSize", "| items per page of a list of the management API | %s | 400 |"},
	{"workspace/card/preview.go", "maxPreviewDays", "| days of a preview | %s | 400 |"},
	{"period/period.go", "maxHours", "| hours of a volume | %s | 400 |"},
	{"analysis/form.go", "maxSources", "| sources of an analysis | %s | 400 |"},
	{"query/filter/refine.go", "maxExcept", "| pairs with `-` in a filter of the management API | %s | 400 |"},
	{"insight/explain.go", "maxPeriodDays", "| days of an explanation | %s | 400 |"},
	{"insight/compare.go", "MaxCompareRows", "| rows of a comparison | %s | 400 |"},
	{"poststore/rank.go", "MaxGrouped", "| posts that are grouped by duplicates | %s | 400 |"},
	{"insight/post_rank.go", "MaxGroups", "| groups of duplicates that all pages together list | %s | the first ones |"},
}

// TestLimitsPage compares docs/limits.md with the code.
func TestLimitsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(page)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| Limit |") {
			got = append(got, line)
		}
	}
	var want []string
	defaults := config.New()
	for _, row := range limit.Table(defaults.RateLimit, defaults.ManageRateLimit, defaults.MonitorCostLimit) {
		setting := "–"
		if row.Setting != "" {
			setting = "[`" + row.Setting + "`](configuration.md)"
		}
		want = append(want, fmt.Sprintf("| %s | %s | %s | %s |", row.Limit, row.Default, setting, row.Beyond))
	}
	for _, l := range contentLimits {
		want = append(want, fmt.Sprintf(l.row, constant(t, "../"+l.file, l.constant)))
	}
	for _, row := range want {
		if !slices.Contains(got, row) {
			t.Errorf("docs/limits.md lacks\n%s", row)
		}
	}
	for _, row := range got {
		if !slices.Contains(want, row) {
			t.Errorf("docs/limits.md has a row that the code does not\n%s", row)
		}
	}
}

// constant returns the value of a constant in a source file, with commas.
func constant(t *testing.T, file, name string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(?:const)?\s*` + name + `\s*=\s*([0-9_]+)(?: << ([0-9]+))?`).FindSubmatch(source)
	if found == nil {
		t.Fatalf("%s does not define %s", file, name)
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(string(found[1]), "_", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	shift, _ := strconv.Atoi(string(found[2]))
	digits := strconv.FormatInt(n<<shift, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
