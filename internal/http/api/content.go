package api

import (
	"bytes"
	"cmp"
	"context"
	"net/http"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/http/rest"
)

type uploadParams struct {
	DocumentType earshot.ContentSourceID `query:"documentType" doc:"id of the content source; left out in the old form only" example:"2147483655"`
	Batch        string                  `query:"batch" doc:"name under which the documents can be deleted together; one is made up when left out"`
	Body         struct {
		Items        uploadItems `json:"items" doc:"the documents, 1,000 at most" required:"true"`
		RequestUsage rest.Bool   `json:"requestUsage" doc:"true: the answer tells how much of the contract is used"`
	} `body:"json,large"`
}

// uploadItems counts before it decodes: empty items are small in a request and
// large in memory.
type uploadItems []uploadItem

func (l *uploadItems) UnmarshalJSON(data []byte) error {
	if n := rest.CountList(data); n > content.MaxItems {
		return content.TooManyItems(n)
	}
	return rest.Decode(data, "items", (*[]uploadItem)(l))
}

type uploadItem struct {
	Type            string             `json:"type" doc:"old form: name of the content source" deprecated:"true"` // of the old form
	Date            string             `json:"date" doc:"when it was written: a timestamp, UTC unless it has an offset" required:"true" example:"2026-03-01T08:30:00Z"`
	Contents        string             `json:"contents" doc:"full text, 16,384 characters at most" required:"true" example:"The new coffee is lovely"`
	Content         string             `json:"content" doc:"another spelling of contents" deprecated:"true"`
	GUID            rest.Text          `json:"guid" doc:"unique id within the content source; the url when left out. A document with a known one is replaced" example:"answer-17"`
	URL             string             `json:"url" doc:"address of the document; needed where there is no guid"`
	Title           string             `json:"title" doc:"title"`
	Author          string             `json:"author" doc:"name of the author"`
	Language        string             `json:"language" doc:"2-letter code; detected when left out"`
	Gender          string             `json:"gender" doc:"of the author: M or F"`
	PageID          rest.Text          `json:"pageId" doc:"page it stands on; for reference only"`
	ParentGUID      rest.Text          `json:"parentGuid" doc:"document it belongs to; for reference only"`
	AuthorProfileID rest.Text          `json:"authorProfileId" doc:"profile of the author; for reference only"`
	Age             rest.Int           `json:"age" doc:"of the author, in years"`
	EngagementType  string             `json:"engagementType" doc:"what it is towards another document" values:"REPLY,RETWEET,COMMENT"`
	Geolocation     *uploadGeolocation `json:"geolocation" doc:"where it was written: an id, coordinates or a zip code"`
	Custom          map[string]*string `json:"custom" doc:"fields of your own: names of 100 characters, values of 10,000, at most 10 names in a content source"`
}

type uploadGeolocation struct {
	ID        string    `json:"id" doc:"a geography id like USA.CA.San Diego"`
	Latitude  *float64  `json:"latitude" doc:"degrees north"`
	Longitude *float64  `json:"longitude" doc:"degrees east"`
	Zipcode   rest.Text `json:"zipcode" doc:"of the USA"`
}

type uploadResponse struct {
	UploadCount int          `json:"uploadCount" doc:"documents taken"`
	Uploaded    *int64       `json:"DocumentsUploadedInLastTwentyFourHours,omitempty" doc:"documents uploaded in the last 24 hours, with requestUsage"`
	Contracted  *int64       `json:"ContractedDocumentsWithinTwentyFourHours,omitempty" doc:"documents the contract allows in 24 hours, with requestUsage"`
	BatchID     string       `json:"batchId,omitempty" doc:"name under which the documents can be deleted; left out in the old form"`
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

// ReadDocument reads one of the items of an upload, for those who check items one by one. An
// error is what an upload of it alone would say.
func ReadDocument(text []byte) (content.Item, error) {
	var it uploadItem
	if err := rest.Decode(text, "", &it); err != nil {
		return content.Item{}, err
	}
	return it.item(), nil
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
	DocumentType earshot.ContentSourceID `query:"documentType,required" doc:"id of the content source" example:"2147483655"`
	Batch        string                  `query:"batch" doc:"delete the documents of this batch"`
	Body         removeContentBody       `body:"json,large,optional"`
}

// A removeContentBody is an object with items, or the list of items itself.
type removeContentBody struct {
	Items removeItems `json:"items" doc:"delete these documents; the list may also be the body itself"`
}

type removeItem struct {
	GUID rest.Text `json:"guid" doc:"unique id of the document" example:"answer-17"`
	URL  string    `json:"url" doc:"address of the document, in place of the guid"`
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
