package app

import (
	"context"
	"fmt"
	"time"

	"earshot/internal/analysis"
	ledgerstore "earshot/internal/state/ledger/jetstream"
)

// openLedger opens what keeps analysis requests and their answers.
func (a *App) openLedger(ctx context.Context) (err error) {
	if a.ledger, err = ledgerstore.Open(ctx, a.node); err != nil {
		return fmt.Errorf("open results: %w", err)
	}
	return nil
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
