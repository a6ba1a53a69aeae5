package manage

import (
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/notify/signal"
)

// newRuleBody is a rule that does not exist yet.
type newRuleBody struct {
	signal.RuleChanges
	Monitor earshot.MonitorID `json:"monitor"` // or a filter
	Kind    earshot.RuleKind  `json:"kind"`
}

func (b *newRuleBody) rule() (r earshot.Rule, err error) {
	if b.Monitor == 0 {
		return r, earshot.InvalidBody("monitor is missing")
	}
	r.Monitor, r.Kind = b.Monitor, b.Kind
	b.Apply(&r)
	return r, nil
}

type rulePath = idPath[earshot.RuleID]

// ruleKind is a kind of rules.
type ruleKindParam earshot.RuleKind

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *ruleKindParam) UnmarshalText(text []byte) error {
	kinds := []string{string(earshot.UnusualRule), string(earshot.ThresholdRule), string(earshot.PostRule)}
	if !slices.Contains(kinds, string(text)) {
		return errors.New("one of " + strings.Join(kinds, ", "))
	}
	*k = ruleKindParam(text)
	return nil
}

// listRules serves GET /manage/v1/rules.
func (a *API) listRules(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	Team    earshot.TeamID    `query:"team"`
	Monitor earshot.MonitorID `query:"monitor"` // or a filter
	Kind    ruleKindParam     `query:"kind"`
}) (page[signal.RuleInfo], error) {
	list, err := a.Signals.Rules(c, signal.RuleQuery{Team: p.Team, Monitor: p.Monitor, Kind: earshot.RuleKind(p.Kind)})
	if err != nil {
		return page[signal.RuleInfo]{}, err
	}
	return paginate(p.pageParams, list, func(r *earshot.Rule) int64 { return int64(r.ID) }, a.Signals.DescribeRules())
}

// addRule serves POST /manage/v1/rules.
func (a *API) addRule(ctx context.Context, c *earshot.Caller, p struct {
	Body newRuleBody `body:"json"`
}) (response rest.Created[signal.RuleInfo], err error) {
	r, err := p.Body.rule()
	if err != nil {
		return response, err
	}
	return toCreated(a.Signals.DescribeRules())(a.Signals.AddRule(ctx, c, r))
}

// showRule serves GET /manage/v1/rules/{id}.
func (a *API) showRule(_ context.Context, c *earshot.Caller, p rulePath) (signal.RuleInfo, error) {
	return toResponse(a.Signals.DescribeRules())(a.Signals.FindRule(c, p.ID))
}

// editRule serves PATCH /manage/v1/rules/{id}.
func (a *API) editRule(ctx context.Context, c *earshot.Caller, p struct {
	rulePath
	Body newRuleBody `body:"json"`
}) (response signal.RuleInfo, err error) {
	r, err := a.Signals.FindRule(c, p.ID)
	if err != nil {
		return response, err
	}
	if b := p.Body; b.Monitor != 0 && b.Monitor != r.Monitor || b.Kind != "" && b.Kind != r.Kind {
		return response, earshot.InvalidBody("the monitor and kind of a rule cannot be changed; create a new rule instead")
	}
	return toResponse(a.Signals.DescribeRules())(a.Signals.EditRule(ctx, c, p.ID, p.Body.RuleChanges))
}

type previewRuleParams struct {
	Body newRuleBody `body:"json"`
}

// ResponseMemory implements [rest.Weighted].
func (previewRuleParams) ResponseMemory() int64 { return rest.LongResponse }

// previewRule serves POST /manage/v1/rules/preview. It changes nothing.
func (a *API) previewRule(ctx context.Context, c *earshot.Caller, p previewRuleParams) (*signal.Preview, error) {
	r, err := p.Body.rule()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Name) == "" {
		r.Name = "Preview"
	}
	return a.Signals.Preview(ctx, c, r)
}
