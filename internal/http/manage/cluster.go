package manage

import (
	"context"

	"earshot"
	"earshot/internal/cluster"
	"earshot/internal/http/rest"
)

// showCluster serves GET /manage/v1/cluster.
func (a *API) showCluster(ctx context.Context, _ *earshot.Caller, _ struct{}) (cluster.Status, error) {
	return a.Cluster(ctx)
}

type nodeParams struct {
	ID string `path:"id"` // or name
}

// removeNode serves DELETE /manage/v1/cluster/nodes/{id}.
func (a *API) removeNode(ctx context.Context, _ *earshot.Caller, p nodeParams) (rest.NoContent, error) {
	return rest.NoContent{}, a.RemoveNode(ctx, p.ID)
}
