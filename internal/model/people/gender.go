package people

import (
	"math"

	"earshot"
)

// Thresholds in log odds, chosen with held-out predictions on the training data. The model card
// lists their precision and recall.
const (
	genderThreshold       = 1.3   // minimum for a gender; a probability of 0.79
	personThreshold       = -0.75 // above it, the profile may be an organization and gets no gender
	organizationThreshold = 0     // above it, the profile is an organization
)

// declaredConfidence is the confidence of a gender that the author states.
const declaredConfidence = 0.99

// Gender returns the gender that a profile indicates, with a confidence from 0.5 to 1. It returns
// "" and 0 if the profile is not informative enough, if its author declares neither gender, or if
// it is an organization.
func (m *Model) Gender(p Profile) (g earshot.Gender, confidence float32) {
	var e Evidence
	m.Extract(p, &e)
	switch e.declared {
	case declaredFemale:
		return earshot.Female, declaredConfidence
	case declaredMale:
		return earshot.Male, declaredConfidence
	case declaredNeither:
		return "", 0
	}
	gender, organization := m.scores(&e)
	switch {
	case e.company, organization > personThreshold:
		return "", 0
	case gender > genderThreshold:
		return earshot.Female, probability(gender)
	case gender < -genderThreshold:
		return earshot.Male, probability(-gender)
	}
	return "", 0
}

// Organization reports whether a profile is not a person but a company, a brand, a media outlet or
// a bot.
func (m *Model) Organization(p Profile) bool {
	var e Evidence
	m.Extract(p, &e)
	_, organization := m.scores(&e)
	return e.declared == declaredNothing && (e.company || organization > organizationThreshold)
}

// scores returns the log odds of a woman and of an organization. For gender, a known display name
// replaces the handle, because it is better evidence. A handle that is a common word, or
// that belongs to a display name without any first name, is no evidence of gender.
func (m *Model) scores(e *Evidence) (gender, organization float32) {
	handle, rest := m.weights.score(e)
	gender = rest[HeadGender] + handle[HeadGender]
	switch {
	case e.named:
		gender = rest[HeadGender] + e.display
	case e.common:
		gender = rest[HeadGender]
	}
	return gender, rest[HeadOrganization] + handle[HeadOrganization]
}

// probability converts log odds to a probability.
func probability(odds float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(odds))))
}
