package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
)

// backup sends a backup of everything. It is a POST because it makes one.
func (a *API) backup(_ context.Context, _ *earshot.Caller, _ struct{}) (rest.Download, error) {
	return rest.Download{
		Type:  "application/x-tar",
		Name:  a.Now().UTC().Format("earshot-20060102T150405Z.tar"),
		Write: a.Backup,
	}, nil
}
