package people

import (
	"math"

	"earshot"
)

// Thresholds, in log odds, chosen by held-out predictions on the training data; the model card has
// their precision and recall.
const (
	genderThreshold       = 1.3   // for a gender: probability 0.79
	personThreshold       = -0.75 // above it may be an organization: no gender
	organizationThreshold = 0     // above it is an organization
)

// declaredConfidence is that of a gender that the author states.
const declaredConfidence = 0.99

// Gender returns the gender that a profile shows and how sure that is, from 0.5 to
// 1. It is "" and 0 when the profile does not show enough, when its author states
// neither, and for organizations.
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
	gender, organisation := m.scores(&e)
	switch {
	case e.company, organisation > personThreshold:
		return "", 0
	case gender > genderThreshold:
		return earshot.Female, probability(gender)
	case gender < -genderThreshold:
		return earshot.Male, probability(-gender)
	}
	return "", 0
}

// Organization reports whether a profile is not a person: a company, a brand, a medium, a bot.
func (m *Model) Organization(p Profile) bool {
	var e Evidence
	m.Extract(p, &e)
	_, organisation := m.scores(&e)
	return e.declared == declaredNothing && (e.company || organisation > organizationThreshold)
}

// scores returns the log odds of a woman, and of an organisation. A display name
// that is known says all that a handle could say of gender, and says it better. A
// handle that is a common word says nothing of it.
func (m *Model) scores(e *Evidence) (gender, organisation float32) {
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

// probability returns the probability of log odds.
func probability(odds float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(odds))))
}
