package app

import (
	"context"
	"fmt"
	"time"

	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
)

// openLedger opens the ledger of analyses.
func openLedger(ctx context.Context, node *natsnode.Node) (*ledger.Ledger, error) {
	b, err := natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: ledger.BucketName, MaxAge: ledger.Retention})
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	return ledger.New(b), nil
}

func (a *App) newAnalysis() *analysis.Service {
	return analysis.New(analysis.Options{
		Ledger:   a.ledger,
		Store:    a.posts,
		Catalog:  a.catalog,
		Baseline: a.pipeline.Baseline,
		Wait:     time.Duration(a.config.AnalysisWait) * time.Second,
		Now:      a.options.Now,
		Log:      a.log,
	})
}

// runAnalysis answers requests that wait, once everything in the journal is counted: before
// that an answer would be wrong.
func (a *App) runAnalysis(ctx context.Context) {
	for a.counted(ctx) != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	a.Analysis.Run(ctx)
}
