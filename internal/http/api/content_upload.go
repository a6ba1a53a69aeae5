package api

import (
	"context"
	"net/http"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/http/document"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

type uploadParams struct {
	DocumentType earshot.ContentSourceID `query:"documentType" doc:"id of the content source; omit it only in the old format" example:"2147483655"`
	Batch        string                  `query:"batch" doc:"name of the upload batch, for deleting its documents together; generated if omitted"`
	Body         struct {
		Items        uploadItems `json:"items" doc:"documents, at most 1,000" required:"true"`
		RequestUsage rest.Bool   `json:"requestUsage" doc:"true: the response includes usage of the contract"`
	} `body:"json,large"`
}

// uploadItems has a bound, because empty items are small in a request but large in memory.
type uploadItems []document.Document

// CheckLength implements [rest.Bounded].
func (uploadItems) CheckLength(n int) error {
	if n > content.MaxItems {
		return content.TooManyItems(n)
	}
	return nil
}

type uploadResponse struct {
	UploadCount int          `json:"uploadCount" doc:"number of documents accepted"`
	Uploaded    *int64       `json:"DocumentsUploadedInLastTwentyFourHours,omitempty" doc:"number of documents uploaded in the last 24 hours; only with requestUsage"`
	Contracted  *int64       `json:"ContractedDocumentsWithinTwentyFourHours,omitempty" doc:"maximum number of documents per 24 hours in the contract; only with requestUsage"`
	BatchID     string       `json:"batchId,omitempty" doc:"name of the upload batch; omitted in the old format"`
	Status      rest.Success `json:"status"`

	deprecated bool
}

// HTTPHeader marks responses to the old format, which was deprecated in July 2019.
func (r uploadResponse) HTTPHeader() http.Header {
	if !r.deprecated {
		return nil
	}
	return http.Header{"Deprecation": {"@1561939200"}}
}

// upload serves /api/content/upload in the current format and in the old one, in which the items
// name their content source and there is no documentType.
func (a *API) upload(ctx context.Context, c *earshot.Caller, p uploadParams) (uploadResponse, error) {
	items := p.Body.Items
	old := p.DocumentType == 0 && len(items) > 0 && items[0].Type != ""
	if p.DocumentType == 0 && !old {
		return uploadResponse{}, earshot.Errorf(earshot.Invalid, "Required String parameter 'documentType' is not present")
	}
	if old {
		if err := checkOldForm(items); err != nil {
			return uploadResponse{}, err
		}
	}
	done, err := a.Content.Upload(ctx, c, content.Upload{
		Source: p.DocumentType,
		Batch:  p.Batch,
		Items:  jsonvalue.Map(items, document.Document.Item),
	})
	if err != nil {
		return uploadResponse{}, err
	}
	response := uploadResponse{UploadCount: done.Count, BatchID: done.Batch, deprecated: old}
	if old {
		response.BatchID = ""
	}
	if p.Body.RequestUsage.Value {
		response.Uploaded, response.Contracted = &done.Used, &done.Contracted
	}
	return response, nil
}

// checkOldForm checks that items in the old format have all the fields that it required.
func checkOldForm(items []document.Document) error {
	for i, it := range items {
		for _, f := range []struct{ name, value string }{
			{"type", it.Type}, {"title", it.Title}, {"author", it.Author}, {"url", it.URL}, {"language", it.Language},
		} {
			if f.value == "" {
				return earshot.InvalidBody("items[%d].%s is missing", i, f.name)
			}
		}
	}
	return nil
}

type removeContentParams struct {
	DocumentType earshot.ContentSourceID `query:"documentType,required" doc:"id of the content source" example:"2147483655"`
	Batch        string                  `query:"batch" doc:"delete the documents of this upload batch"`
	Body         removeContentBody       `body:"json,large,optional"`
}

// A removeContentBody is an object with items, or the list of items itself.
type removeContentBody struct {
	Items removeItems `json:"items" doc:"documents to delete; the body may also be just this list"`
}

type removeItem struct {
	GUID rest.Text `json:"guid" doc:"unique id of the document" example:"answer-17"`
	URL  string    `json:"url" doc:"URL of the document, instead of the guid"`
}

type removeItems []removeItem

// maxRemovals is the maximum number of documents per request.
const maxRemovals = 10_000

// CheckLength implements [rest.Bounded].
func (removeItems) CheckLength(n int) error {
	if n > maxRemovals {
		return earshot.Errorf(earshot.TooLarge, "The request names %d documents; name at most %d in one request", n, maxRemovals)
	}
	return nil
}

// A removeContentObject is a removeContentBody that is an object.
type removeContentObject removeContentBody

// Form implements [rest.Variant].
func (b *removeContentBody) Form(first byte) any {
	if first == '[' {
		return &b.Items
	}
	return (*removeContentObject)(b)
}

// removeContent serves /api/content/delete.
func (a *API) removeContent(ctx context.Context, c *earshot.Caller, p removeContentParams) (statusResponse, error) {
	d := earshot.Deletion{ContentSource: p.DocumentType, Batch: p.Batch}
	for i, it := range p.Body.Items {
		switch {
		case it.GUID.Value != "":
			d.GUIDs = append(d.GUIDs, it.GUID.Value)
		case it.URL != "":
			d.URLs = append(d.URLs, it.URL)
		default:
			return statusResponse{}, earshot.InvalidBody("items[%d] needs a guid or a url", i)
		}
	}
	return statusResponse{}, a.Content.Remove(ctx, c, d)
}
