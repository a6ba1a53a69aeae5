package api

import (
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/vision"
)

// An imageType is a type of image class: object, scene, action or logo.
type imageType vision.Type

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *imageType) UnmarshalText(text []byte) error {
	*t = imageType(strings.ToLower(string(text)))
	if !slices.Contains(vision.Types, vision.Type(*t)) {
		return errors.New("one of object, scene, action, logo")
	}
	return nil
}

// A topCount is a maximum number of results.
type topCount int32

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *topCount) UnmarshalText(text []byte) error {
	number, err := parseInt32(text)
	if err != nil || number < 1 {
		return errors.New("a whole number from 1 to 2147483647")
	}
	*n = topCount(number)
	return nil
}

type imageResultsParams struct {
	monitorRange
	Type imageType `query:"type" doc:"only classes of this type" values:"object,scene,action,logo"`
	Top  topCount  `query:"top" doc:"maximum number of classes, and of logos, per day"`
}

type imageResultsResponse struct {
	Results []imageResult `json:"results" doc:"one entry per day with results"`
	Status  rest.Success  `json:"status"`
}

type imageResult struct {
	daySpan
	CreationDate           earshot.Timestamp `json:"creationDate" doc:"when the day's metrics last changed"`
	NumberOfDocuments      int64             `json:"numberOfDocuments" doc:"number of posts on the day"`
	NumberOfImageDocuments int64             `json:"numberOfImageDocuments" doc:"number of posts with an image"`
	ImageClasses           []imageClass      `json:"imageClasses" doc:"objects, scenes and actions in images, most frequent first"`
	LogoClasses            []imageClass      `json:"logoClasses" doc:"logos in images, most frequent first"`
}

type imageClass struct {
	ID         int64   `json:"id" doc:"id of the class"`
	Name       string  `json:"name" doc:"name"`
	Type       string  `json:"type" doc:"type of the class" values:"object,scene,action,logo"`
	Volume     int64   `json:"volume" doc:"number of posts with an image that shows it"`
	Proportion float64 `json:"proportion" doc:"share of the posts with an image, from 0 to 1"`
}

// imageResults serves /api/monitor/imageresults.
func (a *API) imageResults(ctx context.Context, m *earshot.Monitor, p imageResultsParams) (imageResultsResponse, error) {
	list, err := a.Insight.Images(ctx, m, p.days(), vision.Type(p.Type), int(p.Top))
	if err != nil {
		return imageResultsResponse{}, err
	}
	return imageResultsResponse{Results: jsonvalue.Map(list, func(i insight.Images) imageResult {
		show := func(c insight.ImageCount) imageClass { return newImageClass(c, i.WithImage) }
		return imageResult{
			daySpan:                newDaySpan(i.Day),
			CreationDate:           localTime(i.Changed, m),
			NumberOfDocuments:      i.Posts,
			NumberOfImageDocuments: i.WithImage,
			ImageClasses:           jsonvalue.Map(i.Classes, show),
			LogoClasses:            jsonvalue.Map(i.Logos, show),
		}
	})}, nil
}

func newImageClass(c insight.ImageCount, pictured int64) imageClass {
	return imageClass{
		ID: c.Class.ID, Name: c.Class.Name, Type: string(c.Class.Type), Volume: c.Posts,
		Proportion: jsonvalue.Round(float64(c.Posts) / float64(max(pictured, 1))),
	}
}
