package api

import (
	"bytes"
	"cmp"
	"context"
	"net/http"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/rest"
)

type uploadParams struct {
	DocumentType earshot.ContentSourceID `query:"documentType"`
	Batch        string                  `query:"batch"`
	Body         struct {
		Items        uploadItems `json:"items"`
		RequestUsage rest.Bool   `json:"requestUsage"`
	} `body:"json,large"`
}

// uploadItems counts before it decodes: empty items are small in a request and
// large in memory.
type uploadItems []uploadItem

func (l *uploadItems) UnmarshalJSON(data []byte) error {
	if n := rest.CountList(data); n > content.MaxItems {
		return content.TooMany(n)
	}
	return rest.Decode(data, "items", (*[]uploadItem)(l))
}

type uploadItem struct {
	Type            string             `json:"type"` // of the old form
	Date            string             `json:"date"`
	Contents        string             `json:"contents"`
	Content         string             `json:"content"`
	GUID            rest.Text          `json:"guid"`
	URL             string             `json:"url"`
	Title           string             `json:"title"`
	Author          string             `json:"author"`
	Language        string             `json:"language"`
	Gender          string             `json:"gender"`
	PageID          rest.Text          `json:"pageId"`
	ParentGUID      rest.Text          `json:"parentGuid"`
	AuthorProfileID rest.Text          `json:"authorProfileId"`
	Age             rest.Int           `json:"age"`
	EngagementType  string             `json:"engagementType"`
	Geolocation     *uploadGeolocation `json:"geolocation"`
	Custom          map[string]*string `json:"custom"`
}

type uploadGeolocation struct {
	ID        string    `json:"id"`
	Latitude  *float64  `json:"latitude"`
	Longitude *float64  `json:"longitude"`
	Zipcode   rest.Text `json:"zipcode"`
}

type uploadResponse struct {
	UploadCount int          `json:"uploadCount"`
	Uploaded    *int64       `json:"DocumentsUploadedInLastTwentyFourHours,omitempty"`
	Contracted  *int64       `json:"ContractedDocumentsWithinTwentyFourHours,omitempty"`
	BatchID     string       `json:"batchId,omitempty"`
	Status      rest.Success `json:"status"`

	deprecated bool
}

// HTTPHeader marks answers to the old form, which was deprecated in July 2019.
func (r uploadResponse) HTTPHeader() http.Header {
	if !r.deprecated {
		return nil
	}
	return http.Header{"Deprecation": {"@1561939200"}}
}

// upload serves /api/content/upload, in its current form and in the old one,
// where the items name their content source and there is no documentType.
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
		Items:  mapSlice(items, uploadItem.item),
	})
	if err != nil {
		return uploadResponse{}, err
	}
	answer := uploadResponse{UploadCount: done.Count, BatchID: done.Batch, deprecated: old}
	if old {
		answer.BatchID = ""
	}
	if p.Body.RequestUsage.Value {
		answer.Uploaded, answer.Contracted = &done.Used, &done.Contracted
	}
	return answer, nil
}

// checkOldForm holds items of the old form to the fields it required.
func checkOldForm(items []uploadItem) error {
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

func (it uploadItem) item() content.Item {
	item := content.Item{
		Type:            it.Type,
		GUID:            it.GUID.Value,
		URL:             it.URL,
		Date:            it.Date,
		Title:           it.Title,
		Contents:        cmp.Or(it.Contents, it.Content),
		Language:        it.Language,
		Author:          it.Author,
		AuthorProfileID: it.AuthorProfileID.Value,
		Gender:          it.Gender,
		EngagementType:  it.EngagementType,
		ParentGUID:      it.ParentGUID.Value,
		PageID:          it.PageID.Value,
		Custom:          it.Custom,
	}
	if it.Age.Presence == rest.Given {
		item.Age = &it.Age.Value
	}
	if g := it.Geolocation; g != nil {
		item.Geolocation = &content.Geolocation{ID: g.ID, Latitude: g.Latitude, Longitude: g.Longitude, Zipcode: g.Zipcode.Value}
	}
	return item
}

type removeContentParams struct {
	DocumentType earshot.ContentSourceID `query:"documentType,required"`
	Batch        string                  `query:"batch"`
	Body         removeContentBody       `body:"json,large,optional"`
}

// A removeContentBody is an object with items, or the list of items itself.
type removeContentBody struct {
	Items removeItems `json:"items"`
}

type removeItem struct {
	GUID rest.Text `json:"guid"`
	URL  string    `json:"url"`
}

type removeItems []removeItem

// mostRemovals is how many documents one request may name.
const mostRemovals = 10_000

func (l *removeItems) UnmarshalJSON(data []byte) error {
	if n := rest.CountList(data); n > mostRemovals {
		return earshot.Errorf(earshot.TooLarge, "The request names %d documents; name at most %d in one request", n, mostRemovals)
	}
	return rest.Decode(data, "items", (*[]removeItem)(l))
}

func (b *removeContentBody) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return b.Items.UnmarshalJSON(data)
	}
	type object removeContentBody // without this method
	return rest.Decode(data, "", (*object)(b))
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
