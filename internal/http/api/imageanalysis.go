package api

import (
	"context"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/limit"
	"earshot/internal/model/vision"
)

// imagesPerMinute is the number of images that a user may have analyzed in a minute. Each one is a
// request to another server and a tenth of a second on one core. docs/decisions/0071-pictures.md.
const imagesPerMinute = 30

type imageAnalysisParams struct {
	URL string `query:"url,required" doc:"http or https URL of a JPEG, PNG, GIF or WebP image at a public address" example:"https://example.com/a.jpg"`
}

type imageAnalysisResponse struct {
	Data   imageData    `json:"imgData" doc:"what the image shows"`
	Status rest.Success `json:"status"`
}

type imageData struct {
	URL     string          `json:"url" doc:"URL of the image"`
	Width   int             `json:"width" doc:"in pixels"`
	Height  int             `json:"height" doc:"in pixels"`
	Classes []analyzedClass `json:"classes" doc:"what the image shows, most certain first"`
}

type analyzedClass struct {
	ID    int64       `json:"id" doc:"id of the class"`
	Name  string      `json:"name" doc:"name"`
	Type  vision.Type `json:"type" doc:"type of the class" values:"object,scene,action,logo"`
	Score float64     `json:"score" doc:"from 0 to 1"`
}

// imageAnalysis serves /api/imageanalysis.
func (a *API) imageAnalysis(ctx context.Context, c *earshot.Caller, p imageAnalysisParams) (imageAnalysisResponse, error) {
	a.imageRateOnce.Do(func() { a.imageRate = limit.NewRate(imagesPerMinute) })
	if left, wait := a.imageRate.Count(limit.Client{User: c.User}, a.Now()); left < 0 {
		return imageAnalysisResponse{}, &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait,
			Message: "At most 30 images a minute can be analyzed. Please try again in a minute"}
	}
	found, err := a.Pictures.Show(ctx, p.URL)
	if err != nil {
		return imageAnalysisResponse{}, err
	}
	data := imageData{URL: p.URL, Width: found.Width, Height: found.Height, Classes: []analyzedClass{}}
	for _, o := range found.Objects {
		data.Classes = append(data.Classes, analyzedClass{o.ClassID, o.ClassName, vision.TypeOf(o.ClassID), jsonvalue.Round(o.Score)})
	}
	return imageAnalysisResponse{Data: data}, nil
}

type imageClassesResponse struct {
	Classes []listedClass `json:"classes" doc:"the classes by id"`
	Status  rest.Success  `json:"status"`
}

type listedClass struct {
	ID   int64       `json:"id" doc:"id of the class"`
	Name string      `json:"name" doc:"name"`
	Type vision.Type `json:"type" doc:"type of the class" values:"object,scene,action,logo"`
}

// allClasses are the classes of images.
var allClasses = sync.OnceValues(func() ([]vision.Class, error) {
	m, err := vision.New()
	if err != nil {
		return nil, err
	}
	return m.Classes(), nil
})

// imageClasses serves /api/imageanalysis/resources/classes.
func (a *API) imageClasses(context.Context, *earshot.Caller, struct{}) (imageClassesResponse, error) {
	return listClasses(vision.Types...)
}

type imageTypeParams struct {
	Type imageType `query:"type,required" doc:"only classes of this type" values:"object,scene,action,logo" example:"object"`
}

// imageClassesOfType serves /api/imageanalysis/resources/classes/type.
func (a *API) imageClassesOfType(_ context.Context, _ *earshot.Caller, p imageTypeParams) (imageClassesResponse, error) {
	return listClasses(vision.Type(p.Type))
}

func listClasses(types ...vision.Type) (imageClassesResponse, error) {
	classes, err := allClasses()
	response := imageClassesResponse{Classes: []listedClass{}}
	for _, c := range classes {
		if slices.Contains(types, c.Type) {
			response.Classes = append(response.Classes, listedClass{c.ID, c.Name, c.Type})
		}
	}
	return response, err
}
