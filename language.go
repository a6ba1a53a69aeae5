package earshot

import (
	"slices"
	"strings"
)

// Languages are the codes that monitors and analysis requests may choose from.
var Languages = strings.Fields(`AR AZ EU BG CA ZH HR CS DA NL EN FI FR DE EL HE HI HU ID IT JA KK KO KU
	LT MS NO FA PL PT RO RU SR SK SL ES SV TH TR UR`)

// FindLanguage returns the upper-case code for a supported language in any case.
func FindLanguage(code string) (string, bool) {
	code = strings.ToUpper(code)
	return code, slices.Contains(Languages, code)
}

// languageNames are the English names of Languages, by code.
var languageNames = map[string]string{
	"AR": "Arabic", "AZ": "Azerbaijani", "EU": "Basque", "BG": "Bulgarian", "CA": "Catalan",
	"ZH": "Chinese", "HR": "Croatian", "CS": "Czech", "DA": "Danish", "NL": "Dutch",
	"EN": "English", "FI": "Finnish", "FR": "French", "DE": "German", "EL": "Greek",
	"HE": "Hebrew", "HI": "Hindi", "HU": "Hungarian", "ID": "Indonesian", "IT": "Italian",
	"JA": "Japanese", "KK": "Kazakh", "KO": "Korean", "KU": "Kurdish", "LT": "Lithuanian",
	"MS": "Malay", "NO": "Norwegian", "FA": "Persian", "PL": "Polish", "PT": "Portuguese",
	"RO": "Romanian", "RU": "Russian", "SR": "Serbian", "SK": "Slovak", "SL": "Slovenian",
	"ES": "Spanish", "SV": "Swedish", "TH": "Thai", "TR": "Turkish", "UR": "Urdu",
}

// LanguageName returns the English name of a supported language, whose code may be in any
// case. Any other code is returned as it is: posts say what they like.
func LanguageName(code string) string {
	if name, ok := languageNames[strings.ToUpper(code)]; ok {
		return name
	}
	return code
}
