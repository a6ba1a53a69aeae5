package earshot

import (
	"slices"
	"strings"
)

// Languages lists the codes that monitors and analysis requests may use.
var Languages = strings.Fields(`AR AZ EU BG CA ZH HR CS DA NL EN FI FR DE EL HE HI HU ID IT JA KK KO KU
	LT MS NO FA PL PT RO RU SR SK SL ES SV TH TR UR`)

// FindLanguage returns the uppercase code of a supported language, ignoring the case of code.
func FindLanguage(code string) (string, bool) {
	code = strings.ToUpper(code)
	return code, slices.Contains(Languages, code)
}

// languageNames maps the codes in [Languages] to English names.
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

// LanguageName returns the English name of a supported language, ignoring the case of code. It
// returns any other code unchanged, because posts may state languages that are not supported.
func LanguageName(code string) string {
	if name, ok := languageNames[strings.ToUpper(code)]; ok {
		return name
	}
	return code
}
