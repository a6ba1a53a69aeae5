package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type agesResponse struct {
	AgeCounts []dayAges    `json:"ageCounts" doc:"one entry per day with results"`
	Status    rest.Success `json:"status"`
}

type dayAges struct {
	daySpan
	NumberOfDocuments int64    `json:"numberOfDocuments" doc:"number of posts on the day"`
	AgeCount          ageCount `json:"ageCount" doc:"posts by the age of their authors"`
}

type ageCount struct {
	SortedAgeCounts ageGroups `json:"sortedAgeCounts" doc:"posts by age group"`
	TotalAgeCount   int64     `json:"totalAgeCount" doc:"number of posts whose author's age is known"`
}

type ageGroups struct {
	UnderEighteen          int64 `json:"ZERO_TO_SEVENTEEN" doc:"under 18"`
	EighteenToTwentyFour   int64 `json:"EIGHTEEN_TO_TWENTYFOUR" doc:"18 to 24"`
	TwentyFiveToThirtyFour int64 `json:"TWENTYFIVE_TO_THIRTYFOUR" doc:"25 to 34"`
	ThirtyFiveAndOver      int64 `json:"THIRTYFIVE_AND_OVER" doc:"35 and older"`
}

// ages serves /api/monitor/demographics/age.
func (a *API) ages(ctx context.Context, m *earshot.Monitor, p monitorRange) (agesResponse, error) {
	list, err := a.Insight.Ages(ctx, m, p.days())
	if err != nil {
		return agesResponse{}, err
	}
	return agesResponse{AgeCounts: jsonvalue.Map(list, func(d insight.Ages) dayAges {
		g := d.Groups
		return dayAges{newDaySpan(d.Day), d.Posts, ageCount{ageGroups{g[0], g[1], g[2], g[3]}, g[0] + g[1] + g[2] + g[3]}}
	})}, nil
}

type ethnicitiesResponse struct {
	EthnicityCounts []dayEthnicities `json:"ethnicityCounts" doc:"one entry per day with results"`
	Status          rest.Success     `json:"status"`
}

type dayEthnicities struct {
	daySpan
	NumberOfDocuments int64          `json:"numberOfDocuments" doc:"number of posts on the day"`
	EthnicityCount    ethnicityCount `json:"ethnicityCount" doc:"always 0: the ethnicity of authors is not inferred"`
}

type ethnicityCount struct {
	SortedEthnicityCounts ethnicityPosts `json:"sortedEthnicityCounts" doc:"posts by ethnic group"`
	TotalEthnicityCount   int64          `json:"totalEthnicityCount" doc:"number of posts whose author's ethnicity is known"`
}

// ethnicities serves /api/monitor/demographics/ethnicity, which some programs call, with zero counts.
func (a *API) ethnicities(ctx context.Context, m *earshot.Monitor, p monitorRange) (ethnicitiesResponse, error) {
	list, err := a.Insight.Ages(ctx, m, p.days())
	return ethnicitiesResponse{EthnicityCounts: jsonvalue.Map(list, func(d insight.Ages) dayEthnicities {
		return dayEthnicities{daySpan: newDaySpan(d.Day), NumberOfDocuments: d.Posts}
	})}, err
}

type gendersResponse struct {
	GenderCounts []dayGenders  `json:"genderCounts" doc:"one entry per day with results"`
	Status       *rest.Success `json:"status,omitempty" doc:"success; only with the setting compat = clients"`
}

type dayGenders struct {
	daySpan
	NumberOfDocuments int64        `json:"numberOfDocuments" doc:"number of posts on the day"`
	GenderCounts      genderCounts `json:"genderCounts" doc:"posts by the gender of their authors"`
}

type genderCounts struct {
	MaleCount          int64   `json:"maleCount" doc:"posts by men"`
	FemaleCount        int64   `json:"femaleCount" doc:"posts by women"`
	TotalGenderedCount int64   `json:"totalGenderedCount" doc:"number of posts whose author's gender is known"`
	PercentMale        float64 `json:"percentMale" doc:"percentage of posts by men among posts whose author's gender is known"`
	PercentFemale      float64 `json:"percentFemale" doc:"percentage of posts by women among posts whose author's gender is known"`
}

// genders serves /api/monitor/demographics/gender.
func (a *API) genders(ctx context.Context, m *earshot.Monitor, p monitorRange) (gendersResponse, error) {
	list, err := a.Insight.Genders(ctx, m, p.days())
	if err != nil {
		return gendersResponse{}, err
	}
	return gendersResponse{GenderCounts: jsonvalue.Map(list, newDayGenders), Status: a.clientStatus()}, nil
}

func newDayGenders(d insight.Genders) dayGenders {
	known := d.Male + d.Female
	return dayGenders{newDaySpan(d.Day), d.Posts, genderCounts{
		MaleCount: d.Male, FemaleCount: d.Female, TotalGenderedCount: known,
		PercentMale: percent(d.Male, known), PercentFemale: percent(d.Female, known),
	}}
}

// percent returns n as a percentage of total, or 0 if total is 0.
func percent(n, total int64) float64 {
	if total == 0 {
		return 0
	}
	return jsonvalue.Round(100 * float64(n) / float64(total))
}
