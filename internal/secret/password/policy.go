package password

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A new password must not be one of the first guesses of an attacker. Passwords that users already
// have stay valid until they change them. The web app shows the same rule (passwordRule in
// web/src/strings).
const (
	minLength = 10
	maxLength = 200
)

// commonWords are words with which leaked passwords often begin, followed by digits.
var commonWords = []string{
	"password", "passwort", "passw0rd", "p@ssword", "p@ssw0rd", "administrator", "admin", "welcome", "letmein", "changeme", "iloveyou", "qwerty",
	"qwertz", "azerty", "football", "baseball", "basketball", "superman", "batman", "sunshine", "princess", "dragon", "monkey", "master", "shadow",
	"secret", "default", "starwars", "michael", "jennifer", "trustno", "whatever", "computer", "internet", "earshot",
}

// sequences are rows of characters that people type in order.
var sequences = []string{
	"abcdefghijklmnopqrstuvwxyz",
	"1234567890",
	"qwertyuiop", "asdfghjkl", "zxcvbnm", // American keyboard
	"qwertzuiop", "yxcvbnm", // German
	"azertyuiop", "qsdfghjklm", "wxcvbn", // French
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
}

// Weakness returns why a password cannot be used, as the end of a sentence, or "". Pass an empty
// username if the password belongs to no user.
func Weakness(username, password string) string {
	folded := fold(password)
	switch n := utf8.RuneCountInString(password); {
	case n < minLength || n > maxLength:
		return fmt.Sprintf("must have %d to %d characters", minLength, maxLength)
	case folded == fold(username):
		return "must not be the username"
	case isRepeated(folded):
		return "must not repeat the same characters"
	case isSequence(folded):
		return "must not be a sequence like abcdefghij, 0123456789 or qwertyuiop"
	case slices.Contains(commonWords, strings.TrimRight(folded, "0123456789!.")):
		return "must not be a common password like password123"
	}
	return ""
}

func fold(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// isRepeated reports whether a text repeats one to three characters, like "aaaaaaaaaa" or
// "abcabcabcabc".
func isRepeated(text string) bool {
	runes := []rune(text)
	for period := 1; period <= 3; period++ {
		repeats := true
		for i := period; i < len(runes) && repeats; i++ {
			repeats = runes[i] == runes[i-period]
		}
		if repeats {
			return true
		}
	}
	return false
}

// isSequence reports whether a text is part of a sequence, forward or backward, starting over at
// its end, like "0123456789", "xyzabcdefg" or "9876543210".
func isSequence(text string) bool {
	reversed := []rune(text)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	for _, s := range sequences {
		endless := strings.Repeat(s, 2+len(text)/len(s))
		if strings.Contains(endless, text) || strings.Contains(endless, string(reversed)) {
			return true
		}
	}
	return false
}
